import { addDays } from "./days.js";
import { changeType, EVERY_TYPE, findShortWindow, listTypes, OWN_FILTERS } from "./state.js";

/** @typedef {import("./state.js").State} State */

const PAGE_SIZE = 20;
// As many as can be put in order, so that what begins in the days that were asked for comes first.
const MOST_MATCHES = 50;
/** Five weeks of the calendar: its listings begin on the first screen of a phone. */
export const CALENDAR_DAYS = 35;
/** What is read at most for one view or file: ten requests of the longest pages. */
export const MOST_ROWS = 2000;
/** Rows of one answer of the API at most. */
export const LONGEST_PAGE = 200;
const MOST_NEARBY = 100;
export const MOST_FIRST = 5;
const [LEAST_RADIUS, MOST_RADIUS] = [100, 50000];
// The longest window in which a list has an item for each date.
const EXPANDED_DAYS = 31;

const FACETS = ["category", "age_band", "organization"];
const DATED_FACETS = ["category", "weekday", "time_block", "price_band", "age_band", "organization"];

/** @param {string} type a collection */
function listFacets(type) {
  return (type === "places" ? FACETS : DATED_FACETS).join(",");
}

/**
 * One page of the list, with the counts of all filters beside it. What has dates is put in order here, so that as much
 * is read at once as one answer has.
 * @param {State} state
 * @param {number} longest how many rows one answer may have
 */
export function requestList(state, longest) {
  const isArranged = state.view === "list" && (state.type === "events" || state.type === "camps");
  /** @type {Record<string, string>} */
  const own = { facets: listFacets(state.type), limit: String(isArranged ? longest : PAGE_SIZE) };
  if (listsDates(state)) own.occurrences = "expand";
  if (state.page > 1) own.page = String(state.page);
  return format(state, state.type, own);
}

/**
 * The first of each kind that has all of the filters, with how many there are. In a short window each date of an event
 * is an item.
 * @param {State} state
 * @param {number} limit
 * @param {string[]} types
 */
export function requestFirst(state, limit, types = listTypes(state)) {
  const isShort = findShortWindow(state) !== null;
  return types.map((type) => {
    const own = type === state.type ? state : changeType(state, type);
    const isExpanded = isShort && listsDates(own);
    /** @type {Record<string, string>} */
    const dates = isExpanded ? { occurrences: "expand" } : {};
    const facets = types.length === 1 ? listFacets(type) : "category";
    return { own, isExpanded, path: format(own, type, { facets, limit: String(limit), ...dates }) };
  });
}

// What `/nearby` can filter by.
const NEARBY = [
  "category",
  "age",
  "free",
  "max_price",
  "indoor",
  "outdoor",
  "sensory",
  "from",
  "to",
  "near",
  "lat",
  "lng",
  "radius_m",
];

/**
 * What is nearest, of one kind or all: null where a filter is none of these.
 * @param {State} state
 */
export function requestNearby(state) {
  if (!state.filters.has("lat") || ![...state.filters.keys()].every((name) => NEARBY.includes(name))) return null;
  return format(state, "nearby", { types: listTypes(state).join(","), limit: String(MOST_NEARBY) });
}

/**
 * What fits the words best, of every kind that has all of the filters.
 * @param {State} state
 */
export function requestSearch(state) {
  return format(state, "search", { types: listTypes(state).join(","), match: "auto", limit: String(MOST_MATCHES) });
}

/**
 * How many listings of the collection the filters find, each once.
 * @param {State} state
 */
export function requestCount(state) {
  return format(state, state.type, { facets: "category", limit: "0" });
}

/**
 * Whether each date of an event is an item of its own, so that the list goes by dates as the calendar does: the API
 * does so for windows of that length. The map has each event once.
 * @param {State} state
 */
export function listsDates(state) {
  if (state.type !== "events" || state.view === "map") return false;
  const [from, to] = [state.filters.get("from"), state.filters.get("to")];
  if (!to) return true; // the API's own window
  return from !== undefined && to < addDays(from, EXPANDED_DAYS);
}

/**
 * The longest pages of the list, cut to these members.
 * @param {State} state
 * @param {string[]} fields
 */
export function requestRows(state, fields) {
  return format(state, state.type, { limit: String(LONGEST_PAGE), fields: fields.join(",") });
}

/**
 * All places that the API's filters let through, as far as one answer has them.
 * @param {State} state
 * @param {number} longest
 */
export function requestPlaces(state, longest) {
  return format(changeType(state, "places"), "places", { facets: "category", limit: String(longest) });
}

/**
 * Of those, what is in a circle.
 * @param {State} state
 * @param {string[]} fields
 * @param {{lat: number, lng: number, radius_m: number}} circle
 */
export function requestNear(state, fields, circle) {
  return format(state, state.type, {
    limit: String(LONGEST_PAGE),
    fields: fields.join(","),
    lat: circle.lat.toFixed(5),
    lng: circle.lng.toFixed(5),
    radius_m: String(Math.min(Math.max(circle.radius_m, LEAST_RADIUS), MOST_RADIUS)),
  });
}

/**
 * How many listings lie where.
 * @param {State} state
 */
export function requestDensity(state) {
  return format(state, `${state.type}/density`, {});
}

/**
 * The filters of the list, over a window of its own.
 * @param {State} state of one kind
 * @param {{from: string, to: string}} window
 */
export function requestCalendar(state, window) {
  const filters = new Map([...state.filters, ...Object.entries(window)]);
  filters.delete("q"); // which the calendar does not take
  return format({ ...state, filters }, `${state.type}/calendar`, {});
}

/**
 * What fits the words best, of the chosen kind or of all, with the list's own filters.
 * @param {State} state
 */
export function requestMatches(state) {
  /** @type {Record<string, string>} */
  const types = state.type === EVERY_TYPE ? {} : { types: state.type };
  return format(state, "search", { ...types, match: "auto", limit: String(MOST_MATCHES) });
}

/**
 * Listings of one collection by id, whatever the filters are: those that a search found.
 * @param {State} state
 * @param {string} collection
 * @param {string[]} ids
 */
export function requestListings(state, collection, ids) {
  const own = { ids: ids.join(","), audience: "all", min_confidence: "0" };
  return format({ ...state, filters: new Map() }, collection, own);
}

/** @param {State} state */
export function requestAddress(state) {
  return format(state, "events.ics/address", {});
}

/**
 * @param {State} state
 * @param {string} q
 */
export function requestSuggestions(state, q) {
  return `${encodeURIComponent(state.metro)}/suggest?${new URLSearchParams({ q })}`;
}

const TAKE_MEETS = /^(classes|camps|nearby|search)/;

/**
 * @param {State} state
 * @param {string} path
 * @param {Record<string, string>} own
 */
function format(state, path, own) {
  const query = new URLSearchParams([...state.filters]);
  for (const name of [...OWN_FILTERS, ...(path.startsWith("places") ? ["indoor", "outdoor"] : [])]) query.delete(name);
  if (findShortWindow(state) && TAKE_MEETS.test(path)) query.set("meets", "true");
  for (const [name, value] of Object.entries(own)) query.set(name, value);
  const text = query.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  return `${encodeURIComponent(state.metro)}/${path}${text ? `?${text}` : ""}`;
}
