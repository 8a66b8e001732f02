import { keepCity, readCity } from "../parts/chosen_city.js";
import { Failure } from "./api.js";
import { Chips } from "./chips.js";
import { findNow, findToday } from "./days.js";
import { element, find } from "./element.js";
import { FilterForm } from "./filter_form.js";
import { LineSearch } from "./line_search.js";
import { locatePage } from "./list_view.js";
import { makeHistory, makeListing } from "./listing_view.js";
import { MapView } from "./map_view.js";
import { mendState } from "./old_links.js";
import { Reading } from "./reading.js";
import { Results } from "./results.js";
import { changeFilters, formatState, parseState } from "./state.js";

/** @import { Body, CalendarBody, DensityBody, Item, ListBody, Metro } from "../../types/api.js" */
/** @import { Neighborhood, SearchBody, Suggestion, Version } from "../../types/api.js" */

/**
 * @typedef {import("./state.js").State} State
 */

/** What the address says is asked of the API and shown. Whatever is chosen changes the address first. */
export class Explorer {
  /**
   * @param {HTMLElement} root
   * @param {object} parts
   * @param {import("./api.js").Api} parts.api
   * @param {import("./language.js").Language} parts.language
   * @param {() => Promise<import("../query/tables.js").Languages>} parts.readTables
   * @param {import("./map_view.js").Load} parts.openMap
   */
  constructor(root, { api, language, readTables, openMap }) {
    this.readTables = readTables;
    this.root = root;
    this.api = api;
    this.language = language;
    /** @type {State} */
    this.state = parseState(location.search);
    this.isReached = false; // whether anything could be shown yet
    // What only some pages have: what takes the view elsewhere, a search, a form for a key.
    /** @type {{show: (path: string, state: State) => void} | null} */
    this.panel = null;
    /** @type {import("./search_box.js").SearchBox | null} */
    this.search = null;
    /** @type {import("./key_form.js").KeyForm | null} */
    this.keys = null;
    /** @type {Metro[]} */
    this.metros = [];
    this.view = find("view", HTMLElement);
    this.beside = find("beside", HTMLElement);
    this.status = find("status", HTMLElement);
    this.waiting = new AbortController();
    this.ways = {
      openListing: (/** @type {string} */ type, /** @type {string} */ id) =>
        this.change((state) => ({ ...state, type, listing: id })),
      locatePage: (/** @type {string} */ type, /** @type {string} */ slug) =>
        this.api.ownKey ? "" : locatePage(root, this.state.metro, type, slug),
      goTo: (/** @type {number} */ page) => this.change((state) => ({ ...state, page }), { focus: true }),
      now: () => this.now,
      locate: (/** @type {object} */ change) => formatState({ ...this.state, ...change }),
    };
    this.form = new FilterForm(this.language, {
      change: (change) => this.change(change),
      findNear: (words) => this.line.findNear(words),
      locate: () => this.line.locate(),
    });
    this.chips = new Chips(this.language, {
      change: (change) => this.change(change),
      locate: () => this.line.locate(),
      today: () => this.today,
    });
    this.map = new MapView(openMap, language, this.ways);
    const reading = new Reading(api);
    this.results = new Results(this, reading);
    this.line = new LineSearch(this, reading);
    for (const button of find("views", HTMLElement).querySelectorAll("button")) {
      button.addEventListener("click", () =>
        this.change((state) => ({ ...state, view: button.dataset.view ?? "list", listing: "" })),
      );
    }
    // The browser would go to where the page was left before there is anything to go to.
    history.scrollRestoration = "manual";
    addEventListener("popstate", (event) => this.#restore(event.state));
    addEventListener("pagehide", () => this.#keepScroll());
  }

  /**
   * @param {(state: State) => State} change
   * @param {{focus?: boolean}} [options]
   */
  change(change, { focus = false } = {}) {
    const next = change(this.state);
    const query = formatState(next);
    if (query === formatState(this.state)) return;
    if (next.metro !== this.state.metro) this.map.close();
    this.#keepScroll();
    history.pushState({ isOverResults: !this.state.listing && next.listing !== "" }, "", query);
    this.state = next;
    this.show({ focus });
  }

  get metro() {
    return this.findMetro(this.state.metro);
  }

  /** @param {string} slug of a city that the page offers */
  findMetro(slug) {
    return /** @type {Metro} */ (this.metros.find((metro) => metro.slug === slug));
  }

  /** The local date in the city. */
  get today() {
    return findToday(this.metro.timezone);
  }

  /** The local date and time in the city. */
  get now() {
    return findNow(this.metro.timezone);
  }

  #keepScroll() {
    const opened = document.activeElement?.getAttribute("href") ?? "";
    history.replaceState({ ...history.state, scroll: scrollY, opened }, "");
  }

  /**
   * Shows the view as it was left: scrolled so far, and at the listing that was opened from it.
   * @param {{scroll?: number, opened?: string} | null} left
   */
  #returnTo(left) {
    if (left?.scroll === undefined) return;
    const link = left.opened && this.view.querySelector(`a[href="${CSS.escape(left.opened)}"]`);
    if (link instanceof HTMLElement) link.focus({ preventScroll: true });
    scrollTo({ top: left.scroll, behavior: "instant" });
  }

  /** From a listing to the results: to those that it was opened from, where there are any. */
  #closeListing() {
    if (history.state?.isOverResults) history.back();
    else this.change((state) => ({ ...state, listing: "" }), { focus: true });
  }

  /** @param {{scroll?: number, opened?: string} | null} left */
  async #restore(left) {
    const state = parseState(location.search);
    const restored = { ...state, metro: state.metro || this.state.metro };
    this.state = restored;
    await this.show();
    if (this.state === restored) this.#returnTo(left);
  }

  /**
   * Shows what a suggestion of the search stands for.
   * @param {Suggestion} suggestion
   */
  follow(suggestion) {
    const { kind, type, text } = suggestion;
    const [slug, id] = [suggestion.slug ?? "", suggestion.id ?? ""];
    if (kind === "query") this.change((state) => changeFilters(state, { q: text }));
    else if (kind === "category") this.change((state) => changeFilters(state, { category: slug, q: "" }));
    else if (kind === "neighborhood") this.change((state) => changeFilters(state, { neighborhood: slug, q: "" }));
    else if (kind === "organization") this.change((state) => changeFilters(state, { organization_id: id, q: "" }));
    else this.ways.openListing(`${type}${type === "class" ? "es" : "s"}`, id);
  }

  /** Reads what every view needs; asks for a key where there is none. */
  async start() {
    this.root.hidden = false;
    if (this.keys && !this.keys.show()) return this.#askForKey("");
    try {
      this.metros = await this.#readMetros();
    } catch (error) {
      return this.#fail(error, () => this.start());
    }
    this.keys?.hide();
    find("panes", HTMLElement).hidden = false;
    this.form.fillMetros(this.metros);
    if (this.metros.length) this.#mendAddress();
    const line = new URLSearchParams(location.search).get("line")?.trim();
    await (line ? this.line.searchLine(line) : this.show());
    this.#returnTo(history.state);
  }

  /**
   * Those that the page names; a reader's own key may read others.
   * @returns {Promise<Metro[]>}
   */
  async #readMetros() {
    const { metros } = this.root.dataset;
    if (metros && !this.api.ownKey) return JSON.parse(metros);
    /** @type {Body<Metro[]>} */
    const body = await this.api.read("metros");
    return body.data.filter((metro) => metro.accessible);
  }

  /** An address that is old or wrong shows the nearest that works, and says so. */
  #mendAddress() {
    const { metros, language } = this;
    const findDay = (/** @type {Metro} */ metro) => findToday(metro.timezone);
    const { state, notes } = mendState(this.state, { metros, usual: readCity(), findToday: findDay, language });
    this.state = state;
    find("line-note", HTMLElement).textContent = notes.join(" ");
    if (notes.length) history.replaceState(history.state, "", formatState(state));
  }

  /** @param {string} why */
  #askForKey(why) {
    find("panes", HTMLElement).hidden = true;
    this.keys?.ask(why);
  }

  /** Asks for what the state says, and shows it. Whatever was being asked before is given up. */
  async show({ focus = false } = {}) {
    if (this.state.metro) keepCity(this.state.metro);
    const { is_american } = /** @type {{is_american?: boolean}} */ (this.metro ?? {});
    this.language.isAmerican = is_american ?? this.language.isAmerican;
    this.waiting.abort();
    const waiting = (this.waiting = new AbortController());
    this.form.show(this.state);
    this.chips.show(this.state, (id, value) => this.form.name(id, value));
    this.search?.show(this.state);
    this.#showViews();
    find("failure", HTMLElement).hidden = true;
    this.results.sight.disconnect();
    this.view.setAttribute("aria-busy", "true");
    this.status.textContent = this.language.say("loading");
    try {
      await (this.state.listing ? this.#showListing(waiting.signal) : this.results.show(waiting.signal));
      if (waiting.signal.aborted) return;
      this.isReached = true;
      this.root.removeAttribute("data-down");
      if (this.state.listing || this.state.view !== "list") this.beside.hidden = true;
      if (focus) {
        this.view.focus({ preventScroll: true });
        this.view.scrollIntoView({ block: "start" });
      }
    } catch (error) {
      if (!waiting.signal.aborted) this.#fail(error, () => this.show());
    } finally {
      if (this.waiting === waiting) this.view.removeAttribute("aria-busy");
    }
  }

  #showViews() {
    for (const button of find("views", HTMLElement).querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.view === this.state.view && !this.state.listing));
      button.hidden = button.dataset.view === "calendar" && this.state.type === "places";
    }
  }

  /** @param {AbortSignal} signal */
  async #showListing(signal) {
    const path = `${this.state.type}/${encodeURIComponent(this.state.listing)}`;
    /** @type {Body<Item>} */
    const body = await this.api.read(path, signal);
    if (signal.aborted) return;
    this.status.textContent = "";
    this.panel?.show(path, this.state);
    this.view.replaceChildren(makeListing(body.data, this.language, () => this.#closeListing()));
    find("listing-name", HTMLElement).focus();
    /** @type {Promise<Body<Version[]>>} */
    const read = this.api.read(`listings/${encodeURIComponent(this.state.listing)}/versions?limit=20`, signal);
    const versions = await read
      .then((answer) => answer.data)
      .catch((error) => (error instanceof Failure ? error : new Failure(0, this.language.say("unreachable"))));
    if (!signal.aborted) find("history", HTMLElement).replaceChildren(makeHistory(versions, this.language));
  }

  /**
   * @param {unknown} error
   * @param {() => void} again
   */
  #fail(error, again) {
    if (!(error instanceof Failure)) throw error;
    if (error.status === 401) {
      const word = this.keys?.hasOwn ? "key_refused" : "visitors_key_refused";
      this.keys?.forget();
      return this.#askForKey(this.language.say(word));
    }
    const failure = find("failure", HTMLElement);
    const isGone = error.status === 404 && this.state.listing !== "";
    const goOn = isGone ? () => this.change((state) => ({ ...state, listing: "" }), { focus: true }) : again;
    const parts = [
      element("p", {}, this.#explain(error)),
      element("button", { type: "button", onclick: goOn }, this.language.say(isGone ? "back" : "again")),
      // Who writes conditions reads what the server says of them.
      error.status !== 0 && this.#makeDetails(error.message, this.state.filters.has("where")),
    ];
    failure.replaceChildren(...parts.filter((part) => part instanceof Node));
    failure.hidden = false;
    // What failed has no answer to ask for again, and where nothing answers no control has an effect.
    find("request", HTMLElement).hidden = true;
    find("panes", HTMLElement).hidden = false;
    this.root.toggleAttribute("data-down", !this.metros.length || (error.status === 0 && !this.isReached));
    this.status.textContent = "";
    this.view.replaceChildren();
  }

  /**
   * The server's own words, which are English.
   * @param {string} text
   * @param {boolean} isOpen
   */
  #makeDetails(text, isOpen) {
    const summary = element("summary", {}, this.language.say("details"));
    return element(
      "details",
      { open: isOpen },
      summary,
      element("p", { class: "note", lang: "en", dir: "auto" }, text),
    );
  }

  /**
   * In the page's own words; those of the API, which are English, are among the details.
   * @param {Failure} error
   */
  #explain(error) {
    if (error.status === 0) return this.language.say("unreachable");
    if (error.status === 429) return this.language.say("too_many", { seconds: error.wait });
    if (error.status === 404 && this.state.listing) return this.language.say("gone");
    return this.language.say(error.status >= 500 ? "unavailable" : "refused");
  }
}
