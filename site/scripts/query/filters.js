/** Finds the phrases of a query that filter, "in december", "open now", "under $20", by the tables of the server. */
import { addDays, findFirst, findLast, findWeekday } from "../explorer/days.js";
import { NEVER } from "./phrases.js";

/**
 * @typedef {object} Words a phrase of search.toml
 * @property {string} words a regular expression
 * @property {Record<string, string>} [set] the parameters that it means
 * @property {{unit: string, first?: number, last?: number} | null} [span] the days that it means
 * @property {string} [clock] the parameter of its time of day
 * @property {boolean} [open_on] what is open on the weekday passes
 * @property {boolean} [starts] what the query dates begins then
 * @property {boolean} [is_name] a name with the phrase passes, too
 * @property {boolean} [is_kind] a kind of place: it filters only where no other word decides
 *
 * @typedef {{words: Words, text: string, parts: Record<string, string>, start: number, end: number}} Phrase where a
 *   text says it; `parts`: what stands for `<month>`, `<day>` and the like
 * @typedef {{from: string, to: string}} Days
 */

const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const SEASONS = ["winter", "spring", "summer", "fall"];
const [SATURDAY, SUNDAY] = [5, 6];
// An hour up to this one without "am" or "pm" is of the afternoon: "after 5".
const LATE = 7;

/** The phrases of one language that filter. */
export class FilterPhrases {
  /**
   * @param {Words[]} filters
   * @param {{months?: string, weekdays?: string}} calendar
   * @param {Record<string, string>} parts the regular expressions of what stands in a phrase
   */
  constructor(filters, calendar, parts) {
    const list = (/** @type {string | undefined} */ names) => (names ?? "").split(/\s+/).filter(Boolean);
    this.months = list(calendar.months);
    this.weekdays = list(calendar.weekdays);
    const own = { ...parts, month: this.months.join("|"), weekday: this.weekdays.join("|") };
    this.phrases = filters.map((words) => ({ words, pattern: writePhrase(words.words, own) }));
  }

  /**
   * The phrases of a folded text. They may overlap: the first has its words.
   * @param {string} text
   * @returns {Phrase[]}
   */
  find(text) {
    return this.phrases.flatMap(({ words, pattern }) =>
      [...text.matchAll(pattern)].map((match) => {
        const named = Object.entries(match.groups ?? {}).filter(([, part]) => part !== undefined);
        const parts = Object.fromEntries(named.map(([name, part]) => [name.replace(/\d+$/, ""), part]));
        return { words, text: match[0], parts, start: match.index, end: match.index + match[0].length };
      }),
    );
  }

  /**
   * The parameters that say the same as a phrase; none where there is no such date.
   * @param {Phrase} phrase
   * @param {{today: string}} about
   * @returns {Record<string, string>}
   */
  list({ words, parts }, { today }) {
    /** @type {Record<string, string>} */
    const values = { ...words.set };
    if (parts.weekday) values.weekday = WEEKDAYS[findName(this.weekdays, parts.weekday)];
    const days = this.#findDays(words, parts, today);
    if (words.open_on) {
      const wait = (WEEKDAYS.indexOf(values.weekday) - findWeekday(today) + 7) % 7;
      values.open_at = `${addDays(today, wait)}T12:00`;
      delete values.weekday;
    } else if (days) {
      if (days.to < days.from) return {};
      Object.assign(values, days, { meets: "true" });
      if (parts.day) delete values.weekday;
    }
    if (parts.clock) values[words.clock ?? ""] = readClock(parts.clock);
    if (parts.amount) values.max_price = (/\d+(?:[.,]\d+)?/.exec(parts.amount)?.[0] ?? "").replace(",", ".");
    return values;
  }

  /**
   * @param {Words} words
   * @param {Record<string, string>} parts
   * @param {string} today
   * @returns {Days | null} from today on; the last before the first where there are none
   */
  #findDays({ span }, parts, today) {
    if (!parts.month) return span ? findSpan(span, today) : null;
    const month = findName(this.months, parts.month) + 1;
    const days = findMonth(month, today);
    if (!parts.day) return days;
    const [first, last] = [Number(parts.day), Number(parts.last ?? parts.day)];
    const longest = Number(days.to.slice(8));
    if (first < 1 || last < first || last > longest) return { from: days.to, to: "" };
    const write = (/** @type {number} */ year, /** @type {number} */ day) =>
      `${year}${days.to.slice(4, 8)}${String(day).padStart(2, "0")}`;
    const year = Number(days.to.slice(0, 4));
    if (write(year, last) < today)
      return { from: write(year + 1, Math.min(first, 28)), to: write(year + 1, Math.min(last, 28)) };
    return { from: findLast(write(year, first), today), to: write(year, last) };
  }
}

/**
 * The days of a span, from today on.
 * @param {{unit: string, first?: number, last?: number}} span
 * @param {string} today
 * @returns {Days}
 */
export function findSpan({ unit, first = 0, last = 0 }, today) {
  const monday = addDays(today, -findWeekday(today));
  if (unit === "day") return { from: addDays(today, first), to: addDays(today, last) };
  if (unit === "month") {
    const [year, month] = [Number(today.slice(0, 4)), Number(today.slice(5, 7)) - 1];
    const write = (/** @type {number} */ at, /** @type {number} */ day) =>
      new Date(Date.UTC(year, month + at, day)).toISOString().slice(0, 10);
    return { from: findLast(write(first, 1), today), to: write(last + 1, 0) };
  }
  const begin = addDays(monday, 7 * first + (unit === "weekend" ? SATURDAY : 0));
  return { from: findLast(begin, today), to: addDays(monday, 7 * last + SUNDAY) };
}

/**
 * What is left of the month that is or comes.
 * @param {number} month from 1
 * @param {string} today
 * @returns {Days}
 */
export function findMonth(month, today) {
  const year = Number(today.slice(0, 4)) + (month < Number(today.slice(5, 7)) ? 1 : 0);
  const first = `${year}-${String(month).padStart(2, "0")}-01`;
  const last = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
  return { from: findLast(first, today), to: last };
}

/**
 * What is left of the season that is or comes.
 * @param {string} name
 * @param {string} today
 * @param {boolean} isSouthern in the south, winter is in June
 * @returns {Days}
 */
export function findSeason(name, today, isSouthern) {
  const number = (SEASONS.indexOf(name) + (isSouthern ? 2 : 0)) % SEASONS.length; // 0 is December to February
  const [year, month] = [Number(today.slice(0, 4)), Number(today.slice(5, 7))];
  const last = number * 3 + 2;
  const ends = month > last ? year + 1 : year;
  const first = new Date(Date.UTC(ends, last - 3, 1)).toISOString().slice(0, 10);
  return { from: findLast(first, today), to: new Date(Date.UTC(ends, last, 0)).toISOString().slice(0, 10) };
}

/**
 * The parameters of several phrases: any of the weekdays, the longest part of the day, and of others the first.
 * @param {Record<string, string>[]} all
 * @returns {Map<string, string>}
 */
export function combineValues(all) {
  /** @type {Map<string, string>} */
  const combined = new Map();
  for (const [name, value] of all.flatMap((values) => Object.entries(values))) {
    const known = combined.get(name);
    if (known === undefined) combined.set(name, value);
    else if (name === "weekday") combined.set(name, [...new Set([...known.split(","), ...value.split(",")])].join(","));
    else if (name === "start_after") combined.set(name, findFirst(known, value));
    else if (name === "start_before") combined.set(name, findLast(known, value));
  }
  return combined;
}

/**
 * @param {string} words
 * @param {Record<string, string>} parts
 */
function writePhrase(words, parts) {
  let count = 0;
  const written = words.replace(/<([a-z]+)>/g, (_, name) => `(?<${name}${count++}>${parts[name] || NEVER})`);
  return new RegExp(`(?<![\\p{L}\\p{N}_$€£])(?:${written})(?![\\p{L}\\p{N}_])`, "gu");
}

/**
 * @param {string[]} patterns
 * @param {string} text
 */
function findName(patterns, text) {
  return patterns.findIndex((pattern) => new RegExp(`^(?:${pattern})$`, "u").test(text));
}

/** @param {string} text */
function readClock(text) {
  const [hour, minute = "00"] = text.match(/\d+/g) ?? [];
  let number = Number(hour);
  if (text.includes("p") || (number <= LATE && !text.includes("a"))) number = (number % 12) + 12;
  else if (text.includes("a")) number %= 12;
  return `${String(number).padStart(2, "0")}:${minute}`;
}
