import { foldLine, Line } from "../query/phrases.js";
import { addDays, findLast, findWeekday } from "./days.js";

/** @typedef {import("./language.js").Language} Language */

// The local hours at which a block begins and before which it ends, as the API's facet counts them.
/** @type {Record<string, [string, string]>} */
export const TIMES = {
  early_morning: ["", "09:00"],
  morning: ["09:00", "12:00"],
  afternoon: ["12:00", "17:00"],
  evening: ["17:00", ""],
};
const KINDS = ["events", "classes", "camps", "places"];
const FLAGS = ["free", "indoor", "outdoor", "sensory", "openings"];
const SEASONS = ["winter", "spring", "summer", "fall"];
const SATURDAY = 5;
const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/**
 * What a line of words means: filters by the API's names, a kind, what `near` names, and the words that are left. A
 * word that is no filter of the API stays a word.
 * @param {string} text
 * @param {object} about
 * @param {string} about.today
 * @param {boolean} about.isSouthern in the south, winter is in June
 * @param {Language} about.language whose words `line_…` are regular expressions
 * @param {import("../query/tables.js").Tables} about.tables
 * @returns {{filters: Record<string, string>, stated: Record<string, string>, type: string, near: string, q: string}}
 *   `stated`: the words of the filters that are yes or no
 */
export function parseLine(text, { today, isSouthern, language, tables }) {
  const line = new Line(text);
  /** @type {Record<string, string>} */
  const filters = {};
  /** @type {Record<string, string>} */
  const stated = {};
  const word = (/** @type {string} */ name) => language.say(`line_${name}`);
  /** @type {string[]} names of activities, which stay as they are: "gluten free" costs what it costs */
  const names = [];
  for (let match = tables.names.exec(line.text); match; match = tables.names.exec(line.text))
    names.push(line.drop(match.index, match.index + match[0].length));
  const ages = tables.ages.find(line.text);
  const [only] = ages;
  // The lists of the API take one age. Of others the search makes what it can.
  if (ages.length === 1 && only.min === only.max) {
    filters.age = String(only.min);
    line.drop(only.start, only.end);
  }
  const price = line.take(tables.amount) ?? line.take(word("price"));
  if (price) filters.max_price = price[0].replace(",", ".");
  if (line.take(`(?:(?:${word("that_is")}) )?(?:${tables.write("open_at", "now")})`)) filters.open = "now";
  for (const name of FLAGS) {
    const more = name === "free" ? `${tables.free}|` : name === "openings" ? `${word("openings")}|` : "";
    const match = line.take(`(${more}${tables.write(name, "true")})`);
    if (match) [filters[name], stated[name]] = ["true", match[0]];
  }
  const time = tables.times.find(({ words }) => line.take(words));
  Object.assign(filters, time?.set);
  // "Tonight" says the day, too.
  const { unit, first = 0, last = first } = time?.span ?? {};
  if (unit === "day") Object.assign(filters, { from: addDays(today, first), to: addDays(today, last) });
  Object.assign(filters, takeDates(line, { word, today, isSouthern, language, tables }));
  const type = KINDS.find((kind) => line.take(word(kind))) ?? "";
  const near = line.takeBehind(word("near"));
  const filler = new RegExp(`^(?:(?:${word("filler")})(?:\\s+|$))+|(?:(?:^|\\s+)(?:${word("filler")}))+$`, "giu");
  const q = [line.written, ...names].join(" ").trim().replace(filler, "").replace(filler, "").trim();
  return { filters, stated, type, near: near.replace(filler, ""), q };
}

/**
 * @param {Line} line
 * @param {object} about
 * @param {(name: string) => string} about.word
 * @param {string} about.today
 * @param {boolean} about.isSouthern
 * @param {Language} about.language
 * @param {import("../query/tables.js").Tables} about.tables
 * @returns {Record<string, string>}
 */
function takeDates(line, { word, today, isSouthern, language, tables }) {
  const weekend = findWeekend(today);
  const monday = addDays(today, -findWeekday(today));
  const month = Number(today.slice(5, 7));
  /** @type {[string, {from: string, to: string}][]} the longer words first */
  const windows = [
    [word("next_weekend"), { from: addDays(monday, 12), to: addDays(monday, 13) }],
    [word("weekend"), weekend],
    [word("next_week"), { from: addDays(monday, 7), to: addDays(monday, 13) }],
    [word("this_week"), { from: today, to: addDays(monday, 6) }],
    [word("next_month"), findMonth((month % 12) + 1, today)],
    [word("this_month"), findMonth(month, today)],
    [word("tomorrow"), { from: addDays(today, 1), to: addDays(today, 1) }],
    [word("today"), { from: today, to: today }],
  ];
  for (const [pattern, window] of windows) if (line.take(pattern)) return window;
  for (const [number, name] of WEEKDAYS.entries()) {
    const day = addDays("2024-01-01", number); // a Monday
    const [long, short] = ["long", "short"].map((weekday) =>
      escapePattern(foldLine(language.date(day, /** @type {any} */ ({ weekday })))),
    );
    if (line.take(`(?:(?:${word("every")}|${word("this")}) )?${long}s|(?:${word("every")}) ${long}`))
      return { weekday: name };
    const wait = (number - findWeekday(today) + 7) % 7;
    if (line.take(`(?:${word("next")}) (?:${long}|${short})`)) {
      const next = addDays(monday, 7 + number);
      return { from: next, to: next };
    }
    if (line.take(`(?:(?:${word("this")}) )?(?:${long}|${short}\\.?)`))
      return { from: addDays(today, wait), to: addDays(today, wait) };
  }
  for (let month = 1; month <= 12; month++) {
    const name = escapePattern(foldLine(language.date(`2024-${String(month).padStart(2, "0")}-01`, { month: "long" })));
    if (!line.take(`(?:${word("in")}) ${name}`) && !(month !== 5 && line.take(name))) continue;
    return findMonth(month, today);
  }
  for (const [number, season] of SEASONS.entries())
    if (line.take(tables.write("season", season)))
      return findSeason((number + (isSouthern ? 2 : 0)) % SEASONS.length, today);
  return {};
}

/**
 * What is left of the season that is or comes.
 * @param {number} number from 0, which is December to February
 * @param {string} today
 */
function findSeason(number, today) {
  const [year, month] = [Number(today.slice(0, 4)), Number(today.slice(5, 7))];
  // The year in which its last month is.
  const last = number * 3 + 2;
  const ends = month > last ? year + 1 : year;
  const first = new Date(Date.UTC(ends, last - 3, 1)).toISOString().slice(0, 10);
  return { from: findLast(first, today), to: new Date(Date.UTC(ends, last, 0)).toISOString().slice(0, 10) };
}

/**
 * The rest of the weekend that is or comes.
 * @param {string} today
 */
export function findWeekend(today) {
  const at = findWeekday(today);
  return { from: addDays(today, Math.max(0, SATURDAY - at)), to: addDays(today, 6 - at) };
}

/**
 * What is left of the month that is or comes.
 * @param {number} month from 1
 * @param {string} today
 */
export function findMonth(month, today) {
  const year = Number(today.slice(0, 4)) + (month < Number(today.slice(5, 7)) ? 1 : 0);
  const first = `${year}-${String(month).padStart(2, "0")}-01`;
  const last = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
  return { from: first < today ? today : first, to: last };
}

/** @param {string} text */
function escapePattern(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
