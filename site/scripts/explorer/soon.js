import { arrange } from "./arrange.js";
import { addDays, findFirst } from "./days.js";
import { requestFirst } from "./requests.js";
import { changeFilters, DATED_TYPES, listTypes } from "./state.js";

/** @import { ListBody } from "../../types/api.js" */

/**
 * @typedef {import("./state.js").State} State
 * @typedef {{state: State, arranged: import("./arrange.js").Arranged, isAll: boolean}} Soon what is on in the days that
 *   `state` says; `isAll`: the filters find nothing else
 */

const SOON_DAYS = 6;
// So many rows fill the first screens.
const ENOUGH = 10;

/**
 * What is on in the days that the filters name, or else in the next days, of all dated kinds together. Where one
 * request does not return all of them, days are read one by one until there is enough that one can still go to.
 * @param {import("./api.js").Api} api
 * @param {State} state
 * @param {string} now local
 * @param {AbortSignal} signal
 * @returns {Promise<Soon>}
 */
export async function readSoon(api, state, now, signal) {
  const types = listTypes(state).filter((type) => DATED_TYPES.includes(type));
  const from = state.filters.get("from") ?? now.slice(0, 10);
  const last = state.filters.get("to") ?? "9999";
  const read = async (/** @type {string} */ day) => {
    const to = findFirst(day, last);
    const own = changeFilters(state, { from, to });
    /** @type {ListBody[]} */
    const bodies = await Promise.all(requestFirst(own, api.longest, types).map(({ path }) => api.read(path, signal)));
    const isWhole = bodies.every(({ data, facets }) => facets.total <= data.length);
    const rows = bodies.flatMap(({ data }) => data);
    return { isWhole, isAll: isWhole && to === last, state: own, arranged: arrange(rows, own, now) };
  };
  for (const day of [...(state.filters.has("to") ? [last] : []), addDays(from, SOON_DAYS - 1)]) {
    const soon = await read(day);
    if (soon.isWhole) return soon;
  }
  for (let days = 1; ; days++) {
    const part = await read(addDays(from, days - 1));
    if (part.arranged.ahead.length >= ENOUGH || days === SOON_DAYS || addDays(from, days) > last) return part;
  }
}
