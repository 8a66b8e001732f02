import { Failure } from "./api.js";
import { addDayCounts, findAgenda, findWindow, makeAgendaHeading, makeCalendar } from "./calendar_view.js";
import { Chips } from "./chips.js";
import { addDays, findToday } from "./days.js";
import { element, find } from "./element.js";
import { findSuggestions, makeEmpty } from "./empty_view.js";
import { FilterForm } from "./filter_form.js";
import { makeKinds, tellCount } from "./kinds_view.js";
import { parseLine } from "./line.js";
import { COLLECTIONS, locatePage, makeItems, makeList } from "./list_view.js";
import { makeHistory, makeListing } from "./listing_view.js";
import { findSpot, locateVisitor } from "./location.js";
import { MapView, MOST_NEAR, MOST_POINTS } from "./map_view.js";
import { makeMatches } from "./matches_view.js";
import {
  listsDates,
  requestCalendar,
  requestCount,
  requestDensity,
  requestFirst,
  requestList,
  requestListings,
  requestMatches,
  requestNear,
  requestNearby,
  requestRows,
  requestSearch,
} from "./requests.js";
import {
  changeFilters,
  changeType,
  DATED_TYPES,
  EVERY_TYPE,
  formatState,
  listFilters,
  listTypes,
  parseState,
  TYPES,
} from "./state.js";

/** @import { Body, CalendarBody, DensityBody, Item, ListBody, Metro } from "../../types/api.js" */
/** @import { Neighborhood, SearchBody, Suggestion, Version } from "../../types/api.js" */

/**
 * @typedef {import("./state.js").State} State
 */

const MAP_FIELDS = ["name", "slug", "location.lat", "location.lng"];
// Filters of yes or no that a city may say of none of its listings.
const STATED = ["indoor", "outdoor", "sensory", "openings"];
const STEP = 20;
// How many windows the calendar looks ahead for the first day with anything.
const MOST_TURNS = 3;
// What is on in so many days is soon.
const SOON_DAYS = 6;

/** What the address says is asked of the API and shown. Whatever is chosen changes the address first. */
export class Explorer {
  /**
   * @param {HTMLElement} root
   * @param {object} parts
   * @param {import("./api.js").Api} parts.api
   * @param {import("./language.js").Language} parts.language
   * @param {import("./map_view.js").Load} parts.openMap
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
    /** @type {Metro[]} */
    this.metros = [];
    /** @type {Map<string, Neighborhood[]>} neighborhoods by metro */
    this.areas = new Map();
    /** @type {Map<string, number>} how many listings a request found, of those beside the kinds */
    this.totals = new Map();
    this.view = find("view", HTMLElement);
    this.beside = find("beside", HTMLElement);
    this.sight = new IntersectionObserver(() => {});
    // The first view comes without the map's script, which is as large as all else.
    this.moved = new Promise((resolve) => {
      for (const move of ["pointermove", "pointerdown", "wheel", "scroll", "keydown"])
        addEventListener(move, resolve, { once: true, passive: true });
    });
    this.status = find("status", HTMLElement);
    this.waiting = new AbortController();
    this.ways = {
      openListing: (/** @type {string} */ type, /** @type {string} */ id) =>
        this.change((state) => ({ ...state, type, listing: id })),
      locatePage: (/** @type {string} */ type, /** @type {string} */ slug) =>
        this.api.ownKey ? "" : locatePage(root, this.state.metro, type, slug),
      goTo: (/** @type {number} */ page) => this.change((state) => ({ ...state, page }), { focus: true }),
      locate: (/** @type {object} */ change) => formatState({ ...this.state, ...change }),
    };
    this.form = new FilterForm(this.language, {
      change: (change) => this.change(change),
      findNear: (words) => this.#findNear(words),
      locate: () => this.#locate(),
    });
    this.chips = new Chips(this.language, {
      change: (change) => this.change(change),
      locate: () => this.#locate(),
      today: () => this.today,
    });
    this.note = "";
    this.map = new MapView(openMap, language, this.ways);
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
    return this.#findMetro(this.state.metro);
  }

  /** @param {string} slug of a city that the page offers */
  #findMetro(slug) {
    return /** @type {Metro} */ (this.metros.find((each) => each.slug === slug));
  }

  /** The local date in the city. */
  get today() {
    return findToday(this.metro.timezone);
  }

  /**
   * Searches by a line of words: what the API can filter by becomes filters, the rest is searched for.
   * @param {string} line
   */
  async searchLine(line) {
    const state = this.#takeMetro(line);
    const { metro: slug, line: words } = state;
    const metro = this.#findMetro(slug);
    const { filters, stated, type, near, q } = parseLine(words, findToday(metro.timezone), this.language);
    const base = {
      ...this.state,
      metro: slug,
      type: type || this.state.type,
      filters: slug === this.state.metro ? this.state.filters : new Map(),
    };
    const left = [q];
    /** @type {string[]} */
    const notes = [];
    for (const name of STATED.filter((each) => filters[each])) {
      if (await this.#isStated(base, name)) continue;
      delete filters[name];
      left.push(stated[name]);
      notes.push(this.language.say("unstated", { what: this.language.say(name) }));
    }
    /** @type {Record<string, string>} */
    let spot = {};
    if (near) {
      this.#say(this.language.say("loading"));
      const found = await this.#findSpot(near, metro);
      spot = found?.spot ?? {};
      left.push(found ? found.rest : near);
    }
    this.#say(notes.join(" "));
    this.change(() => {
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
   */
  #takeMetro(line) {
    for (const { slug, name } of this.metros) {
      const spelled = name.replace(/[^\p{L}\p{N}]+/gu, "[^\\p{L}\\p{N}]+");
      const pattern = new RegExp(`(?:^|[\\s,])(?:${this.language.say("line_in")})?\\s*${spelled}(?=$|[\\s,])`, "iu");
      if (pattern.test(line)) return { metro: slug, line: line.replace(pattern, " ") };
    }
    return { metro: this.state.metro, line };
  }

  /**
   * Does any listing of the city say yes to this?
   * @param {State} state
   * @param {string} name
   */
  async #isStated(state, name) {
    const types = TYPES.filter((type) => listFilters(type).includes(name));
    const alone = { ...state, filters: new Map([[name, "true"]]) };
    const { signal } = new AbortController();
    const counts = await Promise.all(types.map((type) => this.#countType({ ...alone, type }, signal)));
    return counts.some((count) => count !== 0);
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
      areas: await this.#readAreas(metro.slug, new AbortController().signal),
    });
  }

  /** @param {string} words */
  async #findNear(words) {
    const found = await this.#findSpot(words, this.metro).catch(() => null);
    this.#say(found ? "" : this.language.say("near_none", { words }));
    if (found) this.change((state) => changeFilters(state, found.spot));
  }

  async #locate() {
    this.#say(this.language.say("locating"));
    try {
      const spot = await locateVisitor(this.language.say("my_place"));
      this.#say("");
      this.change((state) => changeFilters(state, spot));
    } catch {
      this.#say(this.language.say("near_denied"));
    }
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
      /** @type {Body<Metro[]>} */
      const body = await this.api.read("metros");
      this.metros = body.data.filter((metro) => metro.accessible);
    } catch (error) {
      return this.#fail(error, () => this.start());
    }
    this.keys?.hide();
    find("panes", HTMLElement).hidden = false;
    this.form.fillMetros(this.metros);
    if (!this.metros.some((metro) => metro.slug === this.state.metro)) this.state.metro = this.metros[0]?.slug ?? "";
    const line = new URLSearchParams(location.search).get("line")?.trim();
    await (line ? this.searchLine(line) : this.show());
    this.#returnTo(history.state);
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
    this.chips.show(this.state, (id, value) => this.form.name(id, value));
    this.search?.show(this.state);
    this.#showViews();
    find("failure", HTMLElement).hidden = true;
    this.sight.disconnect();
    this.view.setAttribute("aria-busy", "true");
    this.status.textContent = this.language.say("loading");
    try {
      await (this.state.listing ? this.#showListing(waiting.signal) : this.#showResults(waiting.signal));
      if (waiting.signal.aborted) return;
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
  async #showResults(signal) {
    const { state } = this;
    const areas = this.#readAreas(state.metro, signal).then(
      (read) => signal.aborted || this.form.fillNeighborhoods(read),
    );
    const near = state.filters.has("q") ? null : requestNearby(state);
    if (state.view === "calendar") await this.#showCalendar(signal);
    else if (near) await this.#showNearby(near, signal);
    else if (state.type !== EVERY_TYPE) await this.#showType(signal);
    else if (state.filters.has("q")) await this.#showSearch(signal);
    else await this.#showEvery(signal);
    await areas;
    if (!signal.aborted) this.chips.show(state, (id, value) => this.form.name(id, value));
  }

  /**
   * Says how many there are, everywhere where it is said.
   * @param {string} text
   * @param {number} total
   */
  #tellTotal(text, total) {
    this.status.textContent = text;
    this.status.dataset.total = String(total);
    this.form.showTotal(total);
  }

  /**
   * What is nearest, of all kinds or one.
   * @param {string} path
   * @param {AbortSignal} signal
   */
  async #showNearby(path, signal) {
    const { state } = this;
    const { data, meta } = await this.api.read(path, signal);
    if (signal.aborted) return;
    this.#tellTotal(
      meta.has_more
        ? this.language.say("found_more", { count: data.length })
        : this.language.plural("found", data.length),
      data.length,
    );
    this.panel?.show(path, state);
    this.#countEvery(signal);
    await this.#showItems(data, signal);
  }

  /**
   * What fits the words best, of all kinds.
   * @param {AbortSignal} signal
   */
  async #showSearch(signal) {
    const { state } = this;
    const path = requestSearch(state);
    const [matches] = await Promise.all([this.#readMatches(state, path, signal), this.#fillTopics(signal)]);
    if (signal.aborted) return;
    const total = matches?.body.meta.count_estimate ?? 0;
    this.#tellTotal(this.language.plural("found", total), total);
    this.panel?.show(path, state);
    this.form.showTypes({});
    const listings = [...(matches?.listings.values() ?? [])];
    if (!matches || state.view === "map") return this.#showItems(listings, signal);
    this.view.replaceChildren(makeMatches(matches.body, matches.listings, state, this.language, this.ways));
    this.#showBeside(listings, signal);
  }

  /**
   * The first of each kind, or in a short window all that is on, by when it is.
   * @param {AbortSignal} signal
   */
  async #showEvery(signal) {
    const { state } = this;
    const { found, rows, text, total } = await this.#readKinds(state, listTypes(state), signal);
    if (signal.aborted) return;
    this.#tellTotal(text, total);
    if (!total || state.view === "map") return this.#showItems(rows, signal);
    this.view.replaceChildren(...this.#makeKinds(found, state));
    this.#showBeside(rows, signal);
  }

  /**
   * The calendar of one kind or all, and below it the listings of a day: the one that is chosen, or the first with any.
   * @param {AbortSignal} signal
   */
  async #showCalendar(signal) {
    const { state, language, today } = this;
    const types = listTypes(state).filter((type) => DATED_TYPES.includes(type));
    let window = findWindow(state, today);
    let days = await this.#readDays(types, window, signal);
    for (let left = MOST_TURNS; left > 0 && !state.filters.has("from") && !days.some(({ total }) => total); left--) {
      window = findWindow(changeFilters(state, { from: addDays(window.to, 1), to: "" }), today);
      days = await this.#readDays(types, window, signal);
    }
    const agenda = findAgenda(days, state);
    const shown = changeFilters(state, agenda);
    const { found, rows, text, total } = await this.#readKinds(shown, types, signal);
    if (signal.aborted) return;
    this.#tellTotal(text, total);
    this.panel?.show(requestCalendar(changeType(shown, types[0]), window), changeType(state, types[0]));
    const { activeElement } = document;
    const focused = activeElement instanceof HTMLElement && this.view.contains(activeElement) ? activeElement : null;
    const { date, turn } = focused?.dataset ?? {};
    this.view.replaceChildren(
      makeCalendar({ days, agenda, today }, state, language, (change) => this.change(change)),
      makeAgendaHeading(agenda, language),
      ...(rows.length ? this.#makeKinds(found, shown) : [makeEmpty([], shown, language, () => {})]),
    );
    const again = this.view.querySelector(date ? `[data-date="${date}"]` : `[data-turn="${turn}"]:enabled`);
    if (!(again instanceof HTMLElement)) return;
    again.focus({ preventScroll: true });
    // The listings of a day that was chosen on a small screen come into sight, with the days after it above them.
    if (find("agenda", HTMLElement).getBoundingClientRect().bottom > innerHeight) again.scrollIntoView();
  }

  /**
   * @param {string[]} types
   * @param {{from: string, to: string}} window
   * @param {AbortSignal} signal
   */
  async #readDays(types, window, signal) {
    const paths = types.map((type) => requestCalendar(changeType(this.state, type), window));
    const reading = paths.map((path) => /** @type {Promise<CalendarBody>} */ (this.api.read(path, signal)));
    return addDayCounts(types, await Promise.all(reading));
  }

  /**
   * The first listings of each kind, with how many there are. Says beside the filters and kinds how many they find.
   * @param {State} state
   * @param {string[]} types
   * @param {AbortSignal} signal
   */
  async #readKinds(state, types, signal) {
    const requests = requestFirst(state, types);
    // Classes are listed by name: those that meet in the next days come first.
    const soon = { from: this.today, to: addDays(this.today, SOON_DAYS - 1) };
    const hasSoon =
      types.length > 1 && types.includes("classes") && !state.filters.has("from") && !state.filters.has("to");
    const [next] = hasSoon ? requestFirst(changeFilters(state, soon), ["classes"]) : [];
    /** @type {ListBody[]} */
    const bodies = await Promise.all(requests.map(({ path }) => this.api.read(path, signal)));
    const near = next ? (await this.api.read(next.path, signal)).data : [];
    const counted = await Promise.all(
      requests.map(({ own, isExpanded }, at) => (isExpanded ? this.#countType(own, signal) : bodies[at].facets.total)),
    );
    const found = types.map((type, at) => {
      const { total } = bodies[at].facets;
      const isNear = type === "classes" && near.length > 0;
      const rows = isNear ? near : bodies[at].data;
      return { type, rows, total, listings: counted[at] ?? total, soon: isNear ? soon : null };
    });
    const [only] = found.length === 1 ? found : [];
    const total = found.reduce((sum, each) => sum + each.total, 0);
    if (!signal.aborted) {
      this.form.showTypes(Object.fromEntries(found.map(({ type, listings }) => [type, listings])));
      this.form.showCounts(only ? bodies[0].facets : { category: sumCategories(bodies) }, this.state);
      this.panel?.show(requests[0].path, state);
    }
    const text = only ? tellCount(only, this.language) : this.language.plural("found", total);
    return { found: found.filter((each) => each.total), rows: found.flatMap(({ rows }) => rows), text, total };
  }

  /**
   * @param {import("./kinds_view.js").Found[]} found
   * @param {State} state
   */
  #makeKinds(found, state) {
    return makeKinds(found, state, this.language, this.ways, (type) =>
      this.change(() => ({ ...changeType(state, type), view: "list" }), { focus: true }),
    );
  }

  /**
   * Items of any kind as a list, a part at a time, or on the map; or what to do where there are none.
   * @param {Item[]} items
   * @param {AbortSignal} signal
   */
  async #showItems(items, signal) {
    const { state } = this;
    this.beside.hidden = true;
    if (!items.length) return this.#showEmpty(signal);
    if (state.view === "map")
      return this.#showMap({ rows: items, density: null }, { total: items.length, first: items }, signal);
    const show = (/** @type {number} */ count) => {
      const more =
        items.length > count &&
        element(
          "p",
          { class: "paging" },
          element(
            "button",
            {
              type: "button",
              onclick: () => {
                show(count + STEP);
                /** @type {HTMLElement | null} */ (this.view.querySelectorAll(".listings a")[count])?.focus();
              },
            },
            this.language.say("show_more"),
          ),
        );
      this.view.replaceChildren(
        ...makeItems(items.slice(0, count), state, this.language, this.ways),
        ...(more ? [more] : []),
      );
    };
    show(STEP);
    this.#showBeside(items, signal);
  }

  /** @param {AbortSignal} signal */
  async #showEmpty(signal) {
    const { state } = this;
    this.view.replaceChildren(makeEmpty([], state, this.language, () => {}));
    const suggestions = await findSuggestions(state, {
      language: this.language,
      today: this.today,
      name: (id, value) => this.form.name(id, value),
      count: async (each) => (await this.#countType(each, signal)) ?? 0,
      listDates: async (each) => {
        const field = each.type === "camps" ? "starts_on" : "starts_local";
        const { rows } = await this.api.readRows(requestRows(each, [field]), 1, signal);
        return rows.map((row) => (row[field] ?? "").slice(0, 10));
      },
    });
    if (!signal.aborted)
      this.view.replaceChildren(
        makeEmpty(suggestions, state, this.language, (next) => this.change(() => next, { focus: true })),
      );
  }

  /**
   * A page of one kind.
   * @param {AbortSignal} signal
   */
  async #showType(signal) {
    const { state, metro } = this;
    const listed = this.api.read(requestList(state), signal);
    const isSearch = state.view === "list" && state.page === 1 && state.filters.has("q") && !state.filters.has("where");
    const [body, once, shown, matches] = await Promise.all([
      listed,
      listsDates(state) ? this.api.read(requestCount(state), signal) : null,
      state.view === "list" ? null : this.#readPoints(state, listed, signal),
      isSearch ? this.#readMatches(state, requestMatches(state), signal) : null,
    ]);
    if (signal.aborted) return;
    this.form.showCounts(body.facets, state);
    const { total } = body.facets;
    this.#countTypes(state, metro, (once ?? body).facets.total, signal);
    const listings = (once ?? body).facets.total;
    this.#tellTotal(tellCount({ type: state.type, total, listings }, this.language), total);
    if (shown === null) {
      this.panel?.show(requestList(state), state);
      this.beside.hidden = true;
      if (!body.data.length && !matches) return this.#showEmpty(signal);
      const best = matches && makeMatches(matches.body, matches.listings, state, this.language, this.ways);
      const rest = best ? [best, element("h2", {}, this.language.say("matches_all"))] : [];
      this.view.replaceChildren(
        ...rest,
        body.data.length
          ? makeList(body, state, this.language, this.ways)
          : makeEmpty([], state, this.language, () => {}),
      );
      this.#showBeside(body.data, signal);
    } else {
      this.panel?.show(shown.path, state);
      await this.#showMap(shown, { total, first: body.data }, signal);
    }
  }

  /**
   * @param {{rows: Item[], density: DensityBody | null}} answer
   * @param {{total: number, first: Item[]}} about
   * @param {AbortSignal} signal
   */
  async #showMap(answer, { total, first }, signal, into = this.view) {
    const { state, metro } = this;
    if (signal.aborted) return;
    await this.map.show(into, answer, {
      state,
      total,
      metro,
      first,
      readNear: (circle, signal) => this.api.readRows(requestNear(state, MAP_FIELDS, circle), MOST_NEAR, signal),
      readListings: (points, signal) => this.#readListings(points, state, signal),
    });
  }

  /**
   * Shows listings on a map beside the list, or below it on a narrow screen, when that comes into sight.
   * @param {Item[]} rows
   * @param {AbortSignal} signal
   */
  #showBeside(rows, signal) {
    this.beside.hidden = this.state.view !== "list" || !rows.some((row) => typeof row.location?.lat === "number");
    if (this.beside.hidden) return;
    this.sight = new IntersectionObserver(async (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      this.sight.disconnect();
      await this.moved;
      this.#showMap({ rows, density: null }, { total: rows.length, first: rows }, signal, this.beside).catch(() => {
        this.beside.hidden = true;
      });
    });
    this.sight.observe(this.beside);
  }

  /**
   * The topics to choose from, where no answer has counted them yet.
   * @param {AbortSignal} signal
   */
  async #fillTopics(signal) {
    if (find("category", HTMLElement).children.length) return;
    const body = await this.api
      .read(requestCount({ ...this.state, type: "events", filters: new Map() }), signal)
      .catch(() => null);
    if (body && !signal.aborted) this.form.showCounts(body.facets, this.state);
  }

  /**
   * Beside each kind how many the filters find, and the topics of all of them, where the view's own request counts
   * nothing.
   * @param {AbortSignal} signal
   */
  async #countEvery(signal) {
    const { state } = this;
    const types = listTypes({ ...state, type: EVERY_TYPE });
    const bodies = await Promise.all(
      types.map((type) => this.api.read(requestCount(changeType(state, type)), signal).catch(() => null)),
    );
    if (signal.aborted) return;
    this.form.showTypes(Object.fromEntries(types.map((type, at) => [type, bodies[at]?.facets.total])));
    const read = bodies.filter((body) => body !== null);
    if (read.length) this.form.showCounts({ category: sumCategories(read) }, state);
  }

  /**
   * Beside each collection, how many listings of it the filters find: without a filter, what the city has. The others
   * are asked for words alone, since each change of a filter would take three requests more of the visitors' rate. The
   * view does not wait for these numbers.
   * @param {State} state
   * @param {Metro} metro
   * @param {number} listed of the state's own collection
   * @param {AbortSignal} signal
   */
  async #countTypes(state, metro, listed, signal) {
    if (state.filters.size === 0) return this.form.showTypes(metro.counts);
    this.form.showTypes({ [state.type]: listed });
    if (!state.filters.has("q")) return;
    this.totals.set(requestCount(state), listed);
    const counts = await Promise.all(
      TYPES.map(async (type) => [type, await this.#countType(changeType(state, type), signal)]),
    );
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
   * What a search finds for the words, with its listings by id: null where no word decides.
   * @param {State} state
   * @param {string} path
   * @param {AbortSignal} signal
   */
  async #readMatches(state, path, signal) {
    /** @type {Promise<SearchBody>} */
    const read = this.api.read(path, signal);
    const body = await read.catch((error) => {
      if (error instanceof Failure && error.status === 400) return null;
      throw error;
    });
    if (!body?.data.length) return null;
    return { body, listings: await this.#readListings(body.data, state, signal) };
  }

  /**
   * Listings by id, whatever the filters are.
   * @param {{type?: string, id: string}[]} items without a type they are of the state's
   * @param {State} state
   * @param {AbortSignal} signal
   */
  async #readListings(items, state, signal) {
    /** @type {Map<string, string[]>} */
    const ids = new Map();
    for (const { type, id } of items) {
      const collection = COLLECTIONS[type ?? ""] ?? state.type;
      ids.set(collection, [...(ids.get(collection) ?? []), id]);
    }
    const answers = await Promise.all(
      [...ids].map(([collection, some]) => this.api.read(requestListings(state, collection, some), signal)),
    );
    return new Map(answers.flatMap(({ data }) => data).map((item) => [item.id, item]));
  }

  /**
   * What the map shows of a list: its listings, or how many lie where if they are too many.
   * @param {State} state
   * @param {Promise<ListBody>} listed
   * @param {AbortSignal} signal
   */
  async #readPoints(state, listed, signal) {
    if ((await listed).facets.total > MOST_POINTS) {
      const path = requestDensity(state);
      /** @type {DensityBody} */
      const density = await this.api.read(path, signal);
      return { path, rows: [], density };
    }
    const path = requestRows(state, MAP_FIELDS);
    const { rows } = await this.api.readRows(path, MOST_POINTS, signal);
    return { path, rows, density: null };
  }

  /**
   * @param {string} metro
   * @param {AbortSignal} signal
   * @returns {Promise<Neighborhood[]>}
   */
  async #readAreas(metro, signal) {
    const known = this.areas.get(metro);
    if (known) return known;
    /** @type {Body<Neighborhood[]>} */
    const body = await this.api.read(`${encodeURIComponent(metro)}/neighborhoods?limit=200`, signal);
    this.areas.set(metro, body.data);
    return body.data;
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

/**
 * The topics of several answers together.
 * @param {ListBody[]} bodies
 */
function sumCategories(bodies) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { facets } of bodies)
    for (const { value, count } of facets.category ?? []) counts.set(value, (counts.get(value) ?? 0) + count);
  return [...counts].map(([value, count]) => ({ value, count }));
}
