/**
 * What the address says: the metro, the kind of listing (`all` of them or one), the view, and filters by the API's own
 * names. `near` alone is the page's: how the point of `lat` and `lng` is called.
 * @typedef {object} State
 * @property {string} metro
 * @property {string} type
 * @property {string} view
 * @property {number} page
 * @property {string} listing
 * @property {Map<string, string>} filters
 */
import { addDays } from "./days.js";

export const TYPES = ["events", "classes", "camps", "places"];
export const EVERY_TYPE = "all";
export const VIEWS = ["list", "map", "calendar"];
/** Kinds that the calendar counts. */
export const DATED_TYPES = ["events", "classes", "camps"];
export const POINT = ["near", "lat", "lng", "radius_m"];

const ALL = ["q", "category", "age", "neighborhood", "organization_id", ...POINT];
const DATED = ["from", "to", "weekday", "free", "max_price", "start_after", "start_before"];
/** @type {Record<string, string[]>} */
const OWN = {
  events: [...DATED, "indoor", "outdoor", "sensory"],
  classes: [...DATED, "indoor", "outdoor", "sensory", "openings"],
  camps: DATED,
  places: ["sensory", "indoor", "outdoor", "open"],
};
/** Filters that the page applies itself: the lists of the API do not take them. */
export const OWN_FILTERS = ["near", "open"];
const OWN_OF_PLACES = ["indoor", "outdoor"];
// A window of fewer days asks for meetings, not for terms.
const SHORT_DAYS = 7;

/** @param {string} type */
export function listFilters(type) {
  return [...ALL, ...(type === EVERY_TYPE ? [...OWN.classes, "open"] : [...OWN[type], "where"])];
}

/**
 * The kinds that can be filtered so: no place is on a date, and no camp says whether it is indoors.
 * @param {State} state
 */
export function listTypes(state) {
  if (state.type !== EVERY_TYPE) return [state.type];
  return TYPES.filter((type) => [...state.filters.keys()].every((name) => listFilters(type).includes(name)));
}

/**
 * Whether the page has to look at the places themselves: what the filters ask for is no filter of the API's list.
 * @param {State} state
 */
export function choosesPlaces({ type, filters }) {
  if (filters.has("open")) return true;
  return type === "places" && OWN_OF_PLACES.some((name) => filters.has(name));
}

/**
 * The first and the last day, where both are chosen and few lie between.
 * @param {State} state
 */
export function findShortWindow(state) {
  const [from, to] = [state.filters.get("from"), state.filters.get("to")];
  return from && to && to < addDays(from, SHORT_DAYS - 1) ? { from, to } : null;
}

/**
 * Whatever is unknown is passed over: an address may be of another version.
 * @param {string} query
 * @returns {State}
 */
export function parseState(query) {
  const sent = new URLSearchParams(query);
  const type = choose(sent.get("type"), [EVERY_TYPE, ...TYPES]);
  const view = choose(sent.get("view"), VIEWS);
  const filters = new Map();
  for (const name of listFilters(type)) {
    const value = sent.get(name)?.trim();
    if (value) filters.set(name, value);
  }
  if (!filters.has("lat") || !filters.has("lng")) for (const name of POINT) filters.delete(name);
  const page = Number(sent.get("page"));
  return {
    metro: sent.get("metro") ?? "",
    type,
    view: view === "calendar" && type === "places" ? "list" : view,
    page: Number.isInteger(page) && page > 0 ? page : 1,
    listing: sent.get("listing") ?? "",
    filters,
  };
}

/** @param {State} state */
export function formatState(state) {
  const sent = new URLSearchParams({ metro: state.metro });
  if (state.type !== EVERY_TYPE) sent.set("type", state.type);
  if (state.view !== VIEWS[0]) sent.set("view", state.view);
  for (const [name, value] of state.filters) sent.set(name, value);
  if (state.page > 1) sent.set("page", String(state.page));
  if (state.listing) sent.set("listing", state.listing);
  return `?${sent.toString().replaceAll("%2C", ",")}`;
}

/**
 * The state with some filters changed: an empty value takes one away. It begins at the first page again.
 * @param {State} state
 * @param {Record<string, string>} changes
 * @returns {State}
 */
export function changeFilters(state, changes) {
  const filters = new Map(state.filters);
  for (const [name, value] of Object.entries(changes)) {
    if (value) filters.set(name, value);
    else filters.delete(name);
  }
  const [from, to] = [filters.get("from"), filters.get("to")];
  if (from && to && to < from) "from" in changes ? filters.set("to", from) : filters.set("from", to);
  return { ...state, filters, page: 1, listing: "" };
}

/**
 * The same filters of another collection, as far as it has them. A condition may name what only one collection has.
 * @param {State} state
 * @param {string} type
 * @returns {State}
 */
export function changeType(state, type) {
  const names = listFilters(type);
  const filters = new Map([...state.filters].filter(([name]) => names.includes(name) && name !== "where"));
  const view = state.view === "calendar" && type === "places" ? "list" : state.view;
  return { ...state, type, view, filters, page: 1, listing: "" };
}

/**
 * @param {string | null} value
 * @param {string[]} allowed
 */
function choose(value, allowed) {
  return value !== null && allowed.includes(value) ? value : allowed[0];
}
