import { element, find } from "./element.js";
import { findWeekend } from "./line.js";
import { changeFilters, changeType, EVERY_TYPE, listFilters, POINT } from "./state.js";

/**
 * @typedef {import("./language.js").Language} Language
 * @typedef {import("./state.js").State} State
 * @typedef {(change: (state: State) => State) => void} Change
 * @typedef {{word: string, values?: Record<string, unknown>, filters: Record<string, string>}} Quick
 */

/** @type {Intl.DateTimeFormatOptions} */
const DAY = { weekday: "short", day: "numeric", month: "short" };
const AGES = ["1", "4", "8", "14"];

/** Filters that together are one choice, and so one chip. */
export const CHOICES = [
  ["from", "to"],
  ["start_after", "start_before"],
  ["weekday"],
  POINT,
  ["age"],
  ["free"],
  ["max_price"],
  ["indoor"],
  ["outdoor"],
  ["sensory"],
  ["openings"],
  ["open"],
  ["category"],
  ["neighborhood"],
  ["organization_id"],
  ["where"],
  ["q"],
];

/**
 * The choices that the state has made, each with what it is called.
 * @param {State} state
 * @param {Language} language
 * @param {(id: string, value: string) => string} name what a list of the form calls a value
 */
export function listChips(state, language, name) {
  return CHOICES.filter((names) => names.some((key) => state.filters.has(key))).map((names) => ({
    names,
    text: tellChoice(names, (key) => state.filters.get(key) ?? "", language, name),
  }));
}

/**
 * @param {string[]} names
 * @param {(name: string) => string} get
 * @param {Language} language
 * @param {(id: string, value: string) => string} name
 */
function tellChoice(names, get, language, name) {
  const [first] = names;
  switch (first) {
    case "from": {
      const [from, to] = [get("from"), get("to")];
      if (from && to) return from === to ? language.date(from, DAY) : language.range(from, to);
      return language.say(from ? "since" : "until", { day: language.date(from || to, DAY) });
    }
    case "start_after": {
      const [start, end] = ["start_after", "start_before"].map((key) => get(key) && language.clock(get(key)));
      if (start && end) return language.say("span", { first: start, last: end });
      return language.say(start ? "since" : "before", { day: start || end });
    }
    case "near":
      return language.say("near", { where: get("near") || language.say("here") });
    case "age":
      return language.say("ages_one", { min: get("age") });
    case "max_price":
      return language.say("up_to", { price: language.money(Number(get("max_price")), null) });
    case "category":
    case "weekday":
      return get(first)
        .split(",")
        .map((word) => language.name(word))
        .join(", ");
    case "neighborhood":
    case "organization_id":
      return name(first, get(first));
    case "where":
      return get("where");
    case "open":
      return language.say("open");
    case "q":
      return `“${get("q")}”`;
    default:
      return language.say(get(first) === "true" ? first : "not", { what: language.say(first) });
  }
}

/** Chips above the results: a few to choose, then those that were chosen, each of which can be taken away. */
export class Chips {
  /**
   * @param {Language} language
   * @param {object} page
   * @param {Change} page.change
   * @param {() => void} page.locate asks where the visitor is
   * @param {() => string} page.today
   */
  constructor(language, page) {
    this.language = language;
    this.page = page;
    this.chosen = find("chips", HTMLUListElement);
    this.quick = find("quick", HTMLElement);
  }

  /**
   * @param {State} state
   * @param {(id: string, value: string) => string} name
   */
  show(state, name) {
    const { quick, chip } = /** @type {HTMLElement} */ (document.activeElement).dataset;
    const own = listFilters(EVERY_TYPE);
    // What is chosen stands among the chips that take it away.
    const isOpen = (/** @type {Quick} */ { filters }) =>
      Object.keys(filters).some((key) => state.filters.get(key) !== filters[key]);
    this.quick.replaceChildren(
      ...this.#listQuick()
        .filter(isOpen)
        .map((choice) => this.#makeQuick(choice, state)),
      ...(state.filters.get("near") === this.language.say("my_place") ? [] : [this.#makeNear()]),
    );
    const chips = listChips(state, this.language, name).filter(({ names }) => own.includes(names[0]));
    const drop = (/** @type {string[]} */ names) => Object.fromEntries(names.map((key) => [key, ""]));
    this.chosen.replaceChildren(
      ...chips.map(({ names, text }) => this.#makeChip(text, (state) => changeFilters(state, drop(names)), names[0])),
    );
    this.chosen.hidden = !this.chosen.children.length;
    // The focus stays where it was, or goes to the chip that came of it.
    const [choice] = this.#listQuick().filter(({ word }) => word === quick);
    const key = chip ?? (choice ? Object.keys(choice.filters)[0] : quick === "near_me" ? "near" : "");
    const next =
      this.quick.querySelector(`[data-quick="${quick}"]`) ?? this.chosen.querySelector(`[data-chip="${key}"]`);
    if (next instanceof HTMLElement) next.focus();
  }

  /** @returns {Quick[]} */
  #listQuick() {
    const today = this.page.today();
    return [
      { word: "today", filters: { from: today, to: today } },
      { word: "weekend", filters: findWeekend(today) },
      { word: "free", filters: { free: "true" } },
      { word: "indoor", filters: { indoor: "true" } },
      { word: "open", filters: { open: "now" } },
      ...AGES.map((age) => ({ word: `age_${age}`, filters: { age } })),
    ];
  }

  /**
   * @param {Quick} quick
   * @param {State} state
   */
  #makeQuick({ word, filters }, state) {
    // A kind that has no such filter gives way to all kinds.
    const isTaken = Object.keys(filters).every((name) => listFilters(state.type).includes(name));
    const choose = () =>
      this.page.change((state) => changeFilters(isTaken ? state : changeType(state, EVERY_TYPE), filters));
    return element("button", { type: "button", "data-quick": word, onclick: choose }, this.language.say(word));
  }

  #makeNear() {
    const locate = () => this.page.locate();
    return element(
      "button",
      { type: "button", "data-quick": "near_me", onclick: locate },
      this.language.say("near_me"),
    );
  }

  /**
   * @param {string} text
   * @param {(state: State) => State} change
   * @param {string} name
   */
  #makeChip(text, change, name) {
    const label = this.language.say("take_away", { what: text });
    const press = () => {
      this.page.change(change);
      const next = this.chosen.querySelector("button") ?? this.quick.querySelector("button");
      /** @type {HTMLElement | null} */ (next)?.focus();
    };
    const sign = element("span", { "aria-hidden": "true" }, "×");
    return element(
      "li",
      {},
      element(
        "button",
        { type: "button", "data-chip": name, "aria-label": label, title: label, onclick: press },
        element("bdi", {}, text),
        sign,
      ),
    );
  }
}
