// The explorer: what the address says is asked of the API and shown. Whatever is chosen changes the address first.
import { Api, Failure } from "./explorer/api.js";
import { findWindow, makeCalendar } from "./explorer/calendar_view.js";
import { findToday } from "./explorer/days.js";
import { element, find } from "./explorer/element.js";
import { FilterForm } from "./explorer/filter_form.js";
import { Language } from "./explorer/language.js";
import { makeList } from "./explorer/list_view.js";
import { makeHistory, makeListing } from "./explorer/listing_view.js";
import { MapView } from "./explorer/map_view.js";
import { RequestPanel } from "./explorer/request_panel.js";
import { MOST_ROWS, listsDates, requestCalendar, requestCount, requestList, requestRows } from "./explorer/requests.js";
import { SearchBox } from "./explorer/search_box.js";
import { changeFilters, formatState, parseState } from "./explorer/state.js";

/** @typedef {import("./explorer/state.js").State} State */

const MAP_FIELDS = ["name", "location.lat", "location.lng"];

class Explorer {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.api = new Api(root.dataset.api ?? "", root.dataset.key ?? "");
    this.language = new Language(root.dataset.language ?? "en", JSON.parse(root.dataset.words ?? "{}"));
    /** @type {State} */
    this.state = parseState(location.search);
    /** @type {any[]} */
    this.metros = [];
    /** @type {Map<string, any[]>} neighborhoods by metro */
    this.areas = new Map();
    this.view = find("view", HTMLElement);
    this.status = find("status", HTMLElement);
    this.waiting = new AbortController();
    this.ways = {
      openListing: (/** @type {string} */ type, /** @type {string} */ id) => this.change((state) => ({ ...state, type, listing: id })),
      goTo: (/** @type {number} */ page) => this.change((state) => ({ ...state, page }), { focus: true }),
      locate: (/** @type {object} */ change) => formatState({ ...this.state, ...change }),
    };
    this.form = new FilterForm(this.language, (change) => this.change(change));
    this.panel = new RequestPanel(this.api, this.language, () => this.state);
    this.search = new SearchBox(this.api, this.language, {
      state: () => this.state,
      search: (q) => this.change((state) => changeFilters(state, { q })),
      choose: (suggestion) => this.#follow(suggestion),
    });
    this.map = new MapView(root.dataset.map ?? "", this.language, this.ways);
    for (const button of find("views", HTMLElement).querySelectorAll("button")) {
      button.addEventListener("click", () => this.change((state) => ({ ...state, view: button.dataset.view ?? "list", listing: "" })));
    }
    this.#startKeyForm();
    if (matchMedia("(max-width: 55rem)").matches) find("filters-frame", HTMLDetailsElement).open = false;
    addEventListener("popstate", () => {
      this.state = { ...parseState(location.search), metro: parseState(location.search).metro || this.state.metro };
      this.show();
    });
  }

  /**
   * @param {(state: State) => State} change
   * @param {{focus?: boolean}} [options]
   */
  change(change, { focus = false } = {}) {
    const next = change(this.state);
    const address = formatState(next);
    if (address === formatState(this.state)) return;
    if (next.metro !== this.state.metro) this.map.close();
    this.state = next;
    history.pushState(null, "", address);
    this.show({ focus });
  }

  /** @param {any} suggestion */
  #follow(suggestion) {
    const { kind, slug, id, type } = suggestion;
    if (kind === "category") this.change((state) => changeFilters(state, { category: slug, q: "" }));
    else if (kind === "neighborhood") this.change((state) => changeFilters(state, { neighborhood: slug, q: "" }));
    else if (kind === "organization") this.change((state) => changeFilters(state, { organization_id: id, q: "" }));
    else this.ways.openListing(`${type}${type === "class" ? "es" : "s"}`, id);
  }

  #startKeyForm() {
    const form = find("key-form", HTMLFormElement);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.api.keepKey(find("key", HTMLInputElement).value.trim());
      this.start();
    });
    find("key-forget", HTMLButtonElement).addEventListener("click", () => {
      this.api.keepKey("");
      find("key", HTMLInputElement).value = "";
      this.start();
    });
  }

  /** Reads what every view needs; asks for a key where there is none. */
  async start() {
    this.root.hidden = false;
    find("key-forget", HTMLButtonElement).hidden = !this.api.ownKey;
    if (!this.api.key) return this.#askForKey("");
    try {
      const body = await this.api.read("metros");
      this.metros = body.data.filter((/** @type {any} */ metro) => metro.accessible);
    } catch (error) {
      return this.#fail(error, () => this.start());
    }
    find("key-form", HTMLFormElement).hidden = true;
    find("panes", HTMLElement).hidden = false;
    this.form.fillMetros(this.metros);
    if (!this.metros.some((metro) => metro.slug === this.state.metro)) this.state.metro = this.metros[0]?.slug ?? "";
    await this.show();
  }

  /** @param {string} why */
  #askForKey(why) {
    find("panes", HTMLElement).hidden = true;
    find("key-form", HTMLFormElement).hidden = false;
    if (why) find("key-why", HTMLElement).textContent = why;
    find("key", HTMLInputElement).focus();
  }

  /** Asks for what the state says, and shows it. Whatever was being asked before is given up. */
  async show({ focus = false } = {}) {
    this.waiting.abort();
    const waiting = (this.waiting = new AbortController());
    this.form.show(this.state);
    this.search.show(this.state);
    this.#showViews();
    find("failure", HTMLElement).hidden = true;
    this.view.setAttribute("aria-busy", "true");
    this.status.textContent = this.language.say("loading");
    try {
      await (this.state.listing ? this.#showListing(waiting.signal) : this.#showResults(waiting.signal));
      if (waiting.signal.aborted) return;
      if (focus) this.view.focus();
    } catch (error) {
      if (!waiting.signal.aborted) this.#fail(error, () => this.show());
    } finally {
      if (this.waiting === waiting) this.view.removeAttribute("aria-busy");
    }
  }

  #showViews() {
    for (const button of find("views", HTMLElement).querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.view === this.state.view && !this.state.listing));
      button.hidden = button.dataset.view === "calendar" && this.state.type !== "events";
    }
  }

  /** @param {AbortSignal} signal */
  async #showResults(signal) {
    const { state } = this;
    const metro = this.metros.find((each) => each.slug === state.metro);
    const [body, once, areas, shown] = await Promise.all([
      this.api.read(requestList(state), signal),
      listsDates(state) ? this.api.read(requestCount(state), signal) : null,
      this.#readAreas(state.metro, signal),
      state.view === "list" ? null : this.#readView(state, metro, signal),
    ]);
    if (signal.aborted) return;
    this.form.showTypes(metro.counts);
    this.form.fillNeighborhoods(areas);
    this.form.showCounts(body.facets, state);
    const { total } = body.facets;
    this.status.textContent = once && once.facets.total !== total
      ? this.language.say("events_on_dates", {
          events: this.language.plural("events", once.facets.total),
          dates: this.language.plural("dates", total),
        })
      : this.language.plural(state.type, total);
    this.status.dataset.total = String(total);
    if (shown === null) {
      this.view.replaceChildren(makeList(body, state, this.language, this.ways));
      this.panel.show(requestList(state), state);
    } else if (state.view === "calendar") {
      this.view.replaceChildren(makeCalendar(shown.answer, state, this.language, (day) => this.#chooseDay(day)));
      this.panel.show(shown.path, state);
    } else {
      this.panel.show(shown.path, state);
      const outlined = areas.filter((area) => area.bounds !== null);
      await this.map.show(this.view, shown.answer, { type: state.type, total: body.facets.total, metro, areas: outlined });
    }
  }

  /**
   * What a view shows beside the list's counts.
   * @param {State} state
   * @param {any} metro
   * @param {AbortSignal} signal
   */
  async #readView(state, metro, signal) {
    if (state.view === "calendar") {
      const path = requestCalendar(state, findWindow(state, findToday(metro.timezone)));
      return { path, answer: await this.api.read(path, signal) };
    }
    const path = requestRows(state, MAP_FIELDS);
    return { path, answer: await this.api.readRows(path, MOST_ROWS, signal) };
  }

  /** @param {string} day */
  #chooseDay(day) {
    const isChosen = this.state.filters.get("from") === day && this.state.filters.get("to") === day;
    this.change((state) => changeFilters(state, isChosen ? { from: "", to: "" } : { from: day, to: day }));
  }

  /**
   * @param {string} metro
   * @param {AbortSignal} signal
   * @returns {Promise<any[]>}
   */
  async #readAreas(metro, signal) {
    const known = this.areas.get(metro);
    if (known) return known;
    const body = await this.api.read(`${encodeURIComponent(metro)}/neighborhoods?limit=200`, signal);
    this.areas.set(metro, body.data);
    return body.data;
  }

  /** @param {AbortSignal} signal */
  async #showListing(signal) {
    const path = `${this.state.type}/${encodeURIComponent(this.state.listing)}`;
    const body = await this.api.read(path, signal);
    if (signal.aborted) return;
    this.status.textContent = "";
    this.panel.show(path, this.state);
    this.view.replaceChildren(
      makeListing(body.data, this.language, () => this.change((state) => ({ ...state, listing: "" }), { focus: true })),
    );
    find("listing-name", HTMLElement).focus();
    const versions = await this.api
      .read(`listings/${encodeURIComponent(this.state.listing)}/versions?limit=20`, signal)
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
      this.api.keepKey("");
      return this.#askForKey(this.language.say("key_refused"));
    }
    const message =
      error.status === 0
        ? this.language.say("unreachable")
        : error.status === 429
          ? this.language.say("too_many", { seconds: error.wait })
          : error.message;
    const failure = find("failure", HTMLElement);
    failure.replaceChildren(
      element("p", { dir: "auto" }, message),
      element("button", { type: "button", onclick: again }, this.language.say("again")),
    );
    failure.hidden = false;
    find("panes", HTMLElement).hidden = false;
    this.status.textContent = "";
    this.view.replaceChildren();
  }
}

new Explorer(find("explorer", HTMLElement)).start();
