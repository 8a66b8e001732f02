import { Failure } from "./api.js";
import { encodeCsv, saveFile } from "./csv.js";
import { find } from "./element.js";
import { MOST_ROWS, requestRows } from "./requests.js";

/**
 * @typedef {import("./state.js").State} State
 * @typedef {import("./language.js").Language} Language
 */

const CSV_FIELDS = [
  "name", "starts_local", "ends_local", "starts_on", "ends_on", "term.starts_on", "term.ends_on", "schedule.days",
  "ages.min", "ages.max", "price.is_free", "price.min", "price.max", "place.name", "location.address",
  "location.neighborhood", "location.lat", "location.lng", "organization.name", "categories", "updated_at",
];
/** @type {Record<string, string[]>} */
const NOT_OF = {
  events: ["starts_on", "ends_on", "term.starts_on", "term.ends_on", "schedule.days"],
  classes: ["starts_local", "ends_local", "starts_on", "ends_on"],
  camps: ["starts_local", "ends_local", "term.starts_on", "term.ends_on", "schedule.days"],
  places: ["starts_local", "ends_local", "starts_on", "ends_on", "term.starts_on", "term.ends_on", "schedule.days",
    "price.is_free", "price.min", "price.max", "place.name"],
};

/** Saves what the view shows, as far as the map reads. */
export class SaveButton {
  /**
   * @param {import("./explorer.js").Source} source
   * @param {Language} language
   * @param {() => State} state
   */
  constructor(source, language, state) {
    this.source = source;
    this.language = language;
    this.state = state;
    this.note = find("request-note", HTMLElement);
    this.act("csv", () => this.#saveCsv());
  }

  /**
   * Another view has nothing to tell.
   * @param {string} _path of the request behind it
   * @param {State} _state
   */
  show(_path, _state) {
    this.note.textContent = "";
  }

  /**
   * What a button does, and then says.
   * @param {string} id
   * @param {() => Promise<string>} act
   */
  act(id, act) {
    const button = find(id, HTMLButtonElement);
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        this.note.textContent = await act();
      } catch (error) {
        this.note.textContent = error instanceof Failure && error.status ? error.message : this.language.say("unreachable");
      }
      button.disabled = false;
      button.focus();
    });
  }

  async #saveCsv() {
    const state = this.state();
    const fields = CSV_FIELDS.filter((name) => !NOT_OF[state.type].includes(name));
    const { rows, isWhole } = await this.source.readRows(requestRows(state, fields), MOST_ROWS);
    saveFile(`${state.metro}-${state.type}.csv`, encodeCsv(["id", ...fields], rows));
    return this.language.say(isWhole ? "saved" : "saved_part", { count: rows.length });
  }
}
