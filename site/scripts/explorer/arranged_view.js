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
  const fold = (/** @type {string} */ word, /** @type {Row[]} */ rows) =>
    rows.length > 0 && makeFold(language.say(word, { count: rows.length }), () => make(rows), !first.length);
  return element(
    "div",
    { class: "arranged" },
    first.length > 0 && makeSteps(first, make, language),
    ahead.length > 0 && fold("closed_rows", closed),
    fold("over_rows", over),
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
 * Rows that are made when somebody looks at them.
 * @param {string} text
 * @param {() => HTMLElement[]} make
 * @param {boolean} isOpen
 */
function makeFold(text, make, isOpen) {
  const fold = element("details", { class: "fold", open: isOpen }, element("summary", {}, text));
  const fill = () => fold.childElementCount > 1 || fold.append(...make());
  if (isOpen) fill();
  fold.addEventListener("toggle", fill);
  return fold;
}
