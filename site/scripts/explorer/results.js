import { makeOutside, makeRadius, widen } from "./around_view.js";
import { arrange } from "./arrange.js";
import { makeArranged } from "./arranged_view.js";
import { findAgenda, findWindow, makeAgendaHeading, makeCalendar } from "./calendar_view.js";
import { addDays } from "./days.js";
import { element, find } from "./element.js";
import { findSuggestions, makeEmpty } from "./empty_view.js";
import { choosePlaces } from "./hours.js";
import { makeKinds, tellCount } from "./kinds_view.js";
import { makePaging } from "./list_view.js";
import { makeMatches } from "./matches_view.js";
import {
  listsDates,
  MOST_FIRST,
  requestCalendar,
  requestCount,
  requestFirst,
  requestList,
  requestMatches,
  requestNearby,
  requestPlaces,
  requestRows,
  requestSearch,
} from "./requests.js";
import { readSoon } from "./soon.js";
import { changeFilters, changeType, choosesPlaces, DATED_TYPES, EVERY_TYPE, listTypes, TYPES } from "./state.js";

/** @import { DensityBody, Item, ListBody, Metro } from "../../types/api.js" */

/** @typedef {import("./state.js").State} State */

// How many windows the calendar looks ahead for the first day with anything.
const MOST_TURNS = 3;
// From this width on, in pixels, the map has a column beside the list.
const WIDE = 720;

/** Shows what the filters find: a list, a map or a calendar, of one kind or all. */
export class Results {
  /**
   * @param {import("./explorer.js").Explorer} explorer
   * @param {import("./reading.js").Reading} reading
   */
  constructor(explorer, reading) {
    this.explorer = explorer;
    this.reading = reading;
    this.api = explorer.api;
    this.language = explorer.language;
    this.sight = new IntersectionObserver(() => {});
  }

  /** @param {AbortSignal} signal */
  async show(signal) {
    const { state } = this.explorer;
    const areas = this.reading
      .readAreas(state.metro, signal)
      .then((read) => signal.aborted || this.explorer.form.fillNeighborhoods(read));
    const near = state.filters.has("q") ? null : requestNearby(state);
    if (choosesPlaces(state)) await this.#showPlaces(signal);
    else if (state.view === "calendar") await this.#showCalendar(signal);
    else if (near) await this.#showNearby(near, signal);
    else if (state.type !== EVERY_TYPE) await this.#showType(signal);
    else if (state.filters.has("q")) await this.#showSearch(signal);
    else await this.#showEvery(signal);
    await areas;
    if (!signal.aborted) this.explorer.chips.show(state, (id, value) => this.explorer.form.name(id, value));
  }

  /**
   * Says how many there are, everywhere where it is said.
   * @param {string} text
   * @param {number} total
   */
  #tellTotal(text, total) {
    this.explorer.status.textContent = text;
    this.explorer.status.dataset.total = String(total);
    this.explorer.form.showTotal(total);
  }

  /**
   * What is nearest, of all kinds or one.
   * @param {string} path
   * @param {AbortSignal} signal
   */
  async #showNearby(path, signal) {
    const { state } = this.explorer;
    /** @type {import("../../types/api.js").NearbyBody} */
    const { data: found, meta } = await this.api.read(path, signal);
    const data = await this.#readOffers(found, signal);
    if (signal.aborted) return;
    this.#tellTotal(
      meta.has_more
        ? this.language.say("found_more", { count: data.length })
        : this.language.plural("found", data.length),
      data.length,
    );
    this.explorer.panel?.show(path, state);
    this.#countEvery(signal);
    await this.#showItems(data, signal);
    if (!signal.aborted && state.view === "list") await this.#showAround(data.length, meta.radius_m, signal);
  }

  /**
   * Items near a point with what the page needs to choose among the sections of each, where they do not have it.
   * @param {Item[]} found
   * @param {AbortSignal} signal
   */
  async #readOffers(found, signal) {
    const lacking = found.filter(
      ({ type, schedule, sessions }) => (type === "class" && !schedule) || (type === "camp" && !sessions),
    );
    if (!lacking.length) return found;
    const read = await this.reading.readListings(lacking, this.explorer.state, signal);
    return found.map((item) => ({ ...item, ...read.get(item.id) }));
  }

  /**
   * Above the list how far was looked, and below it what lies just outside.
   * @param {number} count
   * @param {number} radius
   * @param {AbortSignal} signal
   */
  async #showAround(count, radius, signal) {
    const { state } = this.explorer;
    const choose = (/** @type {number} */ metres) =>
      this.explorer.change((state) => changeFilters(state, { radius_m: String(metres) }));
    this.explorer.view.prepend(makeRadius(radius, this.language, choose));
    const wider = widen(radius);
    const around = await this.reading.countAround(state, { radius, wider, count }, signal).catch(() => null);
    if (around && !signal.aborted) this.explorer.view.append(makeOutside(around, this.language, choose) || "");
  }

  /**
   * Places that are open now, or under a roof: nearest first, or those that are open longest.
   * @param {AbortSignal} signal
   */
  async #showPlaces(signal) {
    const { state, now } = this.explorer;
    const path = requestPlaces(state, this.api.longest);
    const { data } = await this.api.read(path, signal);
    if (signal.aborted) return;
    const places = choosePlaces(data, state, now);
    this.#tellTotal(this.language.plural("places", places.length), places.length);
    this.explorer.panel?.show(path, state);
    this.explorer.form.showTypes({ places: places.length });
    await this.#showItems(places, signal);
  }

  /**
   * What fits the words best, of all kinds.
   * @param {AbortSignal} signal
   */
  async #showSearch(signal) {
    const { state } = this.explorer;
    const path = requestSearch(state);
    const [matches] = await Promise.all([this.reading.readMatches(state, path, signal), this.#fillTopics(signal)]);
    if (signal.aborted) return;
    const total = matches?.body.meta.count_estimate ?? 0;
    this.#tellTotal(this.language.plural("found", total), total);
    this.explorer.panel?.show(path, state);
    this.explorer.form.showTypes({});
    const listings = [...(matches?.listings.values() ?? [])];
    if (!matches || state.view === "map") return this.#showItems(listings, signal);
    this.explorer.view.replaceChildren(
      makeMatches(matches.body, matches.listings, state, this.language, this.explorer.ways),
    );
    this.#showBeside(listings, signal);
  }

  /**
   * What is on first, of all kinds together by when it is, then how many there are of each kind.
   * @param {AbortSignal} signal
   */
  async #showEvery(signal) {
    const { state, now } = this.explorer;
    const [{ found, rows, text, total }, soon] = await Promise.all([
      this.#readKinds(state, listTypes(state), signal, MOST_FIRST),
      state.view === "map" ? null : readSoon(this.api, state, now, signal),
    ]);
    if (signal.aborted) return;
    this.#tellTotal(text, total);
    if (!total) return this.#showItems([], signal);
    if (state.view === "map") {
      const listings = found.reduce((sum, kind) => sum + kind.listings, 0);
      const states = found.map(({ type }) => changeType(state, type));
      const shown = await this.reading.readPoints(states, listings, signal);
      return this.#showMap(shown, { total: listings, first: rows }, signal);
    }
    // Those of the dated kinds are among the first.
    const first = soon && Object.values(soon.arranged).flat();
    const rest = found.map((kind) => (first?.length && DATED_TYPES.includes(kind.type) ? { ...kind, rows: [] } : kind));
    this.explorer.view.replaceChildren(
      ...(soon && first?.length ? [this.#makeArranged(soon.arranged, soon.state)] : []),
      ...this.#makeKinds(rest, state),
    );
    this.#showBeside([...(soon?.arranged.ahead ?? []), ...rest.flatMap((kind) => kind.rows)], signal);
  }

  /**
   * The calendar of one kind or all, and below it the listings of a day: the one that is chosen, or the first with any.
   * @param {AbortSignal} signal
   */
  async #showCalendar(signal) {
    const { state, language, today } = this.explorer;
    const types = listTypes(state).filter((type) => DATED_TYPES.includes(type));
    let window = findWindow(state, today);
    let days = await this.reading.readDays(state, types, window, signal);
    for (let left = MOST_TURNS; left > 0 && !state.filters.has("from") && !days.some(({ total }) => total); left--) {
      window = findWindow(changeFilters(state, { from: addDays(window.to, 1), to: "" }), today);
      days = await this.reading.readDays(state, types, window, signal);
    }
    const agenda = findAgenda(days, state);
    const shown = changeFilters(state, agenda);
    const { found, rows, text, total } = await this.#readKinds(shown, types, signal);
    if (signal.aborted) return;
    this.#tellTotal(text, total);
    this.explorer.panel?.show(requestCalendar(changeType(shown, types[0]), window), changeType(state, types[0]));
    const { activeElement } = document;
    const focused =
      activeElement instanceof HTMLElement && this.explorer.view.contains(activeElement) ? activeElement : null;
    const { date, turn } = focused?.dataset ?? {};
    this.explorer.view.replaceChildren(
      makeCalendar({ days, agenda, today }, state, language, (change) => this.explorer.change(change)),
      makeAgendaHeading(agenda, language),
      ...(rows.length ? this.#makeKinds(found, shown) : [makeEmpty([], shown, language, () => {})]),
    );
    const again = this.explorer.view.querySelector(date ? `[data-date="${date}"]` : `[data-turn="${turn}"]:enabled`);
    if (!(again instanceof HTMLElement)) return;
    again.focus({ preventScroll: true });
    // The listings of a day that was chosen on a small screen come into sight, with the days after it above them.
    if (find("agenda", HTMLElement).getBoundingClientRect().bottom > innerHeight) again.scrollIntoView();
  }

  /**
   * The first listings of each kind, with how many there are. Says beside the filters and kinds how many they find.
   * @param {State} state
   * @param {string[]} types
   * @param {AbortSignal} signal
   * @param {number} [limit] of rows of each kind
   */
  async #readKinds(state, types, signal, limit = this.api.longest) {
    const requests = requestFirst(state, limit, types);
    /** @type {ListBody[]} */
    const bodies = await Promise.all(requests.map(({ path }) => this.api.read(path, signal)));
    const counted = await Promise.all(
      requests.map(({ own, isExpanded }, at) =>
        isExpanded ? this.reading.countType(own, signal) : bodies[at].facets.total,
      ),
    );
    const found = types.map((type, at) => {
      const { total } = bodies[at].facets;
      return { type, rows: bodies[at].data, total, listings: counted[at] ?? total };
    });
    const [only] = found.length === 1 ? found : [];
    const total = found.reduce((sum, kind) => sum + kind.total, 0);
    if (!signal.aborted) {
      this.explorer.form.showTypes(Object.fromEntries(found.map(({ type, listings }) => [type, listings])));
      this.explorer.form.showCounts(only ? bodies[0].facets : { category: sumCategories(bodies) }, this.explorer.state);
      this.explorer.panel?.show(requests[0].path, state);
    }
    const text = only ? tellCount(only, this.language) : this.language.plural("found", total);
    return { found: found.filter((kind) => kind.total), rows: found.flatMap(({ rows }) => rows), text, total };
  }

  /**
   * @param {import("./kinds_view.js").Found[]} found
   * @param {State} state
   */
  #makeKinds(found, state) {
    return makeKinds(found, state, this.language, this.explorer.ways, (type) =>
      this.explorer.change(() => ({ ...changeType(state, type), view: "list" }), { focus: true }),
    );
  }

  /**
   * Items of any kind as a list, in the order in which they come, or on the map; or what to do where there are none.
   * @param {Item[]} items
   * @param {AbortSignal} signal
   */
  async #showItems(items, signal) {
    const { state, now } = this.explorer;
    this.explorer.beside.hidden = true;
    if (!items.length) return this.#showEmpty(signal);
    if (state.view === "map")
      return this.#showMap({ rows: items, density: null }, { total: items.length, first: items }, signal);
    this.explorer.view.replaceChildren(this.#makeArranged(arrange(items, state, now, { isOrdered: true }), state));
    this.#showBeside(items, signal);
  }

  /**
   * @param {import("./arrange.js").Arranged} arranged
   * @param {State} state
   */
  #makeArranged(arranged, state) {
    return makeArranged(arranged, state, this.language, this.explorer.ways);
  }

  /** @param {AbortSignal} signal */
  async #showEmpty(signal) {
    const { state } = this.explorer;
    this.explorer.view.replaceChildren(makeEmpty([], state, this.language, () => {}));
    const suggestions = await findSuggestions(state, {
      language: this.language,
      today: this.explorer.today,
      name: (id, value) => this.explorer.form.name(id, value),
      count: async (state) => (await this.reading.countType(state, signal)) ?? 0,
      listDates: async (state) => {
        const field = state.type === "camps" ? "starts_on" : "starts_local";
        const { rows } = await this.api.readRows(requestRows(state, [field]), 1, signal);
        return rows.map((row) => (row[field] ?? "").slice(0, 10));
      },
    });
    if (!signal.aborted)
      this.explorer.view.replaceChildren(
        makeEmpty(suggestions, state, this.language, (next) => this.explorer.change(() => next, { focus: true })),
      );
  }

  /**
   * What fits the words best of the chosen kind, else of all.
   * @param {State} state
   * @param {AbortSignal} signal
   */
  async #readMatches(state, signal) {
    const own = await this.reading.readMatches(state, requestMatches(state), signal);
    return own ?? this.reading.readMatches(state, requestMatches({ ...state, type: EVERY_TYPE }), signal);
  }

  /**
   * A page of one kind.
   * @param {AbortSignal} signal
   */
  async #showType(signal) {
    const { state, metro, now } = this.explorer;
    const path = requestList(state, this.api.longest);
    /** @type {Promise<ListBody>} */
    const listed = this.api.read(path, signal);
    const points = async () => this.reading.readPoints([state], (await listed).facets.total, signal);
    const isFirst = state.view === "list" && state.page === 1;
    const isSearch = isFirst && state.filters.has("q") && !state.filters.has("where");
    const [body, once, shown, matches, soon] = await Promise.all([
      listed,
      listsDates(state) ? this.api.read(requestCount(state), signal) : null,
      state.view === "list" ? null : points(),
      isSearch ? this.#readMatches(state, signal) : null,
      isFirst && !isSearch && state.type === "classes" ? readSoon(this.api, state, now, signal) : null,
    ]);
    if (signal.aborted) return;
    this.explorer.form.showCounts(body.facets, state);
    const { total } = body.facets;
    this.#countTypes(state, metro, (once ?? body).facets.total, signal);
    const listings = (once ?? body).facets.total;
    // The list looks for the words as they are, the search also for what they mean.
    const meant = total ? 0 : (matches?.body.meta.count_estimate ?? 0);
    this.#tellTotal(
      meant ? this.language.plural("found", meant) : tellCount({ type: state.type, total, listings }, this.language),
      total || meant,
    );
    if (shown === null) {
      this.explorer.panel?.show(path, state);
      this.explorer.beside.hidden = true;
      if (!body.data.length && !matches) return this.#showEmpty(signal);
      const best = matches && makeMatches(matches.body, matches.listings, state, this.language, this.explorer.ways);
      // Classes come by name from the API, and are too many to be put in order here.
      const isByName = state.type === "classes" || state.type === "places";
      const rows = arrange(body.data, state, now, { isOrdered: isByName });
      const list = [this.#makeArranged(rows, state), makePaging(body, state, this.language, this.explorer.ways)];
      const heading = (/** @type {string} */ word) => element("h2", {}, this.language.say(word));
      const found = new Set(matches?.body.data.map(({ id }) => id));
      const isSaid = total <= body.data.length && body.data.every(({ id }) => found.has(id));
      const parts = soon
        ? [this.#makeArranged(soon.arranged, soon.state), ...(soon.isAll ? [] : [heading("by_name"), ...list])]
        : [best, ...(best && isSaid ? [] : [best && heading("matches_all"), ...list])];
      this.explorer.view.replaceChildren(...parts.filter((part) => part instanceof Node));
      this.#showBeside(soon ? soon.arranged.ahead : body.data, signal);
    } else {
      this.explorer.panel?.show(shown.path, state);
      await this.#showMap(shown, { total, first: body.data }, signal);
    }
  }

  /**
   * @param {{rows: Item[], density: DensityBody | null}} answer
   * @param {{total: number, first: Item[]}} about
   * @param {AbortSignal} signal
   */
  async #showMap(answer, { total, first }, signal, into = this.explorer.view) {
    const { state, metro } = this.explorer;
    if (signal.aborted) return;
    const states = listTypes(state).map((type) => (type === state.type ? state : changeType(state, type)));
    await this.explorer.map.show(into, answer, {
      state,
      total,
      metro,
      first,
      readNear: (circle, signal) => this.reading.readNear(states, circle, signal),
      readListings: (points, signal) => this.reading.readListings(points, state, signal),
    });
  }

  /**
   * Shows listings on a map beside the list, or below it on a narrow screen, when that comes into sight.
   * @param {Item[]} rows
   * @param {AbortSignal} signal
   */
  #showBeside(rows, signal) {
    this.explorer.beside.hidden =
      this.explorer.state.view !== "list" || !rows.some((row) => typeof row.location?.lat === "number");
    if (this.explorer.beside.hidden) return;
    const show = () =>
      this.#showMap({ rows, density: null }, { total: rows.length, first: rows }, signal, this.explorer.beside).catch(
        () => {
          this.explorer.beside.hidden = true;
        },
      );
    // The first view comes without the map's script, which is as large as all else; then there is room for it or none.
    if ((this.explorer.beside.parentElement?.clientWidth ?? 0) >= WIDE) return void setTimeout(show);
    this.sight = new IntersectionObserver(async (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      this.sight.disconnect();
      await show();
    });
    this.sight.observe(this.explorer.beside);
  }

  /**
   * The topics to choose from, where no answer has counted them yet.
   * @param {AbortSignal} signal
   */
  async #fillTopics(signal) {
    if (find("category", HTMLElement).children.length) return;
    const body = await this.api
      .read(requestCount({ ...this.explorer.state, type: "events", filters: new Map() }), signal)
      .catch(() => null);
    if (body && !signal.aborted) this.explorer.form.showCounts(body.facets, this.explorer.state);
  }

  /**
   * Beside each kind how many the filters find, and the topics of all of them, where the view's own request counts
   * nothing.
   * @param {AbortSignal} signal
   */
  async #countEvery(signal) {
    const { state } = this.explorer;
    const types = listTypes({ ...state, type: EVERY_TYPE });
    const bodies = await Promise.all(
      types.map((type) => this.api.read(requestCount(changeType(state, type)), signal).catch(() => null)),
    );
    if (signal.aborted) return;
    this.explorer.form.showTypes(Object.fromEntries(types.map((type, at) => [type, bodies[at]?.facets.total])));
    const read = bodies.filter((body) => body !== null);
    if (read.length) this.explorer.form.showCounts({ category: sumCategories(read) }, state);
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
    if (state.filters.size === 0) return this.explorer.form.showTypes(metro.counts);
    this.explorer.form.showTypes({ [state.type]: listed });
    if (!state.filters.has("q")) return;
    this.reading.totals.set(requestCount(state), listed);
    const counts = await Promise.all(
      TYPES.map(async (type) => [type, await this.reading.countType(changeType(state, type), signal)]),
    );
    if (!signal.aborted) this.explorer.form.showTypes(Object.fromEntries(counts));
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
