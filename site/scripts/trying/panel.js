import { findSite } from "../parts/origin.js";
import { Field } from "./field.js";
import { findOwnValues } from "./own_values.js";
import { Reply } from "./reply.js";
import { parseRequest, replaceRequest, writeRequest } from "./request.js";

/** @typedef {import("./contract.js").Operation} Operation */

// The explorer has it too: a key is given once in a tab.
const KEPT = "outings-key";

/** A form that sends one route's request. The key stays in this tab, and goes to the server of this page alone. */
export class Panel {
  /**
   * @param {HTMLElement} route
   * @param {Operation} operation
   * @param {() => void} close
   */
  constructor(route, operation, close) {
    const template = /** @type {HTMLTemplateElement} */ (document.getElementById("try-panel"));
    const copy = /** @type {DocumentFragment} */ (template.content.cloneNode(true));
    this.route = route;
    this.path = route.dataset.path ?? "";
    this.example = route.dataset.request ?? "";
    this.request = this.example;
    this.form = /** @type {HTMLFormElement} */ (copy.querySelector("form"));
    /** @type {Record<string, string>} */
    this.words = JSON.parse(this.form.dataset.words ?? "{}");
    this.key = operation.needsKey ? this.#find("input[name=key]", HTMLInputElement) : null;
    this.reply = new Reply(this.#find(".reply", HTMLElement), this.words);
    this.fields = operation.parameters.map((parameter) => new Field(parameter, this.words));
    this.#place(operation);
    this.#find(".close", HTMLButtonElement).addEventListener("click", () => {
      this.#follow(this.example);
      close();
    });
    this.form.addEventListener("input", () => this.#follow(writeRequest(this.path, this.fields)));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#send();
    });
  }

  focus() {
    const first = this.key && !this.key.value ? this.key : this.form.querySelector(".first input, .first select");
    (first instanceof HTMLElement ? first : this.#find("button.main", HTMLButtonElement)).focus();
  }

  /**
   * What the example sends stands first, all others behind "more".
   * @param {Operation} operation
   */
  #place({ needsKey }) {
    if (this.key) this.key.value = readKey() || (this.form.dataset.key ?? "");
    else this.#find(".key-field", HTMLElement).remove();
    const values = parseRequest(this.path, this.example);
    const others = [];
    for (const field of this.fields) {
      const value = values.get(`${field.parameter.in} ${field.name}`);
      if (value !== undefined) field.value = value;
      if (value !== undefined || field.parameter.required) this.#find(".first", HTMLElement).append(field.node);
      else others.push(field.node);
    }
    const more = this.#find(".more", HTMLDetailsElement);
    more.hidden = others.length === 0;
    this.#find(".more summary", HTMLElement).textContent = this.words.more.replace("{count}", String(others.length));
    this.#find(".more .fields", HTMLElement).append(...others);
    const own = this.#find(".own", HTMLButtonElement);
    own.hidden = !needsKey || !["path metro", "path id", "query metro"].some((name) => values.has(name));
    own.addEventListener("click", () => void this.#takeOwn(own));
  }

  /** @param {string} request */
  #follow(request) {
    replaceRequest(this.route, this.request, request);
    this.request = request;
  }

  /** @param {HTMLButtonElement} button */
  async #takeOwn(button) {
    button.disabled = true;
    try {
      const found = await findOwnValues(this.path, async (request) => {
        const { answer, body } = await this.#fetch(request);
        if (!answer.ok) throw new Refusal(answer, body);
        return JSON.parse(body);
      });
      for (const field of this.fields) {
        const value = found.get(field.name);
        if (value !== undefined && (field.value || field.isInPath)) field.value = value;
      }
      const missing = this.fields.some((field) => field.isInPath && !found.has(field.name));
      this.reply.tell(missing ? this.words.nothing_own : "", "bad");
      this.#follow(writeRequest(this.path, this.fields));
    } catch (error) {
      this.#fail(error);
    }
    button.disabled = false;
    button.focus();
  }

  async #send() {
    for (const field of this.fields) field.showFault("");
    const wrong = this.fields.find((field) => field.findFault());
    if (wrong) return this.#point(wrong, wrong.findFault());
    this.reply.tell(this.words.sending, "");
    const began = performance.now();
    try {
      const { answer, body } = await this.#fetch(this.request);
      this.#show(answer, body, Math.round(performance.now() - began));
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * @param {Response} answer
   * @param {string} body
   * @param {number} time
   */
  #show(answer, body, time) {
    const failure = this.reply.show(answer, body, { time, hasKey: Boolean(this.key?.value.trim()) });
    const { param } = failure?.details ?? {};
    const field = this.fields.find((field) => field.name === param);
    if (failure && field) this.#point(field, failure.message);
    else this.reply.frame.scrollIntoView({ block: "nearest" });
    if (failure?.code === "unauthorized") this.key?.focus();
  }

  /** @param {unknown} error */
  #fail(error) {
    if (error instanceof Refusal) this.#show(error.answer, error.body, 0);
    else this.reply.tell(this.words.unreachable, "bad");
  }

  /**
   * @param {Field} field
   * @param {string} text
   */
  #point(field, text) {
    const more = field.node.closest("details");
    if (more) more.open = true;
    field.showFault(text);
    field.focus();
  }

  /** @param {string} request */
  async #fetch(request) {
    const key = this.key?.value.trim() ?? "";
    if (this.key) keepKey(key === this.form.dataset.key ? "" : key);
    const answer = await fetch(findSite() + request, {
      headers: key ? { "X-API-Key": key } : {},
      cache: "no-store",
      credentials: "omit",
    });
    // Every answer of the API has it, and none of a host of files.
    if (!answer.headers.has("X-Request-Id")) throw new TypeError(answer.url);
    return { answer, body: await answer.text() };
  }

  /**
   * @template {Element} Kind
   * @param {string} selector
   * @param {new () => Kind} kind
   * @returns {Kind}
   */
  #find(selector, kind) {
    const found = this.form.querySelector(selector);
    if (!(found instanceof kind)) throw new Error(`the form has no ${selector}`);
    return found;
  }
}

/** What the server answered instead of a list that was needed. */
class Refusal extends Error {
  /**
   * @param {Response} answer
   * @param {string} body
   */
  constructor(answer, body) {
    super(String(answer.status));
    this.answer = answer;
    this.body = body;
  }
}

function readKey() {
  try {
    return sessionStorage.getItem(KEPT) ?? "";
  } catch {
    return "";
  }
}

/** @param {string} key */
function keepKey(key) {
  try {
    if (key) sessionStorage.setItem(KEPT, key);
    else sessionStorage.removeItem(KEPT);
  } catch {
    // Storage may be switched off: the key stays in its field.
  }
}
