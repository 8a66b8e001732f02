/** Finds when a section of a class or a session of a camp meets, and tells what is over. */
import { addDays, findFirst, findLast, findWeekday } from "./days.js";

/**
 * @typedef {{from: string, to: string}} Span days, both inclusive
 * @typedef {{start: string, end: string}} Moment local times as `2025-01-10T18:00:00`, or days; `end` is empty where it
 *   is not known
 * @typedef {{starts: string, ends: string, days: string[], start: string, end: string, isDaily: boolean}} Plan the
 *   first and the last day, the weekdays, and the hours; empty where they are not known. `isDaily`: without weekdays it
 *   meets on every day, not on the first alone
 */

const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
/** How many days are looked at where the filters name no last day. */
export const MOST_DAYS = 366;

/**
 * The first meeting in these days that is not over at `now`; without `now` the first of all.
 * @param {Plan} plan
 * @param {Span} span
 * @param {string} [now]
 * @returns {Moment | null}
 */
export function findMeeting({ starts, ends, days, start, end, isDaily }, { from, to }, now = "") {
  if (!days.length && !starts) return null;
  const last = findFirst(ends || (days.length ? to : starts), to);
  let day = findLast(starts, from);
  for (let left = MOST_DAYS; day <= last && left > 0; day = addDays(day, 1), left--) {
    const isOn = days.length ? days.includes(WEEKDAYS[findWeekday(day)]) : isDaily || day === starts;
    if (!isOn) continue;
    const meeting = { start: start ? `${day}T${start}` : day, end: end > start ? `${day}T${end}` : "" };
    if (!isOver(meeting, now)) return meeting;
  }
  return null;
}

/**
 * What says no end is over when it has begun.
 * @param {Moment} moment
 * @param {string} now
 */
export function isOver({ start, end }, now) {
  const last = end || start;
  return last.includes("T") ? last <= now : last < now.slice(0, 10);
}
