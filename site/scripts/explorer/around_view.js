import { element } from "./element.js";

/**
 * @typedef {import("./language.js").Language} Language
 * @typedef {{radius: number, wider: number, more: number, placeless: number}} Around how far the page looked and could
 *   look, in metres; how many more lie within that, and how many have no exact place
 */

const MILE = 1609.344;
const STEPS = [1, 2, 5, 10, 20];
const [LEAST, MOST] = [100, 50_000];

/**
 * How far is looked, to be changed.
 * @param {number} radius in metres
 * @param {Language} language
 * @param {(radius: number) => void} choose
 */
export function makeRadius(radius, language, choose) {
  const unit = language.isAmerican ? MILE : 1000;
  const steps = [...STEPS.map((step) => Math.round(step * unit)), radius];
  const options = [...new Set(steps)].sort((one, other) => one - other);
  const select = element(
    "select",
    { id: "radius", onchange: (event) => choose(Number(/** @type {HTMLSelectElement} */ (event.target).value)) },
    ...options.map((value) =>
      element("option", { value: String(value), selected: value === radius }, language.distance(value)),
    ),
  );
  return element("p", { class: "around" }, element("label", { for: "radius" }, language.say("radius")), " ", select);
}

/** @param {number} radius in metres */
export function widen(radius) {
  return Math.min(Math.max(radius * 2, LEAST), MOST);
}

/**
 * One line for what lies just outside, and what has no exact place; nothing where there is neither.
 * @param {Around} around
 * @param {Language} language
 * @param {(radius: number) => void} choose
 */
export function makeOutside({ radius, wider, more, placeless }, language, choose) {
  const button =
    more > 0 &&
    wider > radius &&
    element(
      "button",
      { type: "button", class: "quiet", onclick: () => choose(wider) },
      language.say("more_within", { count: more, distance: language.distance(wider) }),
    );
  const rest = placeless > 0 && language.plural("placeless", placeless);
  return (button || rest) && element("p", { class: "around note" }, button, button && rest ? " · " : null, rest);
}
