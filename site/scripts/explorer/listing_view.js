import { Failure } from "./api.js";
import { element, find } from "./element.js";
import { isolate, tellAges, tellPlace, tellPrice, tellTime } from "./facts.js";
import { COLLECTIONS } from "./list_view.js";

/** @import { Item, Version } from "../../types/api.js" */

/** @typedef {import("./language.js").Language} Language */

/**
 * One listing, with its history where the key may read it.
 * @param {Item} item
 * @param {Language} language
 * @param {() => void} close
 */
export function makeListing(item, language, close) {
  const rows = [
    [item.type === "place" ? "type" : "when", tellTime(item, language)],
    ["where", [tellPlace(item), item.location?.address && isolate(item.location.address)].filter(Boolean).join(" · ")],
    ["ages_label", tellAges(item, language)],
    ["price_label", tellPrice(item, language)],
    ["by", item.organization?.name],
    ["categories", item.categories.map((word) => language.name(word)).join(", ")],
    ["confidence", language.percent(item.confidence ?? 0)],
    ["updated", item.updated_at && language.moment(item.updated_at)],
  ].filter(([, text]) => text);
  return element(
    "article",
    { class: "listing" },
    element("p", {}, element("button", { type: "button", onclick: close }, language.say("back"))),
    element("h2", { id: "listing-name", tabindex: "-1", dir: "auto" }, item.name),
    element(
      "dl",
      { class: "facts-table" },
      ...rows.map(([word, text]) =>
        element("div", {}, element("dt", {}, language.say(String(word))), element("dd", {}, element("bdi", {}, text))),
      ),
    ),
    item.description && element("p", { class: "description", dir: "auto" }, item.description),
    makePageLinks(item, language),
    makeSource(item, language),
    element("h3", {}, language.say("history")),
    element("div", { id: "history" }, element("p", { class: "note" }, language.say("loading"))),
  );
}

/**
 * To the page of the listing alone, which can be sent to others, and to its calendar. Only where the site has such
 * pages.
 * @param {Item} item
 * @param {Language} language
 */
function makePageLinks(item, language) {
  const { pages } = find("explorer", HTMLElement).dataset;
  if (!pages || item.audience === "adults") return null;
  const page = `${pages}${item.metro}/${COLLECTIONS[item.type]}/${encodeURIComponent(item.slug ?? "")}`;
  const hasDates = item.type !== "place" && (item.starts_local || item.starts_on || item.term?.starts_on);
  return element(
    "p",
    { class: "actions" },
    element("a", { class: "button main", href: page }, language.say("page_of_listing")),
    hasDates && element("a", { class: "button", href: `${page}.ics` }, language.say("to_calendar")),
  );
}

/**
 * A link to where one signs up. Only a web address is one: a feed may say `javascript:`.
 * @param {Item} item
 * @param {Language} language
 */
function makeSource(item, language) {
  const address = [item.registration_url, item.registration?.url, item.ticket_url, item.website_url].find(
    (url) => typeof url === "string" && /^https?:\/\//i.test(url),
  );
  return (
    address &&
    element(
      "p",
      {},
      element("a", { href: address, rel: "noopener noreferrer external", target: "_blank" }, language.say("site")),
    )
  );
}

/**
 * @param {Version[] | Failure} versions
 * @param {Language} language
 */
export function makeHistory(versions, language) {
  if (versions instanceof Failure) return element("p", { class: "note" }, versions.message);
  if (!versions.length) return element("p", { class: "note" }, language.say("no_history"));
  const lines = versions.map((version) =>
    element(
      "li",
      {},
      element("time", { datetime: version.changed_at }, language.moment(version.changed_at)),
      " ",
      language.name(version.kind),
      version.fields.length ? `: ${version.fields.map((name) => language.name(name)).join(", ")}` : "",
    ),
  );
  return element("ol", { class: "history" }, ...lines);
}
