import { Failure } from "./api.js";
import { encodeCsv, saveFile } from "./csv.js";
import { find } from "./element.js";
import { MOST_ROWS, requestAddress, requestRows } from "./requests.js";
import { EVERY_TYPE } from "./state.js";

/** @typedef {import("./state.js").State} State */

const CSV_FIELDS = [
  "name",
  "starts_local",
  "ends_local",
  "starts_on",
  "ends_on",
  "term.starts_on",
  "term.ends_on",
  "schedule.days",
  "ages.min",
  "ages.max",
  "price.is_free",
  "price.min",
  "price.max",
  "place.name",
  "location.address",
  "location.neighborhood",
  "location.lat",
  "location.lng",
  "organization.name",
  "categories",
  "updated_at",
];
/** @type {Record<string, string[]>} */
const NOT_OF = {
  events: ["starts_on", "ends_on", "term.starts_on", "term.ends_on", "schedule.days"],
  classes: ["starts_local", "ends_local", "starts_on", "ends_on"],
  camps: ["starts_local", "ends_local", "term.starts_on", "term.ends_on", "schedule.days"],
  places: [
    "starts_local",
    "ends_local",
    "starts_on",
    "ends_on",
    "term.starts_on",
    "term.ends_on",
    "schedule.days",
    "price.is_free",
    "price.min",
    "price.max",
    "place.name",
  ],
};

/** The request behind the view, and other ways to the same data. */
export class RequestPanel {
  /**
   * @param {import("./api.js").Api} api
   * @param {import("./language.js").Language} language
   * @param {() => State} state
   */
  constructor(api, language, state) {
    this.api = api;
    this.language = language;
    this.state = state;
    this.note = find("request-note", HTMLElement);
    this.#act("csv", () => this.#saveCsv());
    this.#act("subscribe", () => this.#subscribe());
  }

  /**
   * @param {string} path
   * @param {State} state
   */
  show(path, state) {
    this.note.textContent = "";
    find("request", HTMLElement).hidden = false;
    const key = this.api.ownKey ? "$KEY" : this.api.key || "$KEY";
    const command = `curl -H "X-API-Key: ${key}" \\\n  "${this.api.locate(path)}"`;
    find("request-curl", HTMLElement).textContent = command;
    find("subscribe", HTMLButtonElement).hidden = state.type !== "events" || state.filters.has("where");
    find("csv", HTMLButtonElement).hidden = state.type === EVERY_TYPE;
    find("subscribe-link", HTMLAnchorElement).hidden = true;
  }

  /**
   * Does what a button is for, and shows the text that comes of it.
   * @param {string} id
   * @param {() => Promise<string>} act
   */
  #act(id, act) {
    const button = find(id, HTMLButtonElement);
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        this.note.textContent = await act();
      } catch (error) {
        this.note.textContent =
          error instanceof Failure && error.status ? error.message : this.language.say("unreachable");
      }
      button.disabled = false;
      button.focus();
    });
  }

  /** Saves what the view shows, as far as the map reads. */
  async #saveCsv() {
    const state = this.state();
    const fields = CSV_FIELDS.filter((name) => !NOT_OF[state.type].includes(name));
    const { rows, isWhole } = await this.api.readRows(requestRows(state, fields), MOST_ROWS);
    saveFile(`${state.metro}-${state.type}.csv`, encodeCsv(["id", ...fields], rows));
    return this.language.say(isWhole ? "saved" : "saved_part", { count: rows.length });
  }

  /** The address is shown, to be pasted into a calendar program; a link beside it opens the one of this machine. */
  async #subscribe() {
    /** @type {import("../../types/api.js").Body<import("../../types/api.js").Address>} */
    const body = await this.api.read(requestAddress(this.state()));
    const { href } = new URL(body.data.url, this.api.base);
    const link = find("subscribe-link", HTMLAnchorElement);
    link.href = href.replace(/^https?:/, "webcal:");
    link.hidden = false;
    return href;
  }
}
