import { element } from "../explorer/element.js";

/** @import { Parameter, Schema } from "./contract.js" */

// So many words are boxes to tick; more of them, such as all members of an event, are written.
const MOST_BOXES = 24;
let made = 0;

/** One parameter in the form: it knows its kind, its hint, and what is wrong with it. */
export class Field {
  /**
   * @param {Parameter} parameter
   * @param {Record<string, string>} words
   */
  constructor(parameter, words) {
    this.parameter = parameter;
    this.words = words;
    this.id = `field-${(made += 1)}`;
    this.isInPath = parameter.in === "path";
    const inner = parameter.schema.items ?? parameter.schema;
    this.isSeveral = parameter.schema.type === "array" && listWords(inner).length > 0;
    this.wrong = element("p", { class: "wrong", id: `${this.id}-wrong`, hidden: true });
    const meaning = element("span", { lang: "en" }, ...markCode(parameter.description));
    this.hint = element(
      "p",
      { class: "hint", id: `${this.id}-hint` },
      meaning,
      " ",
      element("span", { class: "bounds" }, this.#describeBounds(inner)),
    );
    /** @type {(HTMLInputElement | HTMLSelectElement)[]} */
    this.controls = this.isSeveral ? this.#makeBoxes(inner) : [this.#makeControl(inner)];
    this.node = this.#makeNode();
  }

  get name() {
    return this.parameter.name;
  }

  /** As it stands in a query string, before it is encoded. Empty: it is not sent. */
  get value() {
    if (!this.isSeveral) return this.controls[0].value.trim();
    const ticked = this.controls.filter((box) => box instanceof HTMLInputElement && box.checked);
    return ticked.map((box) => box.value).join(",");
  }

  /** @param {string} text */
  set value(text) {
    if (!this.isSeveral) this.controls[0].value = text;
    const ticked = text.split(",");
    for (const box of this.controls)
      if (this.isSeveral && box instanceof HTMLInputElement) box.checked = ticked.includes(box.value);
  }

  /** What keeps the form from being sent: nothing in the path, or what the browser can't read as a number or a date. */
  findFault() {
    if (this.controls[0].validity.badInput) return this.words.unreadable;
    return this.isInPath && !this.value ? this.words.missing : "";
  }

  /** @param {string} text empty: nothing is wrong */
  showFault(text) {
    this.wrong.textContent = text;
    this.wrong.hidden = !text;
    for (const control of this.controls) control.toggleAttribute("aria-invalid", Boolean(text));
  }

  focus() {
    this.controls[0].focus();
    this.node.scrollIntoView({ block: "nearest" });
  }

  #makeNode() {
    const name = element("code", {}, this.name);
    const must = this.parameter.required && element("span", { class: "must" }, this.words.required);
    const old = this.parameter.deprecated && element("span", { class: "badge" }, this.words.deprecated);
    const stability = this.parameter["x-stability"];
    const badge = stability && element("span", { class: "badge" }, stability);
    if (this.isSeveral) {
      const boxes = this.controls.map((box) => element("label", {}, box, element("code", {}, box.value)));
      const described = { "aria-describedby": `${this.hint.id} ${this.wrong.id}` };
      return element(
        "fieldset",
        { class: "field", ...described },
        element("legend", {}, name, " ", must, old, badge),
        this.hint,
        element("div", { class: "boxes" }, ...boxes),
        this.wrong,
      );
    }
    const label = element("label", { for: this.id }, name, " ", must, old, badge);
    return element("div", { class: "field" }, label, this.hint, this.controls[0], this.wrong);
  }

  /** @param {Schema} schema of one value */
  #makeBoxes(schema) {
    return listWords(schema).map(
      (word) => /** @type {HTMLInputElement} */ (element("input", { type: "checkbox", value: word })),
    );
  }

  /** @param {Schema} schema of one value */
  #makeControl(schema) {
    const described = { id: this.id, "aria-describedby": `${this.hint.id} ${this.wrong.id}` };
    const allowed = schema.type === "boolean" ? ["true", "false"] : listWords(schema);
    if (allowed.length && this.parameter.schema.type !== "array") {
      const none = element("option", { value: "" }, this.words.unsent);
      const options = allowed.map((word) => element("option", { value: word }, word));
      return /** @type {HTMLSelectElement} */ (element("select", described, none, ...options));
    }
    const example = this.parameter.example === undefined ? "" : String(this.parameter.example);
    const placeholder = example && this.words.example.replace("{value}", example);
    return /** @type {HTMLInputElement} */ (
      element("input", { ...described, ...chooseType(schema), placeholder, autocomplete: "off", spellcheck: "false" })
    );
  }

  /** @param {Schema} schema of one value */
  #describeBounds(schema) {
    const { minimum, maximum, minLength, maxLength } = schema;
    const fallback = this.parameter.schema["x-default"];
    return [
      minimum !== undefined && maximum !== undefined && maximum < 2 ** 53
        ? `${minimum} … ${maximum}`
        : minimum !== undefined
          ? `≥ ${minimum}`
          : "",
      minLength && maxLength ? `${minLength} … ${maxLength} ${this.words.characters}` : "",
      this.parameter.schema.maxItems ? `≤ ${this.parameter.schema.maxItems}` : "",
      fallback === undefined ? "" : this.words.default.replace("{value}", [fallback].flat().join(", ")),
    ]
      .filter(Boolean)
      .join(", ");
  }
}

/**
 * @param {Schema} schema
 * @returns {string[]}
 */
function listWords(schema) {
  const allowed = (schema.enum ?? []).filter((word) => word !== null).map(String);
  return allowed.length <= MOST_BOXES ? allowed : [];
}

/**
 * How the browser takes one value. A parameter of several is text, whatever each of them is.
 * @param {Schema} schema
 * @returns {Record<string, string>}
 */
function chooseType(schema) {
  if (schema.format === "date") return { type: "date" };
  if (schema.type === "integer" || schema.type === "number") {
    const { minimum, maximum } = schema;
    return {
      type: "number",
      step: schema.type === "integer" ? "1" : "any",
      ...(minimum === undefined ? {} : { min: String(minimum) }),
      ...(maximum === undefined ? {} : { max: String(maximum) }),
    };
  }
  const isClock =
    schema.pattern && new RegExp(schema.pattern, "u").test("09:00") && !new RegExp(schema.pattern, "u").test("a");
  return { type: isClock ? "time" : "text" };
}

/**
 * What the contract says, with what it has between backticks as code.
 * @param {string} text
 */
function markCode(text) {
  return text.split("`").map((part, number) => (number % 2 ? element("code", {}, part) : part));
}
