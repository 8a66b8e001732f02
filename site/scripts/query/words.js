/** Finds the words of a query by which listings are looked for: as for the server, the others filter or say nothing. */
import { joinAges } from "./ages.js";
import { foldLine } from "./phrases.js";
import { listWords, MOST_PHRASE } from "./tables.js";

/**
 * @typedef {import("./tables.js").Tables} Tables
 * @typedef {object} Understood
 * @property {string[]} words that decide, folded, in the order in which they are written
 * @property {{min: number, max: number | null, from: string} | null} age
 * @property {import("./filters.js").Phrase[]} phrases that filter
 * @property {string[]} kinds of listings that are named, which only raise
 * @property {string[]} soft words that decide nothing, and raise what says them
 * @property {string[]} areas neighborhoods and towns that are named, which filter
 * @property {string[]} placeKinds words of kinds of places beside others that decide
 * @property {string[]} ignored words of time, price, audience and place
 * @property {boolean} isForChildren a word says so, and no age
 */

const WORD = /[\p{L}\p{N}]+/gu;
const ROLES = ["kind", "audience", "price", "time"];

/** The words of a query, each with one role: the first rule that knows it decides. */
class Roles {
  /**
   * @param {string} text folded
   * @param {Tables} tables
   */
  constructor(text, tables) {
    this.text = text;
    this.tables = tables;
    this.tokens = [...text.matchAll(WORD)].map(({ 0: word, index: start }) => ({
      word,
      start,
      end: start + word.length,
      role: "",
    }));
  }

  /**
   * Gives the words between two characters a role, all or none, and says whether it was done. Filler words stay so.
   * @param {{start: number, end: number}} span
   * @param {string} role
   */
  claim({ start, end }, role) {
    const own = this.tokens.filter((token) => start <= token.start && token.end <= end);
    if (!own.length || own.some((token) => token.role)) return false;
    for (const token of own) token.role = role !== "age" && this.tables.fillers.has(token.word) ? "filler" : role;
    return true;
  }

  /**
   * @param {RegExp} pattern
   * @param {string} role
   * @returns {string[]} what got the role
   */
  claimAll(pattern, role) {
    return [...this.text.matchAll(pattern)].flatMap((match) =>
      this.claim({ start: match.index, end: match.index + match[0].length }, role) ? match[0] : [],
    );
  }

  /**
   * Gives runs of words that are one thing the role of words, the longest first.
   * @param {(words: string[]) => boolean} isPhrase
   */
  claimRuns(isPhrase) {
    for (let at = 0; at < this.tokens.length; at++)
      for (let length = Math.min(MOST_PHRASE, this.tokens.length - at); length > 1; length--) {
        const run = this.tokens.slice(at, at + length);
        if (run.some(({ role }) => role) || !isPhrase(run.map(({ word }) => word))) continue;
        for (const token of run) token.role = "word";
        break;
      }
  }

  /** @param {string[]} wanted */
  list(...wanted) {
    return [...new Set(this.tokens.flatMap(({ word, role }) => (wanted.includes(role) ? word : [])))];
  }
}

/**
 * @param {string} q
 * @param {Tables} tables
 * @param {{metro: string[], areas: string[]}} places names of the metro, and of its neighborhoods and towns, folded
 * @param {(words: string[]) => boolean} isPhrase whether several words are one thing that has other names
 * @returns {Understood}
 */
export function understand(q, tables, places, isPhrase) {
  const text = foldLine(q);
  const roles = new Roles(text, tables);
  roles.claimAll(tables.names, "word");
  const spans = tables.ages.find(text).filter((span) => roles.claim(span, "age"));
  const areas = roles.claimAll(writeNames(places.areas), "area");
  // "After school" is a time of day, and a name.
  const found = tables.filters.find(text).filter((phrase) => {
    const role = phrase.words.is_name ? "word" : phrase.words.is_kind ? "place kind" : "filter";
    return roles.claim(phrase, role) && role !== "word";
  });
  roles.claimRuns(isPhrase);
  roles.claimAll(writeNames(places.metro), "metro");
  roles.claimAll(/(?<!\d)\d{5}(?!\d)/g, "metro"); // a postal code
  roles.claimAll(new RegExp(tables.amount, "gu"), "price");
  roles.claimAll(tables.phrases, "time");
  for (const token of roles.tokens) {
    const known = ROLES.find((_, at) => tables.roles[at].has(token.word));
    token.role ||= known ?? (tables.fillers.has(token.word) ? "filler" : "word");
  }
  // "Toddlers" are in names, too; the words beside a number say nothing.
  for (const { start, end } of spans)
    if (/\d/.test(text.slice(start, end)))
      for (const token of roles.tokens) if (start <= token.start && token.end <= end) token.role = "number";
  const age = spans.length
    ? { ...joinAges(spans), from: spans.map(({ start, end }) => text.slice(start, end)).join(", ") }
    : null;
  // A kind of place filters only where no other word decides: then it is no word that is searched for.
  const decides = roles.tokens.some(({ role }) => role === "word");
  const phrases = found.filter(({ words }) => !(decides && words.is_kind));
  let words = decides ? roles.list("word", "place kind") : [];
  if (!words.length && !age && !phrases.length && !areas.length) words = roles.list("audience");
  if (!words.length && !age && !phrases.length && !areas.length) words = listWords(text);
  return {
    words,
    age,
    phrases,
    kinds: roles.list("kind"),
    soft: [
      ...roles.list("age", "audience", ...(words.length ? ["kind", "filter"] : ["place kind"])),
      ...areas.flatMap(listWords),
    ],
    placeKinds: roles.list("place kind"),
    areas,
    ignored: roles.list("metro", "price", "time", "audience"),
    isForChildren: !age && roles.tokens.some(({ word }) => tables.children.has(word)),
  };
}

/** @param {string[]} names */
function writeNames(names) {
  const sorted = names.filter(Boolean).sort((one, other) => other.length - one.length);
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${sorted.join("|") || "(?!)"})(?![\\p{L}\\p{N}])`, "gu");
}
