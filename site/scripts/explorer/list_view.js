import { showNext } from "./arrange.js";
import { element } from "./element.js";
import { isolate, tellAges, tellClock, tellPlace, tellPrice, tellSpots, tellTime } from "./facts.js";
import { findClosing } from "./hours.js";
import { measure } from "./location.js";
import { makePicture } from "./picture.js";
import { EVERY_TYPE, findShortWindow } from "./state.js";

/** @import { Item, ListBody } from "../../types/api.js" */

/**
 * @typedef {import("./language.js").Language} Language
 * @typedef {import("./state.js").State} State
 * @typedef {import("./arrange.js").Row} Row
 * @typedef {object} Ways what a reader can do from here
 * @property {(type: string, id: string) => void} openListing
 * @property {(type: string, slug: string) => string} locatePage the address of a listing's own page; empty if there are
 *   no such pages
 * @property {(page: number) => void} goTo
 * @property {() => string} now the city's local date and time
 * @property {(change: object) => string} locate the address of this page with something changed
 */

/** @type {Record<string, string>} */
export const COLLECTIONS = { event: "events", class: "classes", camp: "camps", place: "places" };
/** @type {Intl.DateTimeFormatOptions} */
export const HEADING = { weekday: "long", day: "numeric", month: "long" };

/**
 * Items one below the other. Where they go by date, each date is a heading, and they say the clock alone.
 * @param {Row[]} items
 * @param {State} state
 * @param {Language} language
 * @param {Ways} ways
 * @param {number} level of the heading of an item
 */
export function makeItems(items, state, language, ways, level = 2) {
  const window = findShortWindow(state);
  const shown = items.map((item) => ("moment" in item ? item : showNext(item, state, ways.now())));
  // What has no date comes last.
  const days = shown.map(({ moment }) => moment?.start.slice(0, 10) ?? "~");
  const isMixed = state.type === EVERY_TYPE && !state.filters.has("lat");
  const isDated =
    (state.type === "events" || (window !== null && (state.type === "classes" || isMixed))) &&
    days.every((day, at) => at === 0 || day >= days[at - 1]);
  // The day of the calendar stands above its listings already.
  const hasHeadings = isDated && !(state.view === "calendar" && window && window.from === window.to);
  /** @type {HTMLElement[]} */
  const parts = [];
  for (let at = 0; at < items.length; ) {
    let end = at + 1;
    while (end < items.length && (!isDated || days[end] === days[at])) end++;
    const hasHeading = hasHeadings && days[at] !== "~";
    if (hasHeading)
      parts.push(
        element(
          `h${level}`,
          { class: "date" },
          element("time", { datetime: days[at] }, language.date(days[at], HEADING)),
        ),
      );
    const rows = shown
      .slice(at, end)
      .map((item) => makeItem(item, { state, level: hasHeading ? level + 1 : level, isDated }, language, ways));
    parts.push(element("ol", { class: "listings" }, ...rows));
    at = end;
  }
  return parts;
}

/**
 * @param {Row} item
 * @param {{state: State, level: number, isDated?: boolean}} among
 * @param {Language} language
 * @param {Ways} ways
 */
function makeItem(item, { state, level, isDated = false }, language, ways) {
  const by = [
    state.type === "all" && language.name(item.type),
    item.organization?.name && isolate(item.organization.name),
  ];
  const about = by.filter(Boolean).join(" · ");
  return element(
    "li",
    {},
    makePicture(item, state.metro),
    element(
      "div",
      {},
      element(`h${level}`, {}, makeLink(item, ways)),
      makeFacts(item, language, state, { isDated, now: ways.now() }),
      about && element("p", { class: "by" }, element("bdi", {}, about)),
    ),
  );
}

/**
 * @param {Row} item
 * @param {Language} language
 * @param {State} [state]
 * @param {{isDated?: boolean, now?: string}} [options] `isDated`: the date stands above
 */
export function makeFacts(item, language, state, { isDated = false, now } = {}) {
  const isShort = state !== undefined && findShortWindow(state) !== null;
  const time = (isDated && item.type !== "camp" && tellClock(item, language)) || tellTime(item, language, isShort);
  const closing = item.type === "place" && now ? findClosing(item, now) : null;
  const price = tellPrice(item, language, Number(state?.filters.get("max_price") ?? Number.POSITIVE_INFINITY));
  const distance = tellDistance(item, state, language);
  const spots = tellSpots(item, language);
  const facts = [
    time && element("li", { class: "time" }, element("bdi", {}, time)),
    closing && element("li", { class: "badge free" }, language.say("open_until", { time: language.clock(closing) })),
    distance && element("li", { class: "distance" }, distance),
    price && element("li", { class: item.price?.is_free ? "badge free" : "badge" }, price),
    spots && element("li", { class: "badge spots" }, spots),
    item.others ? element("li", {}, language.plural("others", item.others)) : null,
    ...[tellPlace(item, state?.metro), tellAges(item, language)].map(
      (fact) => fact && element("li", {}, element("bdi", {}, fact)),
    ),
  ].filter(Boolean);
  return facts.length ? element("ul", { class: "facts" }, ...facts) : null;
}

/**
 * @param {Item} item
 * @param {State | undefined} state
 * @param {Language} language
 */
function tellDistance(item, state, language) {
  const [lat, lng] = ["lat", "lng"].map((name) => Number(state?.filters.get(name)));
  const { lat: ownLat = null, lng: ownLng = null } = item.location ?? {};
  if (!state?.filters.has("lat") || ownLat === null || ownLng === null) return "";
  return language.distance(item.distance_m ?? measure({ lat, lng }, { lat: ownLat, lng: ownLng }));
}

/**
 * The address of a listing's own page, where the site has such pages. On plain files it is a folder.
 * @param {HTMLElement} root with `data-pages`, the address of the site, and on plain files `data-folders`
 * @param {string} metro
 * @param {string} type
 * @param {string} slug
 */
export function locatePage({ dataset: { pages, folders } }, metro, type, slug) {
  return pages === undefined ? "" : `${pages}${metro}/${type}/${encodeURIComponent(slug)}${folders ? "/" : ""}`;
}

/**
 * To the listing's own page, or to its view in this page where it has none.
 * @param {{type: string, id: string, name: string, slug?: string, audience?: string}} item
 * @param {Ways} ways
 */
export function makeLink(item, ways) {
  const type = COLLECTIONS[item.type] ?? item.type;
  const page = item.slug && item.audience !== "adults" ? ways.locatePage(type, item.slug) : "";
  const own = { "data-listing": item.id, dir: "auto" };
  if (page) return element("a", { href: page, ...own }, item.name);
  const open = (/** @type {Event} */ event) => {
    const { ctrlKey, metaKey, shiftKey } = /** @type {MouseEvent} */ (event);
    if (ctrlKey || metaKey || shiftKey) return; // into a tab of its own
    event.preventDefault();
    ways.openListing(type, item.id);
  };
  return element("a", { href: ways.locate({ type, listing: item.id }), ...own, onclick: open }, item.name);
}

/**
 * The buttons to the pages before and after.
 * @param {ListBody} body
 * @param {State} state
 * @param {Language} language
 * @param {Ways} ways
 */
export function makePaging(body, state, language, ways) {
  const last = Math.max(1, Math.ceil(body.facets.total / body.meta.limit));
  if (last === 1) return null;
  const step = (/** @type {string} */ word, /** @type {number} */ page) =>
    element(
      "button",
      { type: "button", disabled: page < 1 || page > last, onclick: () => ways.goTo(page) },
      language.say(word),
    );
  return element(
    "nav",
    { class: "paging", "aria-label": language.say("paging") },
    step("previous", state.page - 1),
    element("span", {}, language.say("page_of", { page: state.page, last })),
    step("next", state.page + 1),
  );
}
