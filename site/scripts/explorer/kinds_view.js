import { arrange } from "./arrange.js";
import { makeArranged } from "./arranged_view.js";
import { element } from "./element.js";

/** @import { Item } from "../../types/api.js" */

/**
 * @typedef {import("./language.js").Language} Language
 * @typedef {import("./state.js").State} State
 * @typedef {{type: string, rows: Item[], total: number, listings: number}} Found the first rows: `total` of them in
 *   all, and `listings` if an event with several dates counts once
 */

/**
 * Each kind with its first listings: in a short window by when they are.
 * @param {Found[]} found
 * @param {State} state
 * @param {Language} language
 * @param {import("./list_view.js").Ways} ways
 * @param {(type: string) => void} showAll
 */
export function makeKinds(found, state, language, ways, showAll) {
  return found.map((kind) => {
    const { type, rows, total } = kind;
    const own = { ...state, type };
    const open = { type: "button", onclick: () => showAll(type) };
    const more = element("p", {}, element("button", open, language.say("show_all", { count: total })));
    return element(
      "section",
      { "data-kind": type, "data-total": String(total) },
      element(
        "h2",
        { class: "kind-title" },
        language.say(`${state.filters.size ? "kind" : "window"}_${type}`),
        " ",
        element("small", {}, kind.listings === total ? language.count(total) : tellCount(kind, language)),
      ),
      rows.length > 0 && makeArranged(arrange(rows, own, ways.now()), own, language, ways, 3),
      total > rows.length && more,
    );
  });
}

/**
 * How many there are of a kind.
 * @param {{type: string, total: number, listings: number}} counted
 * @param {Language} language
 */
export function tellCount({ type, total, listings }, language) {
  if (listings === total) return language.plural(type, total);
  const values = { events: language.plural("events", listings), dates: language.plural("dates", total) };
  return language.say("events_on_dates", values);
}
