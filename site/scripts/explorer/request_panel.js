import { find } from "./element.js";
import { requestAddress } from "./requests.js";
import { SaveButton } from "./save_button.js";

/** @typedef {import("./state.js").State} State */

/** The request behind the view, and other ways to the same data. */
export class RequestPanel extends SaveButton {
  /**
   * @param {import("./api.js").Api} api
   * @param {import("./language.js").Language} language
   * @param {() => State} state
   */
  constructor(api, language, state) {
    super(api, language, state);
    this.api = api;
    this.act("subscribe", () => this.#subscribe());
  }

  /**
   * @param {string} path
   * @param {State} state
   */
  show(path, state) {
    super.show(path, state);
    const key = this.api.ownKey ? "$KEY" : this.api.key || "$KEY";
    const command = `curl -H "X-API-Key: ${key}" \\\n  "${this.api.locate(path)}"`;
    find("request-curl", HTMLElement).textContent = command;
    find("subscribe", HTMLButtonElement).hidden = state.type !== "events";
    find("subscribe-link", HTMLAnchorElement).hidden = true;
  }

  /** The address is shown, to be pasted into a calendar program; a link beside it opens the one of this machine. */
  async #subscribe() {
    const body = await this.api.read(requestAddress(this.state()));
    const { href } = new URL(body.data.url, this.api.base);
    const link = find("subscribe-link", HTMLAnchorElement);
    link.href = href.replace(/^https?:/, "webcal:");
    link.hidden = false;
    return href;
  }
}
