import { Failure } from "./api.js";
import { addDayCounts } from "./calendar_view.js";
import { COLLECTIONS } from "./list_view.js";
import { MOST_NEAR, MOST_POINTS } from "./map_view.js";
import {
  requestCalendar,
  requestCount,
  requestDensity,
  requestListings,
  requestNear,
  requestNearby,
  requestRows,
} from "./requests.js";
import { changeFilters, changeType, listFilters, listTypes, POINT } from "./state.js";

/** @import { Body, CalendarBody, DensityBody, Item, ListBody, Neighborhood, SearchBody } from "../../types/api.js" */

/** @typedef {import("./state.js").State} State */

// The widest circle of the API: what is not in it has no point.
const FARTHEST_M = 50_000;
const MAP_FIELDS = ["name", "slug", "location.lat", "location.lng"];

/** Reads from the API what views need, and remembers what does not change while the page is open. */
export class Reading {
  /** @param {import("./api.js").Api} api */
  constructor(api) {
    this.api = api;
    /** @type {Map<string, Neighborhood[]>} neighborhoods by metro */
    this.areas = new Map();
    /** @type {Map<string, number>} how many listings a request found, of those beside the kinds */
    this.totals = new Map();
  }

  /**
   * Does any listing of the city say yes to this, of the kinds that can be filtered so?
   * @param {State} state
   * @param {string} name
   */
  async isStated(state, name) {
    const types = listTypes(state).filter((type) => listFilters(type).includes(name));
    if (types.includes("places") && (name === "indoor" || name === "outdoor")) return true; // their kind says it
    const alone = { ...state, filters: new Map([[name, "true"]]) };
    const { signal } = new AbortController();
    const counts = await Promise.all(types.map((type) => this.countType({ ...alone, type }, signal)));
    return counts.some((count) => count !== 0);
  }

  /**
   * @param {State} state
   * @param {string[]} types
   * @param {{from: string, to: string}} window
   * @param {AbortSignal} signal
   */
  async readDays(state, types, window, signal) {
    const paths = types.map((type) => requestCalendar(changeType(state, type), window));
    const reading = paths.map((path) => /** @type {Promise<CalendarBody>} */ (this.api.read(path, signal)));
    return addDayCounts(types, await Promise.all(reading));
  }

  /**
   * How many listings the state finds, asked once: turning a page or choosing another kind asks nothing anew. Undefined
   * where the request fails.
   * @param {State} state
   * @param {AbortSignal} signal
   * @returns {Promise<number | undefined>}
   */
  async countType(state, signal) {
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
  async readMatches(state, path, signal) {
    /** @type {Promise<SearchBody>} */
    const read = this.api.read(path, signal);
    const body = await read.catch((error) => {
      if (error instanceof Failure && error.status === 400) return null;
      throw error;
    });
    if (!body?.data.length) return null;
    return { body, listings: await this.readListings(body.data, state, signal) };
  }

  /**
   * Listings by id, whatever the filters are.
   * @param {{type?: string, id: string}[]} items without a type they are of the state's
   * @param {State} state
   * @param {AbortSignal} signal
   */
  async readListings(items, state, signal) {
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
   * What the map shows of one kind or several: their listings, or how many lie where if they are too many.
   * @param {State[]} states one of each kind
   * @param {number} total
   * @param {AbortSignal} signal
   * @returns {Promise<{path: string, rows: Item[], density: DensityBody | null}>} `path` asks for the first kind
   */
  async readPoints(states, total, signal) {
    if (total > MOST_POINTS) {
      /** @type {Promise<DensityBody>[]} */
      const reading = states.map((state) => this.api.read(requestDensity(state), signal));
      const bodies = await Promise.all(reading);
      const density = { ...bodies[0], data: bodies.flatMap(({ data }) => data) };
      return { path: requestDensity(states[0]), rows: [], density };
    }
    const paths = states.map((state) => requestRows(state, MAP_FIELDS));
    const read = await Promise.all(paths.map((path) => this.api.readRows(path, MOST_POINTS, signal)));
    return { path: paths[0], rows: read.flatMap(({ rows }) => rows), density: null };
  }

  /**
   * What lies in a circle, of one kind or several.
   * @param {State[]} states one of each kind
   * @param {{lat: number, lng: number, radius_m: number}} circle
   * @param {AbortSignal} signal
   */
  async readNear(states, circle, signal) {
    const paths = states.map((state) => requestNear(state, MAP_FIELDS, circle));
    const read = await Promise.all(paths.map((path) => this.api.readRows(path, MOST_NEAR, signal)));
    return { rows: read.flatMap(({ rows }) => rows), isWhole: read.every(({ isWhole }) => isWhole) };
  }

  /**
   * How many more lie within a wider circle, and how many have no exact place.
   * @param {State} state
   * @param {{radius: number, wider: number, count: number}} looked
   * @param {AbortSignal} signal
   * @returns {Promise<import("./around_view.js").Around>}
   */
  async countAround(state, { radius, wider, count }, signal) {
    const far = changeFilters(state, { radius_m: String(FARTHEST_M) });
    const anywhere = changeFilters(state, Object.fromEntries(POINT.map((name) => [name, ""])));
    const path = requestNearby(changeFilters(state, { radius_m: String(wider) }));
    const sum = async (/** @type {State} */ own) => {
      const types = listTypes(state).map((type) => this.countType(changeType(own, type), signal));
      return (await Promise.all(types)).reduce((/** @type {number} */ sum, count) => sum + (count ?? 0), 0);
    };
    /** @type {[ListBody | null, number, number]} */
    const [around, placed, all] = await Promise.all([
      path ? this.api.read(path, signal) : null,
      sum(far),
      sum(anywhere),
    ]);
    return {
      radius,
      wider,
      more: Math.max(0, (around?.data.length ?? 0) - count),
      placeless: Math.max(0, all - placed),
    };
  }

  /**
   * @param {string} metro
   * @param {AbortSignal} signal
   * @returns {Promise<Neighborhood[]>}
   */
  async readAreas(metro, signal) {
    const known = this.areas.get(metro);
    if (known) return known;
    /** @type {Body<Neighborhood[]>} */
    const body = await this.api.read(`${encodeURIComponent(metro)}/neighborhoods?limit=200`, signal);
    this.areas.set(metro, body.data);
    return body.data;
  }
}
