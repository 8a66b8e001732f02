import { findSeason, findSpan } from "../query/filters.js";
import { Line } from "../query/phrases.js";
import { addDays, findFirst, findLast, findWeekday } from "./days.js";

/**
 * @typedef {import("../query/tables.js").Tables} Tables
 * @typedef {{today: string, isSouthern: boolean, tables: Tables}} About `isSouthern`: winter is in June
 */

// The local hours at which a block begins and before which it ends, as the API's facet counts them.
/** @type {Record<string, [string, string]>} */
export const TIMES = {
  early_morning: ["", "09:00"],
  morning: ["09:00", "12:00"],
  afternoon: ["12:00", "17:00"],
  evening: ["17:00", ""],
};
// Parameters that are filters of the page, by the same names.
const FILTERS = ["from", "to", "weekday", "start_after", "start_before", "max_price"];
const FLAGS = ["free", "indoor", "outdoor", "sensory", "openings"];
const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const WEEKEND = "saturday,sunday";
// From so many letters on a weekday with an "s" is each of them: "saturdays", but not "tues" or "lunes".
const LEAST_PLURAL = 6;

/**
 * What a line of words means: the phrases that filter, by the tables that the server reads, what `near` names, and the
 * words that are left. What is no filter of the page stays a word, and the search understands it.
 * @param {string} text
 * @param {About} about
 * @returns {{filters: Record<string, string>, stated: Record<string, string>, type: string, near: string,
 *   isHere: boolean, q: string}} `stated`: the words of the filters that are yes or no; `isHere`: near the visitor
 */
export function parseLine(text, about) {
  const { tables } = about;
  const line = new Line(text);
  /** @type {Record<string, string>} */
  const filters = {};
  /** @type {Record<string, string>} */
  const stated = {};
  // Names of activities stay as they are: "gluten free" costs what it costs.
  const names = [...line.text.matchAll(tables.names)].map(([name]) => name);
  for (const name of names) line.drop(line.text.indexOf(name), line.text.indexOf(name) + name.length);
  const ages = tables.ages.find(line.text);
  const [only] = ages;
  // The lists of the API take one age. Of others the search makes what it can.
  if (ages.length === 1 && only.min === only.max) {
    filters.age = String(only.min);
    line.drop(only.start, only.end);
  }
  let type = "";
  for (let taken = takePhrase(line, about); taken; taken = takePhrase(line, about)) {
    const { types, ...values } = taken.values;
    type ||= types ?? "";
    // Saturday or Sunday is from the one to the other.
    if (taken.isDay && filters.from && !filters.weekday) {
      filters.from = findFirst(filters.from, values.from);
      filters.to = findLast(filters.to, values.to);
    }
    for (const [name, value] of Object.entries(values)) filters[name] ??= value;
    for (const name of FLAGS.filter((name) => name in values))
      stated[name] = [stated[name], taken.text].filter(Boolean).join(" ");
  }
  const price = line.take(tables.amount);
  if (price) filters.max_price ??= price[0].replace(",", ".");
  if (line.take(tables.line.classes)) type ||= "classes";
  const isHere = line.take(tables.line.near_me) !== null;
  const near = isHere ? "" : line.takeBehind(tables.line.near);
  const q = strip([line.written, ...names].join(" ").trim(), tables);
  return { filters, stated, type, near: strip(near, tables), isHere, q };
}

/**
 * Takes the first phrase out that is a filter of the page. A kind of place is no such filter, and what stands in it is
 * none of its own: "indoor" in "indoor playground".
 * @param {Line} line
 * @param {About} about
 */
function takePhrase(line, about) {
  const found = about.tables.filters.find(line.text);
  const kinds = found.filter(({ words }) => words.is_kind);
  for (const phrase of found) {
    if (kinds.some((kind) => kind !== phrase && kind.start <= phrase.start && phrase.end <= kind.end)) continue;
    const values = readPhrase(phrase, about);
    if (!values) continue;
    line.drop(phrase.start, phrase.end);
    return { values, text: phrase.text, isDay: Boolean(phrase.parts.weekday) && !values.weekday };
  }
  return null;
}

/**
 * The filters of the page that say the same as a phrase; null where there are none.
 * @param {import("../query/filters.js").Phrase} phrase
 * @param {About} about
 * @returns {Record<string, string> | null}
 */
function readPhrase(phrase, { today, isSouthern, tables }) {
  const { words, parts, text } = phrase;
  if (words.is_kind || words.is_name || words.open_on) return null;
  if (words.starts) return {};
  const values = tables.filters.list(phrase, { today });
  if (values.types) return { types: values.types };
  if (values.open_at) return { open: "now" };
  if (values.good_for_rainy) return { indoor: "true" };
  if (values.season) return findSeason(values.season, today, isSouthern);
  const own = Object.fromEntries(
    Object.entries(values).filter(([name]) => FILTERS.includes(name) || FLAGS.includes(name)),
  );
  // Who says one day means the next of them, and who says a weekend the coming one.
  if (parts.weekday && !parts.day && !isEach(parts.weekday, text, tables)) {
    const { weekday, ...rest } = own;
    const number = WEEKDAYS.indexOf(weekday);
    const wait = (number - findWeekday(today) + 7) % 7;
    const isNext = (words.span?.last ?? 0) > 6;
    const day = addDays(today, isNext ? 7 + number - findWeekday(today) : wait);
    return { ...rest, from: day, to: day };
  }
  if (own.weekday === WEEKEND && !text.split(" ").some((word) => word.endsWith("s"))) return findWeekend(today);
  if (words.span?.unit === "weekend") return findSpan({ ...words.span, first: words.span.last }, today);
  return Object.keys(own).length ? own : null;
}

/**
 * @param {string} name of a weekday
 * @param {string} text with it
 * @param {Tables} tables
 */
function isEach(name, text, tables) {
  const isPlural = name.length >= LEAST_PLURAL && name.endsWith("s") && !name.endsWith("coles");
  return isPlural || new RegExp(`^(?:${tables.line.every})[ -]`, "u").test(text);
}

/**
 * Words without those that say nothing, at both ends: "something for", "in the". A phrase that has them stays whole.
 * @param {string} text
 * @param {Tables} tables
 */
function strip(text, tables) {
  const words = new Line(text).words;
  const isPhrase = () => tables.phrasesOf.has(words.map(({ folded }) => folded).join(" "));
  const isFiller = (/** @type {{folded: string}} */ word) => tables.fillers.has(word.folded);
  while (words.length && isFiller(words[0]) && !isPhrase()) words.shift();
  while (words.length && isFiller(words[words.length - 1]) && !isPhrase()) words.pop();
  const says = words.some(
    ({ folded }) => !tables.fillers.has(folded) && !tables.audience.has(folded) && !tables.kinds.has(folded),
  );
  return says || isPhrase() ? words.map(({ written }) => written).join(" ") : "";
}

/**
 * The rest of the weekend that is or comes.
 * @param {string} today
 */
export function findWeekend(today) {
  return findSpan({ unit: "weekend" }, today);
}
