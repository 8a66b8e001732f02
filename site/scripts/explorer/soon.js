import { addDays } from "./days.js";
import { findStart } from "./facts.js";
import { requestFirst } from "./requests.js";
import { changeFilters, DATED_TYPES, listTypes } from "./state.js";

/** @import { Item, ListBody } from "../../types/api.js" */

/**
 * @typedef {import("./state.js").State} State
 * @typedef {{from: string, to: string}} Window
 * @typedef {{state: State, rows: Item[], isAll: boolean}} Soon what is on in the days that `state` says, by when it is;
 *   `isAll`: the filters find nothing else
 */

const SOON_DAYS = 6;

/**
 * What is on in the first days that the filters allow, of all dated kinds together. The API sorts classes by name, so
 * they are sorted here: where a kind has more in these days than one request returns, only the first day is read.
 * @param {import("./api.js").Api} api
 * @param {State} state
 * @param {string} today
 * @param {AbortSignal} signal
 * @returns {Promise<Soon>}
 */
export async function readSoon(api, state, today, signal) {
  const types = listTypes(state).filter((type) => DATED_TYPES.includes(type));
  const from = state.filters.get("from") ?? today;
  const last = state.filters.get("to") ?? "9999";
  const [wide, narrow] = [addDays(from, SOON_DAYS - 1), from].map((day) => [day, last].sort()[0]);
  const read = async (/** @type {string} */ to) => {
    const own = changeFilters(state, { from, to });
    /** @type {ListBody[]} */
    const bodies = await Promise.all(requestFirst(own, types).map(({ path }) => api.read(path, signal)));
    const isWhole = bodies.every(({ data, facets }) => facets.total <= data.length);
    return {
      isWhole,
      isAll: isWhole && to === last,
      state: own,
      rows: sortByStart(
        bodies.flatMap(({ data }) => data),
        { from, to },
      ),
    };
  };
  const soon = await read(wide);
  return soon.isWhole || wide === narrow ? soon : read(narrow);
}

/**
 * By the start, on the first day where an item began before; what has no date comes last.
 * @param {Item[]} items
 * @param {Window} window
 */
export function sortByStart(items, window) {
  const starts = new Map(items.map((item) => [item, findStartIn(item, window)]));
  const tell = (/** @type {Item} */ item) => starts.get(item) || "~";
  return [...items].sort((one, other) => (tell(one) < tell(other) ? -1 : tell(one) > tell(other) ? 1 : 0));
}

/**
 * @param {Item} item
 * @param {Window | null} window
 */
export function findStartIn(item, window) {
  const start = findStart(item, window)?.start ?? "";
  return window && start && start < window.from ? window.from : start;
}
