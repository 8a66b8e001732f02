import { element, find } from "./element.js";
import { requestSuggestions } from "./requests.js";

/** @import { Body, Suggestion } from "../../types/api.js" */

/**
 * @typedef {import("./state.js").State} State
 * @typedef {import("./language.js").Language} Language
 */

// At most three requests a second, however fast somebody types.
const PAUSE = 334;

/** Search with suggestions: a combo box as WAI-ARIA describes it. */
export class SearchBox {
  /**
   * @param {import("./api.js").Api} api
   * @param {Language} language
   * @param {{state: () => State, search: (q: string) => void, choose: (suggestion: Suggestion) => void}} page
   */
  constructor(api, language, page) {
    this.api = api;
    this.language = language;
    this.page = page;
    this.input = find("q", HTMLInputElement);
    this.list = find("suggestions", HTMLUListElement);
    this.form = find("search", HTMLFormElement);
    /** @type {Suggestion[]} */
    this.suggestions = [];
    this.active = -1;
    this.asked = 0;
    this.timer = 0;
    this.waiting = new AbortController();
    this.input.addEventListener("input", () => this.#plan());
    this.input.addEventListener("keydown", (event) => this.#press(event));
    this.input.addEventListener("blur", () => setTimeout(() => this.#close(), 150)); // after a click on a suggestion
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#close();
      // The keyboard of a telephone covers the results, and the next tab stop is the first of them.
      find("view", HTMLElement).focus({ preventScroll: true });
      this.page.search(this.input.value.trim());
    });
  }

  /** @param {State} state */
  show(state) {
    if (document.activeElement !== this.input) this.input.value = state.filters.get("q") ?? "";
  }

  #plan() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#ask(), Math.max(0, this.asked + PAUSE - performance.now()));
  }

  async #ask() {
    const q = this.input.value.trim();
    if (!q) return this.#close();
    this.asked = performance.now();
    this.waiting.abort();
    const { signal } = (this.waiting = new AbortController());
    try {
      /** @type {Body<Suggestion[]>} */
      const body = await this.api.read(requestSuggestions(this.page.state(), q), signal);
      if (document.activeElement === this.input) this.#show(body.data);
    } catch {
      if (!signal.aborted) this.#close(); // a search works without suggestions
    }
  }

  /** @param {Suggestion[]} suggestions */
  #show(suggestions) {
    this.suggestions = suggestions;
    this.active = -1;
    this.list.replaceChildren(
      ...suggestions.map((suggestion, at) =>
        element(
          "li",
          {
            id: `suggestion-${at}`,
            role: "option",
            "aria-selected": "false",
            onmousedown: (event) => event.preventDefault(),
            onclick: () => this.#choose(at),
          },
          element(
            "bdi",
            {},
            suggestion.kind === "category" ? this.language.name(suggestion.slug ?? "") : suggestion.text,
          ),
          " ",
          element(
            "span",
            { class: "kind" },
            this.language.name((suggestion.kind === "listing" && suggestion.type) || suggestion.kind),
          ),
        ),
      ),
    );
    this.list.hidden = suggestions.length === 0;
    this.input.setAttribute("aria-expanded", String(suggestions.length > 0));
    this.input.removeAttribute("aria-activedescendant");
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (this.list.hidden) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const count = this.suggestions.length;
      this.#activate((this.active + (event.key === "ArrowDown" ? 1 : this.active < 0 ? 0 : -1) + count) % count);
    } else if (event.key === "Enter" && this.active >= 0) {
      event.preventDefault();
      this.#choose(this.active);
    } else if (event.key === "Escape") {
      event.preventDefault();
      this.#close();
    }
  }

  /** @param {number} at */
  #activate(at) {
    this.active = at;
    for (const [number, option] of [...this.list.children].entries())
      option.setAttribute("aria-selected", String(number === at));
    this.list.children[at].scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", `suggestion-${at}`);
  }

  /** @param {number} at */
  #choose(at) {
    const chosen = this.suggestions[at];
    this.#close();
    this.input.value = "";
    this.page.choose(chosen);
  }

  #close() {
    clearTimeout(this.timer);
    this.waiting.abort();
    this.#show([]);
  }
}
