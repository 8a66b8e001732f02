import { CLOSED, OVER, rankItem, showNext } from "./arrange.js";
import { makeFold, makeSteps } from "./arranged_view.js";
import { element } from "./element.js";
import { COLLECTIONS, makeFacts, makeLink } from "./list_view.js";
import { compareKeys } from "./offers.js";
import { makePicture } from "./picture.js";
import { EVERY_TYPE } from "./state.js";

/** @import { Item, SearchBody, SearchMeta, SearchResult } from "../../types/api.js" */

/**
 * @typedef {import("./language.js").Language} Language
 * @typedef {import("./state.js").State} State
 */

/**
 * What fits the words best: the search's own answer, with what it made of the words.
 * @param {SearchBody} body
 * @param {Map<string, Item>} listings the listings of the results, by id
 * @param {State} state
 * @param {Language} language
 * @param {import("./list_view.js").Ways} ways
 */
export function makeMatches(body, listings, state, language, ways) {
  const now = ways.now();
  const understood = addUnderstood(state, body.meta);
  const best = Math.max(...body.data.map(({ score }) => score));
  const ranked = body.data.map((result) => {
    const listing = listings.get(result.id);
    const { rank, start = "~" } = listing ? rankItem(listing, understood, now) : { rank: 0 };
    const isPartial = result.match === "partial";
    const isOpen = rank < CLOSED;
    // What begins late but is what the words say comes before what they hardly say; what fits them alike goes by date.
    const words = [2 * result.score < best ? 1 : 0, rank, -result.score.toFixed(2), start];
    return { result, rank, isPartial, isOpen, key: [isPartial ? 1 : 0, isOpen ? 0 : rank, ...words] };
  });
  ranked.sort((one, other) => compareKeys(one.key, other.key));
  // What is full and fits is shown rather than what fits in part alone: somebody may have asked for it by name.
  const hasOpen = ranked.some(({ isOpen, isPartial }) => isOpen && !isPartial);
  const shown = ranked.filter(({ isOpen, isPartial }) => isOpen || !(hasOpen || isPartial));
  const list = (/** @type {typeof ranked} */ some) => some.map(({ result }) => result);
  const fold = (/** @type {string} */ word, /** @type {number} */ wanted) =>
    makeFold(
      word,
      list(ranked.filter((one) => one.rank === wanted && !shown.includes(one))),
      make,
      language,
      !shown.length,
    );
  const make = (/** @type {SearchResult[]} */ some) => [
    element(
      "ol",
      { class: "listings" },
      ...some.map((result) => makeResult(result, listings.get(result.id), understood, language, ways)),
    ),
  ];
  const isOther = state.type !== EVERY_TYPE && body.data.every(({ type }) => COLLECTIONS[type] !== state.type);
  return element(
    "section",
    { id: "matches", "aria-labelledby": "matches-title" },
    element("h2", { id: "matches-title" }, language.say(isOther ? "matches_other" : "matches")),
    ...tellReading(body.meta, language).map((text) => element("p", { class: "note" }, text)),
    makeSteps(list(shown), make, language),
    fold("closed_rows", CLOSED),
    fold("over_rows", OVER),
  );
}

/**
 * The state with the filters that a search made of its words, so that a row shows the section that fits them.
 * @param {State} state
 * @param {SearchMeta} meta
 * @returns {State}
 */
function addUnderstood(state, { interpreted, relaxed }) {
  const { age, filters } = interpreted;
  const own = filters.filter((filter) => !filter.overridden_by && !relaxed.includes(filter.from));
  const filtered = new Map(own.flatMap(({ parameters }) => Object.entries(parameters)));
  const values = new Map([...filtered].map(([name, value]) => [name, String(value)]));
  if (age && !age.overridden_by && age.min === age.max) values.set("age", String(age.min));
  return { ...state, filters: new Map([...values, ...state.filters]) };
}

/**
 * @param {SearchMeta} meta of a search
 * @param {Language} language
 */
function tellReading({ relaxed, interpreted, ignored_words: ignored }, language) {
  const { age } = interpreted;
  const ages =
    age && !age.overridden_by && (age.max === null ? "ages_from" : age.min === age.max ? "ages_one" : "ages");
  return [
    relaxed.length > 0 && language.say("relaxed", { words: relaxed.join(", ") }),
    ages && language.say("read_as", { words: age.from, meaning: language.say(ages, { min: age.min, max: age.max }) }),
    interpreted.beginning && language.say("read_beginning", { word: interpreted.beginning }),
    ignored.length > 0 && language.say("ignored", { words: ignored.join(", ") }),
  ].filter(Boolean);
}

/**
 * @param {SearchResult} result
 * @param {Item | undefined} listing undefined where it left with a release between the two requests
 * @param {State} state
 * @param {Language} language
 * @param {import("./list_view.js").Ways} ways
 */
function makeResult(result, listing, state, language, ways) {
  const more = result.type === "place" ? "repeated_places" : "repeated_dates";
  const facts = [
    language.name(result.type),
    result.repeats && language.plural(more, result.repeats),
    result.match === "partial" && language.say("partial"),
  ].filter(Boolean);
  return element(
    "li",
    { "data-match": result.match },
    makePicture(listing ?? result, state.metro),
    element(
      "div",
      {},
      element("h3", {}, makeLink(result, ways)),
      listing && makeFacts(showNext(listing, state, ways.now()), language, state),
      element("p", { class: "by" }, facts.join(" · ")),
      result.snippet !== result.name && element("p", { dir: "auto" }, result.snippet),
    ),
  );
}
