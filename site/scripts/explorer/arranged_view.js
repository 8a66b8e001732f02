import { element } from "./element.js";
import { makeItems } from "./list_view.js";

/**
 * @typedef {import("./arrange.js").Arranged} Arranged
 * @typedef {import("./arrange.js").Row} Row
 * @typedef {import("./language.js").Language} Language
 * @typedef {import("./state.js").State} State
 */

const STEP = 20;

/**
 * What one can still go to, a part at a time; below it, folded, what is full or has begun, and what is over. What there
 * is nothing else of is not folded.
 * @param {Arranged} arranged
 * @param {State} state
 * @param {Language} language
 * @param {import("./list_view.js").Ways} ways
 * @param {number} [level] of the first heading
 */
export function makeArranged({ ahead, closed, over }, state, language, ways, level = 2) {
  const first = ahead.length ? ahead : closed;
  const make = (/** @type {Row[]} */ rows) => makeItems(rows, state, language, ways, level);
  return element(
    "div",
    { class: "arranged" },
    first.length > 0 && makeSteps(first, make, language),
    ahead.length > 0 && makeFold("closed_rows", closed, make, language),
    makeFold("over_rows", over, make, language, !first.length),
  );
}

/**
 * The first rows, with a button that shows more of them.
 * @template Any
 * @param {Any[]} rows
 * @param {(rows: Any[]) => HTMLElement[]} make
 * @param {Language} language
 */
export function makeSteps(rows, make, language) {
  const steps = element("div", {});
  const show = (/** @type {number} */ count) => {
    const more = () => {
      show(count + STEP);
      /** @type {HTMLElement | null} */ (steps.querySelectorAll(".listings a")[count])?.focus();
    };
    const button = element("button", { type: "button", onclick: more }, language.say("show_more"));
    steps.replaceChildren(
      ...make(rows.slice(0, count)),
      ...(rows.length > count ? [element("p", { class: "paging" }, button)] : []),
    );
  };
  show(STEP);
  return steps;
}

/**
 * Rows that are made when somebody looks at them; nothing where there are none.
 * @template Any
 * @param {string} word of its heading, which counts the rows
 * @param {Any[]} rows
 * @param {(rows: Any[]) => HTMLElement[]} make
 * @param {Language} language
 */
export function makeFold(word, rows, make, language, isOpen = false) {
  if (!rows.length) return null;
  const fold = element(
    "details",
    { class: "fold", open: isOpen },
    element("summary", {}, language.say(word, { count: rows.length })),
  );
  const fill = () => fold.childElementCount > 1 || fold.append(...make(rows));
  if (isOpen) fill();
  fold.addEventListener("toggle", fill);
  return fold;
}
