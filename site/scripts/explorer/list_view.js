import { element } from "./element.js";
import { tellAges, tellPlace, tellPrice, tellTime } from "./facts.js";
import { PAGE_SIZE } from "./requests.js";

/**
 * @typedef {import("./language.js").Language} Language
 * @typedef {{openListing: (type: string, id: string) => void, goTo: (page: number) => void, clear: () => void, locate: (change: object) => string}} Ways
 */

/**
 * A page of the list, and the way to the others.
 * @param {any} body
 * @param {import("./state.js").State} state
 * @param {Language} language
 * @param {Ways} ways
 */
export function makeList(body, state, language, ways) {
  if (!body.data.length) return makeEmpty(state, language, ways);
  const items = body.data.map((/** @type {any} */ item) => makeItem(item, language, ways));
  return element("div", {}, element("ol", { class: "listings" }, ...items), makePaging(body, state, language, ways));
}

/**
 * @param {import("./state.js").State} state
 * @param {Language} language
 * @param {Ways} ways
 */
function makeEmpty(state, language, ways) {
  if (!state.filters.size) return element("p", { class: "empty" }, language.say(state.page > 1 ? "empty_page" : "empty_all"));
  return element(
    "div",
    { class: "empty" },
    element("p", {}, language.say(state.page > 1 ? "empty_page" : "empty")),
    element("button", { type: "button", onclick: ways.clear }, language.say("clear")),
  );
}

/**
 * @param {any} item
 * @param {Language} language
 * @param {Ways} ways
 */
function makeItem(item, language, ways) {
  const collection = COLLECTIONS[item.type];
  return element(
    "li",
    {},
    element("h2", {}, makeLink(item.name, collection, item.id, ways)),
    makeFacts(item, language),
    item.organization?.name && element("p", { class: "by" }, element("bdi", {}, item.organization.name)),
  );
}

/**
 * When, where, for whom and at what price something is: null where nothing of it is stated.
 * @param {any} item
 * @param {Language} language
 */
export function makeFacts(item, language) {
  const facts = [tellTime(item, language), tellPlace(item), tellAges(item, language), tellPrice(item, language)].filter(Boolean);
  if (!facts.length) return null;
  return element("ul", { class: "facts" }, ...facts.map((fact) => element("li", {}, element("bdi", {}, fact))));
}

/** @type {Record<string, string>} */
export const COLLECTIONS = { event: "events", class: "classes", camp: "camps", place: "places" };

/**
 * @param {string} name
 * @param {string} collection
 * @param {string} id
 * @param {Ways} ways
 */
export function makeLink(name, collection, id, ways) {
  const open = (/** @type {Event} */ event) => {
    const { ctrlKey, metaKey, shiftKey } = /** @type {MouseEvent} */ (event);
    if (ctrlKey || metaKey || shiftKey) return; // into a tab of its own
    event.preventDefault();
    ways.openListing(collection, id);
  };
  return element("a", { href: ways.locate({ type: collection, listing: id }), dir: "auto", onclick: open }, name);
}

/**
 * @param {any} body
 * @param {import("./state.js").State} state
 * @param {Language} language
 * @param {Ways} ways
 */
function makePaging(body, state, language, ways) {
  const last = Math.max(1, Math.ceil(body.facets.total / PAGE_SIZE));
  if (last === 1) return null;
  const step = (/** @type {string} */ word, /** @type {number} */ page) =>
    element("button", { type: "button", disabled: page < 1 || page > last, onclick: () => ways.goTo(page) }, language.say(word));
  return element(
    "nav",
    { class: "paging", "aria-label": language.say("paging") },
    step("previous", state.page - 1),
    element("span", {}, language.say("page_of", { page: state.page, last })),
    step("next", state.page + 1),
  );
}
