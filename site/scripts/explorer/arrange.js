/** Puts listings into the order in which they help a family: what one can still go to first, soonest first. */
import { addDays, findLast } from "./days.js";
import { findMeeting, isOver, MOST_DAYS } from "./meetings.js";
import { chooseOffer, compareKeys, hasBegun, isFull, startsBefore } from "./offers.js";
import { findShortWindow } from "./state.js";

/** @import { Item } from "../../types/api.js" */

/**
 * @typedef {import("./meetings.js").Moment} Moment
 * @typedef {import("./meetings.js").Span} Span
 * @typedef {import("./state.js").State} State
 * @typedef {Item & {moment?: Moment | null, others?: number}} Row an item, and of a class or camp the section or
 *   session that fits; `moment`: when it is next, null if nobody knows or nothing is left; `others`: how many more of
 *   its sections or sessions fit
 * @typedef {{ahead: Row[], closed: Row[], over: Row[]}} Arranged `closed`: full, or begun so that one has missed it;
 *   `over`: earlier today
 * @typedef {{row: Row, group: keyof Arranged, runs: boolean, isLate: boolean}} Placed `runs`: for weeks, rather than on
 *   a date; `isLate`: it begins before the days that were asked for
 */

// From so many days on something runs.
const RUNS_DAYS = 7;
/** The ranks of what is full or has begun, and of what is over. */
export const [CLOSED, OVER] = [2, 3];

/**
 * The days that count: from today on.
 * @param {State} state
 * @param {string} now
 * @returns {Span}
 */
function findSpan({ filters }, now) {
  const first = findLast(now.slice(0, 10), filters.get("from") ?? "");
  return { from: first, to: filters.get("to") ?? addDays(first, MOST_DAYS) };
}

/**
 * When an event is: the date that is listed, else its next.
 * @param {Item} item
 * @returns {Moment | null}
 */
function findDate({ occurrence, starts_local: local, ends_local: ends, has_time: hasTime }) {
  const start = occurrence?.starts_local ?? occurrence?.next_starts_local ?? local;
  if (!start) return null;
  const last = occurrence?.starts_local ? occurrence.ends_local : start === local ? ends : null;
  if (hasTime === false) return { start: start.slice(0, 10), end: last?.slice(0, 10) ?? "" };
  return { start, end: last && last > start ? last : "" };
}

/**
 * @param {Item} item
 * @param {State} state
 * @param {string} now
 * @returns {Placed}
 */
function placeItem(item, state, now) {
  if (item.type === "place") return { row: { ...item, moment: null }, group: "ahead", runs: false, isLate: false };
  if (item.type === "event") {
    const moment = findDate(item);
    const group = moment && isOver(moment, now) ? "over" : item.is_sold_out ? "closed" : "ahead";
    return { row: { ...item, moment }, group, runs: lasts(moment?.start, moment?.end), isLate: false };
  }
  const span = findSpan(state, now);
  // On a Saturday one goes to what is on; for a month one looks for what begins.
  const wantsBeginning = span.from > now.slice(0, 10) && !findShortWindow(state);
  const { item: chosen, offer, others } = chooseOffer(item, state.filters, { span, now, wantsBeginning });
  const moment = findMeeting(offer, span, now);
  const row = /** @type {Row} */ ({ ...chosen, moment, others });
  const today = now.slice(0, 10);
  const isLate = wantsBeginning && startsBefore(offer, span);
  const placed = { row, runs: lasts(offer.starts, offer.ends), isLate };
  const isPast = !moment && (findMeeting(offer, { from: today, to: today }) || (offer.ends && offer.ends < today));
  if (isPast) return { ...placed, group: "over" };
  return { ...placed, group: isFull(offer) || hasBegun(offer, now) ? "closed" : "ahead" };
}

/**
 * How far an item stands behind others of the same worth, and when it is next: what one can still go to comes first,
 * what is over last.
 * @param {Item} item
 * @param {State} state
 * @param {string} now
 */
export function rankItem(item, state, now) {
  const { group, isLate, row } = placeItem(item, state, now);
  return { rank: group === "over" ? OVER : group === "closed" ? CLOSED : isLate ? 1 : 0, start: row.moment?.start };
}

/**
 * An item as a row of its own.
 * @param {Item} item
 * @param {State} state
 * @param {string} now
 * @returns {Row}
 */
export function showNext(item, state, now) {
  return placeItem(item, state, now).row;
}

/**
 * @param {string | undefined} start
 * @param {string | undefined} end
 */
function lasts(start, end) {
  return Boolean(start && end && end.slice(0, 10) >= addDays(start.slice(0, 10), RUNS_DAYS));
}

/**
 * Items by day, on a day what is dated before what runs for weeks, then by the clock. What nobody can join, and what is
 * over, is apart. With `isOrdered` the items otherwise stay in the order in which they come.
 * @param {Item[]} items
 * @param {State} state
 * @param {string} now local, as `2025-01-10T19:35:00`
 * @param {{isOrdered?: boolean}} [options]
 * @returns {Arranged}
 */
export function arrange(items, state, now, { isOrdered = false } = {}) {
  const placed = items.map((item) => placeItem(item, state, now));
  const keyed = placed.map((one) => {
    const start = one.row.moment?.start ?? "~";
    return { ...one, key: [one.isLate ? 1 : 0, ...(isOrdered ? [] : [start.slice(0, 10), one.runs ? 1 : 0, start])] };
  });
  keyed.sort((one, other) => compareKeys(one.key, other.key));
  const list = (/** @type {keyof Arranged} */ group) =>
    keyed.filter((one) => one.group === group).map(({ row }) => row);
  return { ahead: list("ahead"), closed: list("closed"), over: list("over") };
}
