import { find } from "./element.js";

/** Asks for a key where there is none, and keeps the reader's own. */
export class KeyForm {
  /**
   * @param {import("./api.js").Api} api
   * @param {() => void} start
   */
  constructor(api, start) {
    this.api = api;
    this.form = find("key-form", HTMLFormElement);
    this.input = find("key", HTMLInputElement);
    this.forgetting = find("key-forget", HTMLButtonElement);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.api.keepKey(this.input.value.trim());
      start();
    });
    this.forgetting.addEventListener("click", () => {
      this.forget();
      this.input.value = "";
      start();
    });
  }

  /** Returns whether there is a key. */
  show() {
    this.forgetting.hidden = !this.api.ownKey;
    return Boolean(this.api.key);
  }

  /** Whether the key is the reader's, and not that of the site. */
  get hasOwn() {
    return Boolean(this.api.ownKey);
  }

  hide() {
    this.form.hidden = true;
  }

  /** @param {string} why */
  ask(why) {
    this.form.hidden = false;
    if (why) find("key-why", HTMLElement).textContent = why;
    this.input.focus();
  }

  forget() {
    this.api.keepKey("");
  }
}
