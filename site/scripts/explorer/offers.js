/** Finds which sections of a class or sessions of a camp fit the filters, so that a row shows what one can have. */
import { findMeeting, isOver } from "./meetings.js";

/** @import { Item } from "../../types/api.js" */

/**
 * @typedef {import("./meetings.js").Span} Span
 * @typedef {import("./meetings.js").Plan & {ages: any, price: any, registration: any}} Offer a section or a session,
 *   with what its listing states where it states nothing itself; a class or camp without any is its own only one
 */

/**
 * The sections or sessions of a class or camp.
 * @param {Item} item
 * @returns {Offer[]}
 */
function listOffers(item) {
  /** @type {any[]} */
  const parts = (item.type === "class" ? item.sections : item.sessions) ?? [];
  return (parts.length ? parts : [item]).map((part) => readOffer(part, item));
}

/**
 * @param {any} part
 * @param {any} item
 * @returns {Offer}
 */
function readOffer(part, item) {
  const own = part.schedule ?? part;
  const term = part.term?.starts_on || part.term?.ends_on ? part.term : (item.term ?? part);
  const hasAges = (part.ages?.min ?? null) !== null || (part.ages?.max ?? null) !== null;
  return {
    starts: term.starts_on ?? "",
    ends: term.ends_on ?? "",
    days: own.days ?? [],
    start: own.start_time ?? "",
    end: own.end_time ?? "",
    isDaily: item.type === "camp",
    ages: hasAges ? part.ages : item.ages,
    price: readPrice(part, item),
    registration: part.registration ?? item.registration,
  };
}

/**
 * @param {any} part
 * @param {any} item
 */
function readPrice(part, item) {
  const amount = part.tuition?.amount ?? null;
  if (amount !== null)
    return { min: amount, max: amount, is_free: amount === 0, currency: part.tuition.currency ?? item.price?.currency };
  const isStated = part.price && ((part.price.min ?? null) !== null || part.price.is_free !== null);
  return isStated ? part.price : item.price;
}

/**
 * Whether an offer meets the filters that a section or a session can meet, its dates aside.
 * @param {Offer} offer
 * @param {Map<string, string>} filters
 */
function fits({ ages, price, days, start, registration }, filters) {
  const number = (/** @type {string} */ name) => (filters.has(name) ? Number(filters.get(name)) : null);
  const [age, most] = [number("age"), number("max_price")];
  const weekdays = filters.get("weekday")?.split(",");
  const [after, before] = [filters.get("start_after"), filters.get("start_before")];
  return (
    (age === null || ((ages?.min ?? age) <= age && age <= (ages?.max ?? age))) &&
    (most === null || price?.is_free === true || ((price?.min ?? null) !== null && price.min <= most)) &&
    (!filters.has("free") || price?.is_free === (filters.get("free") === "true")) &&
    (!filters.has("openings") || hasRoom(registration)) &&
    (!weekdays || weekdays.some((day) => days.includes(day))) &&
    (!after || (start !== "" && start >= after)) &&
    (!before || (start !== "" && start < before))
  );
}

/** @param {any} registration */
function hasRoom(registration) {
  return registration?.has_spots_available ?? (registration?.spots_remaining ?? 1) > 0;
}

/** @param {Offer} offer */
export function isFull({ registration }) {
  const status = registration?.status;
  return status === "full" || status === "closed" || status === "waitlist" || !hasRoom(registration);
}

/**
 * A class or camp as its best section or session: of those that fit, one that can be joined, the soonest, the cheapest.
 * Where all of those days are over, it is one of them.
 * `others` counts the rest of those that fit.
 * @param {Item} item
 * @param {Map<string, string>} filters
 * @param {{span: Span, now: string, wantsBeginning: boolean}} when the days that count, and whether to begin then
 * @returns {{item: Item, offer: Offer, others: number}}
 */
export function chooseOffer(item, filters, { span, now, wantsBeginning }) {
  const offers = listOffers(item);
  const fitting = offers.filter((offer) => fits(offer, filters));
  const dated = fitting.filter((offer) => findMeeting(offer, span, now) || !(offer.starts || offer.days.length));
  const over = fitting.filter((offer) => findMeeting(offer, span));
  const [chosen = offers] = [dated, over, fitting].filter((some) => some.length);
  const ranked = chosen.map((offer) => ({
    offer,
    key: [
      isFull(offer) ? 1 : 0,
      hasBegun(offer, now) ? 1 : 0,
      wantsBeginning && startsBefore(offer, span) ? 1 : 0,
      findMeeting(offer, span, now)?.start ?? "~",
      offer.price?.is_free ? 0 : (offer.price?.min ?? Number.POSITIVE_INFINITY),
    ],
  }));
  ranked.sort((one, other) => compareKeys(one.key, other.key));
  const [{ offer }] = ranked;
  const own =
    item.type === "class"
      ? {
          schedule: {
            ...item.schedule,
            days: offer.days,
            start_time: offer.start || null,
            end_time: offer.end || null,
          },
          term: { starts_on: offer.starts || null, ends_on: offer.ends || null },
          sections: [],
        }
      : {
          starts_on: offer.starts || null,
          ends_on: offer.ends || null,
          days: offer.days,
          start_time: offer.start || null,
          end_time: offer.end || null,
          sessions: [],
        };
  const { ages, price, registration } = offer;
  const row = /** @type {Item} */ (/** @type {any} */ ({ ...item, ...own, ages, price, registration }));
  return { item: row, offer, others: ranked.length - 1 };
}

/**
 * Whether one has missed the first day of what is a whole, as a camp is. A course may still be joined.
 * @param {Offer} offer
 * @param {string} now
 */
export function hasBegun({ starts, start, isDaily }, now) {
  return isDaily && starts !== "" && isOver({ start: start ? `${starts}T${start}` : starts, end: "" }, now);
}

/**
 * @param {Offer} offer
 * @param {Span} span
 */
export function startsBefore({ starts }, { from }) {
  return starts !== "" && starts < from;
}

/**
 * @param {(string | number)[]} one
 * @param {(string | number)[]} other
 */
export function compareKeys(one, other) {
  for (const [at, value] of one.entries()) {
    if (value < other[at]) return -1;
    if (value > other[at]) return 1;
  }
  return 0;
}
