import { findToday } from "./days.js";
import { find } from "./element.js";
import { parseLine } from "./line.js";
import { findSpot, locateVisitor } from "./location.js";
import { changeFilters, changeType, EVERY_TYPE, listFilters } from "./state.js";

/** @import { Metro } from "../../types/api.js" */

// Filters of yes or no that a city may say of none of its listings.
const STATED = ["indoor", "outdoor", "sensory", "openings"];

/** Turns a line of words, or the name of a place, into filters. */
export class LineSearch {
  /**
   * @param {import("./explorer.js").Explorer} explorer
   * @param {import("./reading.js").Reading} reading
   */
  constructor(explorer, reading) {
    this.explorer = explorer;
    this.reading = reading;
    this.api = explorer.api;
    this.language = explorer.language;
  }

  /**
   * Searches by a line of words: what the API can filter by becomes filters, the rest is searched for.
   * @param {string} line
   */
  async searchLine(line) {
    const languages = await this.explorer.readTables();
    const tables = languages.read(languages.choose(line, this.language.code));
    const { metro: slug, line: words } = this.#takeMetro(line, tables.line.in);
    const metro = this.explorer.findMetro(slug);
    const { filters, stated, type, near, isHere, q } = parseLine(words, {
      today: findToday(metro.timezone),
      isSouthern: metro.bounds.north < 0,
      tables,
    });
    const base = {
      ...this.explorer.state,
      metro: slug,
      type: type || this.explorer.state.type,
      filters: slug === this.explorer.state.metro ? this.explorer.state.filters : new Map(),
    };
    const left = [q];
    /** @type {string[]} */
    const notes = [];
    for (const name of STATED.filter((stated) => filters[stated])) {
      const wanted = { ...base, filters: new Map(Object.entries(filters)) };
      if (await this.reading.isStated(wanted, name)) continue;
      delete filters[name];
      left.push(stated[name]);
      notes.push(this.language.say("unstated", { what: this.language.say(name) }));
    }
    /** @type {Record<string, string>} */
    let spot = isHere ? await this.#findVisitor(notes) : {};
    if (near) {
      this.#say(this.language.say("loading"));
      const found = await this.#findSpot(near, metro);
      spot = found?.spot ?? {};
      left.push(found ? found.rest : near);
    }
    this.#say(notes.join(" "));
    this.explorer.change(() => {
      const names = Object.keys({ ...filters, ...spot });
      const fitting = names.every((name) => listFilters(base.type).includes(name))
        ? base
        : changeType(base, EVERY_TYPE);
      return changeFilters(fitting, { ...filters, ...spot, q: left.filter(Boolean).join(" ") });
    });
  }

  /**
   * The city that the line names, and the line without it.
   * @param {string} line
   * @param {string} before a regular expression of what stands before its name
   */
  #takeMetro(line, before) {
    for (const { slug, name } of this.explorer.metros) {
      const spelled = name.replace(/[^\p{L}\p{N}]+/gu, "[^\\p{L}\\p{N}]+");
      const pattern = new RegExp(`(?:^|[\\s,])(?:${before})?\\s*${spelled}(?=$|[\\s,])`, "iu");
      if (pattern.test(line)) return { metro: slug, line: line.replace(pattern, " ") };
    }
    return { metro: this.explorer.state.metro, line };
  }

  /** @param {string} text */
  #say(text) {
    for (const id of ["line-note", "near-note"]) find(id, HTMLElement).textContent = text;
  }

  /**
   * @param {string} words
   * @param {Metro} metro
   */
  async #findSpot(words, metro) {
    return findSpot(words, {
      api: this.api,
      metro,
      areas: await this.reading.readAreas(metro.slug, new AbortController().signal),
    });
  }

  /** @param {string} words */
  async findNear(words) {
    const found = await this.#findSpot(words, this.explorer.metro).catch(() => null);
    this.#say(found ? "" : this.language.say("near_none", { words }));
    if (found) this.explorer.change((state) => changeFilters(state, found.spot));
  }

  /**
   * Where the visitor is. If the browser does not say so, a note does.
   * @param {string[]} notes
   * @returns {Promise<Record<string, string>>}
   */
  async #findVisitor(notes) {
    this.#say(this.language.say("locating"));
    return locateVisitor(this.language.say("my_place")).catch(() => {
      notes.push(this.language.say("near_denied"));
      return {};
    });
  }

  async locate() {
    /** @type {string[]} */
    const notes = [];
    const spot = await this.#findVisitor(notes);
    this.#say(notes.join(" "));
    this.explorer.change((state) => changeFilters(state, spot));
  }
}
