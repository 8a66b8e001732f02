import { addDays, findWeekday } from "./days.js";

/** @typedef {import("./language.js").Language} Language */

// The local hours at which a block begins and before which it ends, as the API's facet counts them.
/** @type {Record<string, [string, string]>} */
export const TIMES = {
  early_morning: ["", "09:00"],
  morning: ["09:00", "12:00"],
  afternoon: ["12:00", "17:00"],
  evening: ["17:00", ""],
};
const FLAGS = ["free", "indoor", "outdoor", "sensory", "openings"];
const KINDS = ["events", "classes", "camps", "places"];
const SATURDAY = 5;
const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/**
 * What a line of words means: filters by the API's names, a kind, what `near` names, and the words that are left. A
 * word that is no filter of the API stays a word.
 * @param {string} line
 * @param {string} today
 * @param {Language} language whose words `line_…` are regular expressions
 * @returns {{filters: Record<string, string>, stated: Record<string, string>, type: string, near: string, q: string}}
 *   `stated`: the words of the filters that are yes or no
 */
export function parseLine(line, today, language) {
  let rest = ` ${line
    .replace(/[,;.!?]+(?=\s|$)/g, " ")
    .replace(/\s+/g, " ")
    .trim()} `;
  /** @type {Record<string, string>} */
  const filters = {};
  let type = "";
  /**
   * Takes a pattern out of the words, and returns what its groups matched.
   * @param {string} pattern
   * @returns {string[] | null}
   */
  const take = (pattern) => {
    const match = new RegExp(`(?<=\\s)(?:${pattern})(?=\\s)`, "iu").exec(rest);
    if (!match) return null;
    rest = rest.slice(0, match.index) + rest.slice(match.index + match[0].length).trimStart();
    if (!rest.endsWith(" ")) rest += " ";
    return match.slice(1).filter((group) => group !== undefined);
  };
  /** @type {Record<string, string>} */
  const stated = {};
  const word = (/** @type {string} */ name) => language.say(`line_${name}`);

  const age = take(word("age"));
  if (age) filters.age = age[0];
  const price = take(word("price"));
  if (price) filters.max_price = price[0];
  for (const name of FLAGS) {
    const match = take(`(${word(name)})`);
    if (match) [filters[name], stated[name]] = ["true", match[0]];
  }
  for (const [name, [start, end]] of Object.entries(TIMES)) {
    if (take(word(name))) Object.assign(filters, start && { start_after: start }, end && { start_before: end });
  }
  Object.assign(filters, takeDates(take, word, today, language));
  for (const kind of KINDS) if (!type && take(word(kind))) type = kind;
  const near = take(`(?:${word("near")}) (.+)`)?.[0].trim() ?? "";
  const filler = new RegExp(`^(?:(?:${word("filler")})(?:\\s+|$))+|(?:\\s+(?:${word("filler")}))+$`, "giu");
  const q = rest.trim().replace(filler, "").trim();
  return { filters, stated, type, near: near.replace(filler, ""), q };
}

/**
 * @param {(pattern: string) => string[] | null} take
 * @param {(name: string) => string} word
 * @param {string} today
 * @param {Language} language
 * @returns {Record<string, string>}
 */
function takeDates(take, word, today, language) {
  const weekend = findWeekend(today);
  const monday = addDays(today, -findWeekday(today));
  /** @type {[string, string, string][]} the longer words first */
  const windows = [
    ["next_weekend", addDays(monday, 12), addDays(monday, 13)],
    ["weekend", weekend.from, weekend.to],
    ["next_week", addDays(monday, 7), addDays(monday, 13)],
    ["this_week", today, addDays(monday, 6)],
    ["tomorrow", addDays(today, 1), addDays(today, 1)],
    ["today", today, today],
  ];
  for (const [name, from, to] of windows) if (take(word(name))) return { from, to };
  for (const [number, name] of WEEKDAYS.entries()) {
    const day = addDays("2024-01-01", number); // a Monday
    const [long, short] = ["long", "short"].map((weekday) =>
      escapePattern(language.date(day, /** @type {any} */ ({ weekday }))),
    );
    if (take(`(?:(?:${word("every")}) )?${long}s|(?:${word("every")}) ${long}`)) return { weekday: name };
    const wait = (number - findWeekday(today) + 7) % 7;
    if (take(`(?:${word("next")}) (?:${long}|${short})`)) {
      const next = addDays(monday, 7 + number);
      return { from: next, to: next };
    }
    if (take(`(?:(?:${word("this")}) )?(?:${long}|${short}\\.?)`))
      return { from: addDays(today, wait), to: addDays(today, wait) };
  }
  for (let month = 1; month <= 12; month++) {
    const name = language.date(`2024-${String(month).padStart(2, "0")}-01`, { month: "long" });
    if (!take(`(?:${word("in")}) ${escapePattern(name)}`) && !(month !== 5 && take(escapePattern(name)))) continue;
    return findMonth(month, today);
  }
  return {};
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
