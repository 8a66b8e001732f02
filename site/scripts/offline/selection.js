import { findWeekday } from "./clock.js";
import { makeTest } from "./conditions.js";

/**
 * @typedef {import("./filters.js").ListType} ListType
 * @typedef {import("./table.js").Table} Table
 * @typedef {{listings: Table, happenings: Table | null, first: number, end: number}} TypeTables `first` and `end`: the
 *   type's rows of the listings
 * @typedef {{rows: number[], isMatch: Uint8Array, held: Uint8Array | null}} Selection `rows` in the list's order;
 *   `isMatch` by row of the listings; `held` says which happenings meet all that is asked of them
 */

/**
 * What a list shows: rows that meet all conditions, and one of whose happenings meets all of its own at once.
 * @param {string} name of the type
 * @param {ListType} type
 * @param {TypeTables} tables
 * @param {Map<string, any>} values
 * @param {number} start the first day that orders and cards look at
 * @returns {Selection}
 */
export function selectRows(name, type, tables, values, start) {
  const asked = type.conditions.filter((each) => each.names.some((/** @type {string} */ filter) => values.has(filter)));
  const own = asked.filter((each) => !each.of_happening).map((each) => makeTest(each.condition, tables.listings, values));
  const { held, isHeld } = holdHappenings(asked, tables, values);
  const isMatch = new Uint8Array(tables.listings.size);
  const rows = [];
  for (let row = tables.first; row < tables.end; row++) {
    if ((isHeld && !isHeld[row]) || !own.every((test) => test(row))) continue;
    isMatch[row] = 1;
    rows.push(row);
  }
  if (name === "class") return { rows: chooseCards(rows, isMatch, tables, start), isMatch, held };
  return { rows: name === "camp" ? orderCamps(rows, tables, start) : rows, isMatch, held };
}

/**
 * @param {any[]} asked
 * @param {TypeTables} tables
 * @param {Map<string, any>} values
 */
function holdHappenings(asked, { listings, happenings }, values) {
  const conditions = asked.filter((each) => each.of_happening);
  if (!happenings || !conditions.length) return { held: null, isHeld: null };
  const tests = conditions.map((each) => makeTest(each.condition, happenings, values));
  const rows = happenings.numbers("row");
  const [held, isHeld] = [new Uint8Array(happenings.size), new Uint8Array(listings.size)];
  for (let at = 0; at < happenings.size; at++) {
    if (!tests.every((test) => test(at))) continue;
    held[at] = 1;
    isHeld[rows[at]] = 1;
  }
  return { held, isHeld };
}

/**
 * Of a program's listings the one that begins earliest is left, ties by id.
 * @param {number[]} rows
 * @param {Uint8Array} isMatch
 * @param {TypeTables} tables
 * @param {number} start
 */
function chooseCards(rows, isMatch, { listings, happenings }, start) {
  const programs = listings.numbers("program");
  const ids = /** @type {string[]} */ (listings.columns.id);
  const starts = findStarts(/** @type {Table} */ (happenings), listings.size, start);
  /** @type {Map<number, number>} */
  const chosen = new Map();
  for (const row of rows) {
    if (Number.isNaN(programs[row])) continue;
    const other = chosen.get(programs[row]);
    const isFirst = other === undefined || starts[row] < starts[other] || (starts[row] === starts[other] && ids[row] < ids[other]);
    if (isFirst) chosen.set(programs[row], row);
  }
  const kept = rows.filter((row) => Number.isNaN(programs[row]) || chosen.get(programs[row]) === row);
  for (const row of rows) isMatch[row] = 0;
  for (const row of kept) isMatch[row] = 1;
  return kept;
}

/**
 * By row: the next meeting of a class from a day on, where weekdays are stated, else its term's first day; Infinity
 * where that lies before, or after the term's end.
 * @param {Table} sections
 * @param {number} size
 * @param {number} start
 */
function findStarts(sections, size, start) {
  const [rows, begins, ends, days] = ["row", "starts_on", "ends_on", "days"].map((name) => sections.numbers(name));
  const starts = new Float64Array(size).fill(Infinity);
  for (let at = 0; at < sections.size; at++) {
    const weekdays = sections.sets.days[days[at]];
    let found = begins[at] >= start ? begins[at] : Infinity;
    if (weekdays.length) {
      const first = begins[at] > start ? begins[at] : start;
      found = first + Math.min(...weekdays.map((weekday) => (weekday - findWeekday(first) + 7) % 7));
    }
    if (found > ends[at]) found = Infinity;
    if (found < starts[rows[at]]) starts[rows[at]] = found;
  }
  return starts;
}

/**
 * By the first session that has not ended by the day; camps without one last.
 * @param {number[]} camps
 * @param {TypeTables} tables
 * @param {number} start
 */
function orderCamps(camps, { listings, happenings }, start) {
  const sessions = /** @type {Table} */ (happenings);
  const [rows, begins, ends] = ["row", "starts_on", "ends_on"].map((name) => sessions.numbers(name));
  const ids = /** @type {string[]} */ (listings.columns.id);
  const keys = new Float64Array(listings.size).fill(Infinity);
  for (let at = 0; at < sessions.size; at++) {
    if (ends[at] >= start && begins[at] < keys[rows[at]]) keys[rows[at]] = begins[at];
  }
  return camps.sort((one, other) => (keys[one] === keys[other] ? (ids[one] < ids[other] ? -1 : 1) : keys[one] - keys[other]));
}
