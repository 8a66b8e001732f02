import { Failure } from "./api.js";
import { findWindow, makeCalendar } from "./calendar_view.js";
import { findToday } from "./days.js";
import { element, find } from "./element.js";
import { FilterForm } from "./filter_form.js";
import { COLLECTIONS, makeList } from "./list_view.js";
import { makeHistory, makeListing } from "./listing_view.js";
import { MOST_NEAR, MOST_POINTS, MapView } from "./map_view.js";
import { makeMatches } from "./matches_view.js";
import {
  listsDates, requestCalendar, requestCount, requestDensity, requestList, requestListings, requestMatches, requestNear,
  requestRows,
} from "./requests.js";
import { TYPES, changeFilters, changeType, formatState, parseState } from "./state.js";

/**
 * @typedef {import("./state.js").State} State
 */

const MAP_FIELDS = ["name", "location.lat", "location.lng"];

/** What the address says is asked of the API and shown. Whatever is chosen changes the address first. */
export class Explorer {
  /**
   * @param {HTMLElement} root
   * @param {object} parts
   * @param {import("./api.js").Api} parts.api
   * @param {import("./language.js").Language} parts.language
   * @param {() => Promise<{openMap: Function}>} parts.openMap
   */
  constructor(root, { api, language, openMap }) {
    this.root = root;
    this.api = api;
    this.language = language;
    /** @type {State} */
    this.state = parseState(location.search);
    // What only some pages have: what takes the view elsewhere, a search, a form for a key.
    /** @type {{show: (path: string, state: State) => void} | null} */
    this.panel = null;
    /** @type {import("./search_box.js").SearchBox | null} */
    this.search = null;
    /** @type {import("./key_form.js").KeyForm | null} */
    this.keys = null;
    /** @type {any[]} */
    this.metros = [];
    /** @type {Map<string, any[]>} neighborhoods by metro */
    this.areas = new Map();
    /** @type {Map<string, number>} how many listings a request found, of those beside the kinds */
    this.totals = new Map();
    this.view = find("view", HTMLElement);
    this.status = find("status", HTMLElement);
    this.waiting = new AbortController();
    this.ways = {
      openListing: (/** @type {string} */ type, /** @type {string} */ id) => this.change((state) => ({ ...state, type, listing: id })),
      clear: () => this.change((state) => ({ ...state, filters: new Map(), page: 1, listing: "" }), { focus: true }),
      goTo: (/** @type {number} */ page) => this.change((state) => ({ ...state, page }), { focus: true }),
      locate: (/** @type {object} */ change) => formatState({ ...this.state, ...change }),
    };
    this.form = new FilterForm(this.language, (change) => this.change(change));
    this.map = new MapView(openMap, language, this.ways);
    for (const button of find("views", HTMLElement).querySelectorAll("button")) {
      button.addEventListener("click", () => this.change((state) => ({ ...state, view: button.dataset.view ?? "list", listing: "" })));
    }
    if (matchMedia("(max-width: 55rem)").matches) find("filters-frame", HTMLDetailsElement).open = false;
    // The browser would go to where the page was left before there is anything to go to.
    history.scrollRestoration = "manual";
    addEventListener("popstate", (event) => this.#restore(event.state?.scroll));
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

  #keepScroll() {
    history.replaceState({ ...history.state, scroll: scrollY }, "");
  }

  /** From a listing to the results: to those that it was opened from, where there are any. */
  #closeListing() {
    if (history.state?.isOverResults) history.back();
    else this.change((state) => ({ ...state, listing: "" }), { focus: true });
  }

  /**
   * Shows what an address of before says as it was left: scrolled so far, and at the listing that was open since.
   * @param {number | undefined} scroll pixels; undefined where the page was never left
   */
  async #restore(scroll) {
    const { listing, metro } = this.state;
    const state = parseState(location.search);
    const restored = (this.state = { ...state, metro: state.metro || metro });
    await this.show();
    if (this.state !== restored || scroll === undefined) return;
    if (listing) /** @type {HTMLElement | null} */ (this.view.querySelector(`a[href*="listing=${CSS.escape(listing)}"]`))?.focus();
    scrollTo({ top: scroll, behavior: "instant" });
  }

  /**
   * Shows what a suggestion of the search stands for.
   * @param {any} suggestion
   */
  follow(suggestion) {
    const { kind, slug, id, type, text } = suggestion;
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
      const body = await this.api.read("metros");
      this.metros = body.data.filter((/** @type {any} */ metro) => metro.accessible);
    } catch (error) {
      return this.#fail(error, () => this.start());
    }
    this.keys?.hide();
    find("panes", HTMLElement).hidden = false;
    this.form.fillMetros(this.metros);
    if (!this.metros.some((metro) => metro.slug === this.state.metro)) this.state.metro = this.metros[0]?.slug ?? "";
    await this.show();
    if (history.state?.scroll) scrollTo({ top: history.state.scroll, behavior: "instant" });
  }

  /** @param {string} why */
  #askForKey(why) {
    find("panes", HTMLElement).hidden = true;
    this.keys?.ask(why);
  }

  /** Asks for what the state says, and shows it. Whatever was being asked before is given up. */
  async show({ focus = false } = {}) {
    this.waiting.abort();
    const waiting = (this.waiting = new AbortController());
    this.form.show(this.state);
    this.search?.show(this.state);
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
    const listed = this.api.read(requestList(state), signal);
    const [body, once, areas, shown, matches] = await Promise.all([
      listed,
      listsDates(state) ? this.api.read(requestCount(state), signal) : null,
      this.#readAreas(state.metro, signal),
      state.view === "list" ? null : this.#readView(state, metro, listed, signal),
      this.#readMatches(state, signal),
    ]);
    if (signal.aborted) return;
    this.form.fillNeighborhoods(areas);
    this.form.showCounts(body.facets, state);
    const { total } = body.facets;
    this.#countTypes(state, metro, (once ?? body).facets.total, signal);
    this.status.textContent = once && once.facets.total !== total
      ? this.language.say("events_on_dates", {
          events: this.language.plural("events", once.facets.total),
          dates: this.language.plural("dates", total),
        })
      : this.language.plural(state.type, total);
    this.status.dataset.total = String(total);
    if (shown === null) {
      const list = makeList(body, state, this.language, this.ways);
      this.view.replaceChildren(...(matches ? makeMatches(matches.body, matches.listings, this.language, this.ways) : []), list);
      this.panel?.show(requestList(state), state);
    } else if (state.view === "calendar") {
      this.view.replaceChildren(makeCalendar(shown.answer, state, this.language, (day) => this.#chooseDay(day)));
      this.panel?.show(shown.path, state);
    } else {
      this.panel?.show(shown.path, state);
      const outlined = areas.filter((area) => area.bounds !== null);
      await this.map.show(this.view, shown.answer, {
        type: state.type, total, metro, areas: outlined, first: body.data,
        readNear: (circle, signal) => this.api.readRows(requestNear(state, MAP_FIELDS, circle), MOST_NEAR, signal),
      });
    }
  }

  /**
   * Beside each collection, how many listings of it the filters find: without a filter, what the city has. The others are
   * asked for words alone, since each change of a filter would take three requests more of the visitors' rate. The view
   * does not wait for these numbers.
   * @param {State} state
   * @param {any} metro
   * @param {number} listed of the state's own collection
   * @param {AbortSignal} signal
   */
  async #countTypes(state, metro, listed, signal) {
    if (state.filters.size === 0) return this.form.showTypes(metro.counts);
    this.form.showTypes({ [state.type]: listed });
    if (!state.filters.has("q")) return;
    this.totals.set(requestCount(state), listed);
    const counts = await Promise.all(TYPES.map(async (type) => [type, await this.#countType(changeType(state, type), signal)]));
    if (!signal.aborted) this.form.showTypes(Object.fromEntries(counts));
  }

  /**
   * How many listings the state finds, asked once: turning a page or choosing another kind asks nothing anew. Undefined
   * where the request fails.
   * @param {State} state
   * @param {AbortSignal} signal
   * @returns {Promise<number | undefined>}
   */
  async #countType(state, signal) {
    const path = requestCount(state);
    if (!this.totals.has(path)) {
      const body = await this.api.read(path, signal).catch(() => null);
      if (!body) return undefined;
      this.totals.set(path, body.facets.total);
    }
    return this.totals.get(path);
  }

  /**
   * What a search finds for the words, with its listings by id: null where there are no words, or none that decides.
   * @param {State} state
   * @param {AbortSignal} signal
   */
  async #readMatches(state, signal) {
    if (state.view !== "list" || state.page > 1 || !state.filters.has("q")) return null;
    const body = await this.api.read(requestMatches(state), signal).catch((error) => {
      if (error instanceof Failure && error.status === 400) return null;
      throw error;
    });
    if (!body?.data.length) return null;
    /** @type {Map<string, string[]>} */
    const ids = new Map();
    for (const { type, id } of body.data) ids.set(COLLECTIONS[type], [...(ids.get(COLLECTIONS[type]) ?? []), id]);
    const answers = await Promise.all(
      [...ids].map(([collection, some]) => this.api.read(requestListings(state, collection, some), signal)),
    );
    return { body, listings: new Map(answers.flatMap(({ data }) => data).map((each) => [each.id, each])) };
  }

  /**
   * What a view shows beside the list's counts.
   * @param {State} state
   * @param {any} metro
   * @param {Promise<any>} listed
   * @param {AbortSignal} signal
   */
  async #readView(state, metro, listed, signal) {
    if (state.view === "calendar") {
      const path = requestCalendar(state, findWindow(state, findToday(metro.timezone)));
      return { path, answer: await this.api.read(path, signal) };
    }
    if ((await listed).facets.total > MOST_POINTS) {
      const path = requestDensity(state);
      return { path, answer: { rows: [], density: await this.api.read(path, signal) } };
    }
    const path = requestRows(state, MAP_FIELDS);
    const { rows } = await this.api.readRows(path, MOST_POINTS, signal);
    return { path, answer: { rows, density: null } };
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
    this.panel?.show(path, this.state);
    this.view.replaceChildren(
      makeListing(body.data, this.language, () => this.#closeListing()),
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
      const word = this.keys?.hasOwn ? "key_refused" : "visitors_key_refused";
      this.keys?.forget();
      return this.#askForKey(this.language.say(word));
    }
    const failure = find("failure", HTMLElement);
    failure.replaceChildren(
      ...this.#explain(error).map((each) => element("p", {}, each)),
      element("button", { type: "button", onclick: again }, this.language.say("again")),
    );
    failure.hidden = false;
    find("panes", HTMLElement).hidden = false;
    this.status.textContent = "";
    this.view.replaceChildren();
  }

  /**
   * In the page's own words, then in the API's, which are English.
   * @param {Failure} error
   */
  #explain(error) {
    if (error.status === 0) return [this.language.say("unreachable")];
    if (error.status === 429) return [this.language.say("too_many", { seconds: error.wait })];
    const own = this.language.say(error.status >= 500 ? "unavailable" : "refused");
    return [own, element("span", { class: "note", lang: "en", dir: "auto" }, error.message)];
  }
}
