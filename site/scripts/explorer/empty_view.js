import { findMonth } from "../query/filters.js";
import { CHOICES, listChips } from "./chips.js";
import { element } from "./element.js";

import { changeFilters, EVERY_TYPE, listTypes } from "./state.js";

/**
 * @typedef {import("./language.js").Language} Language
 * @typedef {import("./state.js").State} State
 * @typedef {{text: string, state: State}} Suggestion
 */

const MOST = 3;

/**
 * Which filter to drop, and what that finds: of those that find something the first few. Where it is the dates, the
 * months that have some.
 * @param {State} state
 * @param {object} about
 * @param {Language} about.language
 * @param {string} about.today
 * @param {(id: string, value: string) => string} about.name
 * @param {(state: State) => Promise<number>} about.count of one kind
 * @param {(state: State) => Promise<string[]>} about.listDates of one kind: the first dates of its listings
 * @returns {Promise<Suggestion[]>}
 */
export async function findSuggestions(state, { language, today, name, count, listDates }) {
  /** @type {Suggestion[]} */
  const found = [];
  const chips = listChips(state, language, name);
  for (const { names, text } of chips) {
    if (found.length >= MOST) break;
    const without = changeFilters(state, Object.fromEntries(names.map((key) => [key, ""])));
    if (names[0] === "from" && state.type !== EVERY_TYPE && state.type !== "classes") {
      found.push(...listMonths(without, await listDates(without), { language, today }));
      continue;
    }
    const types = listTypes(without);
    const counts = await Promise.all(types.map((type) => count({ ...without, type })));
    const total = counts.reduce((sum, count) => sum + count, 0);
    if (!total) continue;
    const [only] = types.filter((_, at) => counts[at] === total);
    const what = only ? language.plural(only, total) : language.plural("found", total);
    found.push({ text: language.say("without", { what: text, found: what }), state: without });
  }
  if (!found.length && chips.length > 1) {
    const all = Object.fromEntries(CHOICES.flat().map((key) => [key, ""]));
    found.push({ text: language.say("clear"), state: changeFilters(state, all) });
  }
  return found;
}

/**
 * The months with most, soonest first.
 * @param {State} state without dates
 * @param {string[]} dates
 * @param {{language: Language, today: string}} about
 * @returns {Suggestion[]}
 */
function listMonths(state, dates, { language, today }) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const date of dates) if (date >= today) counts.set(date.slice(0, 7), (counts.get(date.slice(0, 7)) ?? 0) + 1);
  const most = [...counts].sort(([, one], [, other]) => other - one).slice(0, MOST);
  return most.sort().map(([month, count]) => ({
    text: language.say("in_month", {
      found: language.plural(state.type, count),
      month: language.date(`${month}-01`, { month: "long" }),
    }),
    state: changeFilters(state, findMonth(Number(month.slice(5)), today)),
  }));
}

/**
 * @param {Suggestion[]} suggestions
 * @param {State} state
 * @param {Language} language
 * @param {(state: State) => void} follow
 */
export function makeEmpty(suggestions, state, language, follow) {
  const word = state.page > 1 ? "empty_page" : state.filters.size ? "empty" : "empty_all";
  const buttons = suggestions.map((suggestion) =>
    element("li", {}, element("button", { type: "button", onclick: () => follow(suggestion.state) }, suggestion.text)),
  );
  return element(
    "div",
    { class: "empty" },
    element("p", {}, language.say(word)),
    buttons.length > 0 && element("p", {}, language.say("instead")),
    buttons.length > 0 && element("ul", { class: "instead" }, ...buttons),
  );
}
