/** The filters that the words of a query state, and the order in which they are given up where nothing meets all. */
import { combineValues, findSeason } from "./filters.js";

/**
 * @typedef {import("./words.js").Understood} Understood
 * @typedef {import("../index/listings.js").Listing} Listing
 * @typedef {object} Reading
 * @property {string} text
 * @property {Record<string, string>} values the parameters that say about the same
 * @property {((listing: Listing) => boolean) | null} takes decides, where the parameters would not do
 */

/**
 * @typedef {object} About
 * @property {import("./tables.js").Tables} tables
 * @property {string} today
 * @property {boolean} isSouthern
 * @property {Map<string, string>} given the request's own parameters, which override
 * @property {(listing: Listing, phrase: string) => boolean} names whether a listing's name says a phrase
 * @property {(listing: Listing, area: string) => boolean} isAt
 * @property {(listing: Listing) => boolean} isOpen
 */

/**
 * @param {Understood} understood
 * @param {About} about
 * @returns {Reading[]}
 */
export function listReadings({ phrases, areas }, { tables, today, isSouthern, given, names, isAt, isOpen }) {
  const isStarting = phrases.some(({ words }) => words.starts);
  const readings = phrases.map((phrase) => {
    const { text } = phrase;
    const values = tables.filters.list(phrase, { today });
    const { types, type_hint: kind, season } = values;
    if (season) Object.assign(values, findSeason(season, today, isSouthern), { meets: "true" });
    if (isStarting && values.from) Object.assign(values, { starts_from: values.from, starts_to: values.to });
    /** @type {Reading["takes"]} */
    let takes = null;
    if (types) takes = (listing) => types.startsWith(listing.type) || names(listing, text);
    else if (kind)
      takes = (listing) =>
        listing.typeHint ? listing.typeHint === kind : listing.type === "place" && names(listing, text);
    else if (values.open_at) takes = (listing) => listing.type === "place" && isOpen(listing);
    return { text, values, takes };
  });
  const where = areas.map((area) => ({
    text: area,
    values: { neighborhood: area },
    takes: (/** @type {Listing} */ listing) => isAt(listing, area),
  }));
  return [...readings, ...where].filter(
    ({ values }) => Object.keys(values).length && !Object.keys(values).some((name) => given.has(name)),
  );
}

/**
 * All readings, then fewer and fewer: each time the weakest is given up, the last one first.
 * @param {Reading[]} readings
 * @param {string[]} order parameters from the one that is given up first
 */
export function* listAttempts(readings, order) {
  const strength = (/** @type {Reading} */ { values }) =>
    Math.max(...Object.keys(values).map((name) => order.indexOf(name)));
  for (let left = readings; ; ) {
    yield left;
    if (!left.length) return;
    const least = Math.min(...left.map(strength));
    const at = left.findLastIndex((reading) => strength(reading) === least);
    left = left.filter((_, number) => number !== at);
  }
}

/**
 * The parameters of those that parameters state.
 * @param {Reading[]} readings
 */
export function combineReadings(readings) {
  return combineValues(readings.filter(({ takes }) => !takes).map(({ values }) => values));
}
