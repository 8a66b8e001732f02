import { element } from "./element.js";
import { COLLECTIONS, makeFacts, makeLink } from "./list_view.js";

/** @typedef {import("./language.js").Language} Language */

/**
 * What fits the words best, of all kinds: the search's own answer, above the list that has every word.
 * @param {any} body
 * @param {Map<string, any>} listings the listings of the results, by id
 * @param {Language} language
 * @param {import("./list_view.js").Ways} ways
 */
export function makeMatches(body, listings, language, ways) {
  const { relaxed } = body.meta;
  const section = element(
    "section",
    { id: "matches", "aria-labelledby": "matches-title" },
    element("h2", { id: "matches-title" }, language.say("matches")),
    relaxed.length > 0 && element("p", { class: "note" }, language.say("relaxed", { words: relaxed.join(", ") })),
    element(
      "ol",
      { class: "listings" },
      ...body.data.map((/** @type {any} */ result) => makeResult(result, listings.get(result.id), language, ways)),
    ),
  );
  return [section, element("h2", {}, language.say("matches_all"))];
}

/**
 * @param {any} result
 * @param {any} listing undefined where it left with a release between the two requests
 * @param {Language} language
 * @param {import("./list_view.js").Ways} ways
 */
function makeResult(result, listing, language, ways) {
  const more = result.type === "place" ? "repeated_places" : "repeated_dates";
  const facts = [
    language.name(result.type),
    result.repeats > 0 && language.plural(more, result.repeats),
    result.match === "partial" && language.say("partial"),
  ].filter(Boolean);
  return element(
    "li",
    { "data-match": result.match },
    element("h3", {}, makeLink(result.name, COLLECTIONS[result.type], result.id, ways)),
    listing && makeFacts(listing, language),
    element("p", { class: "by" }, facts.join(" · ")),
    result.snippet !== result.name && element("p", { dir: "auto" }, result.snippet),
  );
}
