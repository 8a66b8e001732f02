/** Finds the words of a query by which listings are looked for: as for the server, the others filter or say nothing. */
import { joinAges } from "./ages.js";
import { foldLine, NEVER } from "./phrases.js";

/**
 * @typedef {import("./tables.js").Tables} Tables
 * @typedef {object} Understood
 * @property {string[]} words that decide, folded, in the order in which they are written
 * @property {{min: number, max: number | null, from: string} | null} age
 * @property {string[]} kinds of listings that are named, which only raise
 * @property {string[]} soft words that decide nothing, and raise what says them
 * @property {string[]} areas neighborhoods and towns that are named, which only raise
 * @property {string[]} ignored words of time, price, audience and place
 */

/** Words of the longest phrase that has other names. */
export const MOST_PHRASE = 4;
const WORD = /[\p{L}\p{N}]+/gu;

/**
 * @param {string} q
 * @param {Tables} tables
 * @param {{metro: string[], areas: string[]}} places names of the metro, and of its neighborhoods and towns, folded
 * @param {(words: string[]) => boolean} isPhrase whether several words are one thing that has other names
 * @returns {Understood}
 */
export function understand(q, tables, places, isPhrase) {
  let line = foldLine(q);
  /** @type {string[]} */
  const kept = [];
  const take = (/** @type {RegExp} */ pattern, /** @type {(text: string) => void} */ note) => {
    line = line.replace(pattern, (text) => {
      note(text);
      return " ";
    });
  };
  take(new RegExp(tables.names, "gu"), (text) => kept.push(...listWords(text)));
  for (const run of listRuns(listWords(line), isPhrase)) {
    kept.push(...run);
    line = line.replace(new RegExp(`(?<!\\p{L})${run.join("[^\\p{L}\\p{N}]+")}(?!\\p{L})`, "u"), " ");
  }
  const spans = tables.ages.find(line);
  const age = spans.length
    ? { ...joinAges(spans), from: spans.map(({ start, end }) => line.slice(start, end)).join(", ") }
    : null;
  for (const { start, end } of spans.toReversed()) line = `${line.slice(0, start)} ${line.slice(end)}`;
  /** @type {string[]} */
  const ignored = [];
  const ignore = (/** @type {string} */ text) => void ignored.push(text);
  /** @type {string[]} */
  const areas = [];
  const before = line;
  take(writeNames(places.metro), ignore);
  take(writeNames(places.areas), (text) => void areas.push(text));
  take(/(?<!\d)\d{5}(?!\d)/g, ignore); // a postal code
  take(new RegExp(tables.amount, "gu"), ignore);
  take(tables.phrases, ignore);
  take(tables.filtering, ignore);
  const written = listWords(line).filter((word) => !tables.fillers.has(word));
  const [kinds, ...others] = tables.roles;
  const left = written.filter((word) => !tables.roles.some((role) => role.has(word)));
  ignored.push(...written.filter((word) => others.some((role) => role.has(word))));
  const words = [...kept, ...left];
  // Where nothing else is left, the place or those who come are looked for.
  const who = written.filter((word) => tables.audience.has(word));
  const where = areas.length && (age || who.length) ? areas.flatMap(listWords) : [];
  const deciding = words.length ? words : where.length ? where : age ? [] : who.length ? who : listWords(before);
  return {
    words: [...new Set(deciding)],
    age,
    kinds: written.filter((word) => kinds.has(word)),
    soft: listWords([age?.from, ...written, ...ignored].join(" ")).filter((word) => !deciding.includes(word)),
    areas,
    ignored: [...ignored, ...areas],
  };
}

/**
 * Runs of at least two words that are one thing, the longest first.
 * @param {string[]} words
 * @param {(words: string[]) => boolean} isPhrase
 */
function listRuns(words, isPhrase) {
  const runs = [];
  for (let at = 0; at < words.length; at++)
    for (let length = Math.min(MOST_PHRASE, words.length - at); length > 1; length--) {
      if (!isPhrase(words.slice(at, at + length))) continue;
      runs.push(words.slice(at, at + length));
      at += length - 1;
      break;
    }
  return runs;
}

/** @param {string[]} names */
function writeNames(names) {
  const sorted = names.filter(Boolean).sort((one, other) => other.length - one.length);
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${sorted.join("|") || NEVER})(?![\\p{L}\\p{N}])`, "gu");
}

/** @param {string} text */
export function listWords(text) {
  return foldLine(text).match(WORD) ?? [];
}
