/** Reads when a place is open, from the hours that it states in words. */
import { findWeekday } from "./days.js";
import { measure } from "./location.js";

/** @import { Item } from "../../types/api.js" */

const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
// "800pm" is said, too.
const CLOCK = "(\\d{1,2})(?:[:.]?(\\d{2}))?(?!\\d) ?([ap]\\.?m)?";
const DAY_MINUTES = 24 * 60;

/**
 * Until when a place is open, as `17:00:00`; null where it is closed, or where nobody knows.
 * @param {Item} place
 * @param {string} now local
 */
export function findClosing(place, now) {
  /** @type {Record<string, string | null>} */
  const hours = /** @type {any} */ (place).hours ?? {};
  const [day, clock] = now.split("T");
  const minute = Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5));
  const at = findWeekday(day);
  const today = readHours(hours[WEEKDAYS[at]] ?? "").find(([start, end]) => start <= minute && minute < end);
  // What opened yesterday may be open past midnight.
  const late = readHours(hours[WEEKDAYS[(at + 6) % 7]] ?? "").find(([, end]) => minute < end - DAY_MINUTES);
  const end = today?.[1] ?? (late && late[1] - DAY_MINUTES);
  if (end === undefined) return null;
  const pad = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return `${pad(Math.floor((end % DAY_MINUTES) / 60))}:${pad(end % 60)}:00`;
}

/**
 * The places that the filters ask for: nearest first, or those that are open longest.
 * @param {Item[]} places
 * @param {import("./state.js").State} state
 * @param {string} now
 */
export function choosePlaces(places, { filters }, now) {
  const center = { lat: Number(filters.get("lat")), lng: Number(filters.get("lng")) };
  const key = (/** @type {Item} */ place) => {
    const { lat = null, lng = null } = place.location ?? {};
    if (filters.has("lat"))
      return lat === null || lng === null ? Number.POSITIVE_INFINITY : measure(center, { lat, lng });
    const closing = filters.has("open") ? findClosing(place, now) : null;
    return closing === null ? 0 : -countLeft(closing, now);
  };
  return places
    .filter(
      (place) =>
        (!filters.has("open") || findClosing(place, now) !== null) &&
        (!filters.has("indoor") || String(place.is_indoor) === filters.get("indoor")) &&
        (!filters.has("outdoor") || String(place.is_outdoor) === filters.get("outdoor")),
    )
    .map((place) => ({ place, key: key(place) }))
    .sort((one, other) => one.key - other.key)
    .map(({ place }) => place);
}

/**
 * Minutes from now until a clock time.
 * @param {string} closing
 * @param {string} now
 */
function countLeft(closing, now) {
  const [end, start] = [closing, now.slice(11)].map(
    (clock) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5)),
  );
  return (end - start + DAY_MINUTES) % DAY_MINUTES;
}

/**
 * The times of a text such as "9am-12pm, 13:00 - 17:30", in minutes; an end before its start is on the next day.
 * @param {string} text
 * @returns {[number, number][]}
 */
export function readHours(text) {
  const pattern = new RegExp(`${CLOCK} ?(?:-|–|—|to|until|a|hasta) ?${CLOCK}`, "giu");
  return [...text.matchAll(pattern)].map(([, hour, minute, half, lastHour, lastMinute, lastHalf]) => {
    const end = readClock(lastHour, lastMinute, lastHalf);
    // "9-5pm" is from the morning on, "1-5pm" is not.
    const start = half || !lastHalf ? readClock(hour, minute, half) : readClock(hour, minute, lastHalf);
    const first = !half && lastHalf && start >= end ? readClock(hour, minute, "am") : start;
    return [first, end > first ? end : end + DAY_MINUTES];
  });
}

/**
 * @param {string} hour
 * @param {string | undefined} minute
 * @param {string | undefined} half
 */
function readClock(hour, minute, half) {
  const own = half ? (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0) : Number(hour);
  return own * 60 + Number(minute ?? 0);
}
