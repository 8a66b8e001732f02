/** Mends an address that is old or wrong: says what is wrong with it, and shows the nearest that works. */
import { addDays } from "./days.js";
import { changeFilters } from "./state.js";

/** @import { Metro } from "../../types/api.js" */

/**
 * @typedef {import("./state.js").State} State
 * @typedef {import("./language.js").Language} Language
 */

const OLDEST = 120;
const DATES = ["from", "to"];
const NUMBERS = ["max_price", "lat", "lng", "radius_m"];
// More letters than these are no slip of the pen.
const MOST_SLIPS = 3;

/**
 * @param {State} state as the address says it
 * @param {object} about
 * @param {Metro[]} about.metros at least one
 * @param {string} about.usual the metro that is shown where the address names none
 * @param {(metro: Metro) => string} about.findToday
 * @param {Language} about.language
 * @returns {{state: State, notes: string[]}}
 */
export function mendState(state, { metros, usual, findToday, language }) {
  /** @type {string[]} */
  const notes = [];
  let metro = metros.find(({ slug }) => slug === state.metro);
  if (!metro) {
    metro = findNearest(state.metro, metros) ?? metros.find(({ slug }) => slug === usual) ?? metros[0];
    if (state.metro) notes.push(language.say("wrong_metro", { value: state.metro, name: metro.name }));
  }
  /** @type {Record<string, string>} */
  const changes = {};
  const drop = (/** @type {string} */ name, /** @type {string} */ value) => {
    notes.push(language.say("wrong_value", { value }));
    changes[name] = "";
  };
  for (const [name, value] of state.filters) {
    if (DATES.includes(name) && !isDay(value)) {
      const near = findNearDay(value);
      if (!near) drop(name, value);
      else notes.push(language.say("wrong_date", { value, day: language.date((changes[name] = near)) }));
    }
    if (name === "age" && !(/^\d{1,3}$/.test(value) && Number(value) <= OLDEST)) drop(name, value);
    if (NUMBERS.includes(name) && !Number.isFinite(Number(value))) drop(name, value);
  }
  let mended = changeFilters({ ...state, metro: metro.slug }, changes);
  const [from, to] = DATES.map((name) => mended.filters.get(name));
  if (to && to < findToday(metro)) {
    const days = from && from < to ? language.range(from, to) : language.date(to);
    notes.push(language.say("wrong_window", { days }));
    mended = changeFilters(mended, { from: "", to: "" });
  }
  const isSame = !notes.length;
  return { state: isSame ? { ...state, metro: metro.slug } : mended, notes };
}

/** @param {string} text */
function isDay(text) {
  const time = Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/**
 * The last day of the month, where a month has no such day.
 * @param {string} text
 */
function findNearDay(text) {
  const [, month, day] = /^(\d{4}-\d{2})-(\d{2})$/.exec(text) ?? [];
  if (!month || Number(day) < 1 || !isDay(`${month}-01`)) return null;
  let near = `${month}-28`;
  while (addDays(near, 1).startsWith(month)) near = addDays(near, 1);
  return near;
}

/**
 * The metro whose name or slug is nearly so.
 * @param {string} text
 * @param {Metro[]} metros
 */
function findNearest(text, metros) {
  const ranked = metros.map((metro) => ({ metro, slips: countSlips(text.toLowerCase(), metro.slug) }));
  const [best] = ranked.sort((one, other) => one.slips - other.slips);
  return text && best.slips <= MOST_SLIPS ? best.metro : null;
}

/**
 * How many letters are to change, to come or to go (Levenshtein).
 * @param {string} one
 * @param {string} other
 */
function countSlips(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (const [number, own] of [...other].entries())
      next.push(Math.min(row[number + 1] + 1, next[number] + 1, row[number] + (letter === own ? 0 : 1)));
    row = next;
  }
  return row[other.length];
}
