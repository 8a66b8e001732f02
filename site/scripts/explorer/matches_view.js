import { element } from "./element.js";
import { COLLECTIONS, makeLink } from "./list_view.js";

/** @typedef {import("./language.js").Language} Language */

/**
 * What fits the words best, of all kinds: the search's own answer, above the list that has every word.
 * @param {any} body
 * @param {Language} language
 * @param {import("./list_view.js").Ways} ways
 */
export function makeMatches(body, language, ways) {
  const { relaxed } = body.meta;
  const section = element(
    "section",
    { id: "matches", "aria-labelledby": "matches-title" },
    element("h2", { id: "matches-title" }, language.say("matches")),
    relaxed.length > 0 && element("p", { class: "note" }, language.say("relaxed", { words: relaxed.join(", ") })),
    element("ol", { class: "listings" }, ...body.data.map((/** @type {any} */ result) => makeResult(result, language, ways))),
  );
  return [section, element("h2", {}, language.say("matches_all"))];
}

/**
 * @param {any} result
 * @param {Language} language
 * @param {import("./list_view.js").Ways} ways
 */
function makeResult(result, language, ways) {
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
    element("p", { class: "by" }, facts.join(" · ")),
    result.snippet !== result.name && element("p", { dir: "auto" }, result.snippet),
  );
}
