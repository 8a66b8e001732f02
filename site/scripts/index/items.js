/** Writes listings of an index as the API writes them, as far as the explorer shows them. */
import { findMeeting } from "./selection.js";

/**
 * @typedef {import("./listings.js").Listing} Listing
 * @typedef {import("./listings.js").EventDate} EventDate
 * @typedef {import("./listings.js").Offer} Offer
 * @typedef {import("./selection.js").Match} Match
 */

const DAY_MS = 86_400_000;
const HOUR = 60;
const DAY = 24 * HOUR;

/** Knows the day from which an index counts. */
export class Days {
  /**
   * @param {string} first
   * @param {string[]} weekdays
   */
  constructor(first, weekdays) {
    this.first = Date.parse(`${first}T00:00:00Z`);
    this.weekdays = weekdays;
  }

  /** @param {string} day */
  number(day) {
    return Math.round((Date.parse(`${day}T00:00:00Z`) - this.first) / DAY_MS);
  }

  /** @param {number} day */
  write(day) {
    return new Date(this.first + day * DAY_MS).toISOString().slice(0, 10);
  }

  /** @param {number | null} day */
  writeStated(day) {
    return day === null ? null : this.write(day);
  }

  /**
   * @param {number} day
   * @param {number} minute of the day, or of a later day
   */
  writeTime(day, minute) {
    return `${this.write(day + Math.floor(minute / DAY))}T${writeClock(minute % DAY)}`;
  }
}

/** @param {number} minute */
function writeClock(minute) {
  const pad = (/** @type {number} */ number) => String(Math.floor(number)).padStart(2, "0");
  return `${pad(minute / HOUR)}:${pad(minute % HOUR)}:${pad(Math.round((minute % 1) * HOUR))}`;
}

/**
 * A listing as a list shows it.
 * @param {Match} match
 * @param {{days: Days, metro: string, today: number, isExpanded?: boolean}} about
 * @returns {any}
 */
export function writeItem({ listing, parts }, about) {
  const { venue, price, facts, registration } = listing;
  const [is_indoor, is_outdoor, is_sensory_friendly, good_for_rainy] = facts;
  return {
    id: listing.slug,
    type: listing.type,
    slug: listing.slug,
    name: listing.name,
    categories: listing.categories,
    organization: listing.organization ?? { id: null, name: null, slug: null },
    metro: about.metro,
    place: venue.place === null ? null : { name: venue.place },
    location: {
      address: venue.address,
      city: venue.city,
      lat: venue.lat,
      lng: venue.lng,
      neighborhood: venue.neighborhood,
      neighborhood_slug: venue.neighborhood_slug,
    },
    price: listing.type === "place" ? undefined : price,
    ages: { min: listing.ageMin, max: listing.ageMax },
    registration: { status: registration.status, spots_remaining: registration.spots },
    is_indoor,
    is_outdoor,
    is_sensory_friendly,
    good_for_rainy,
    ...MEMBERS[listing.type](listing, parts, about),
  };
}

/**
 * @typedef {{days: Days, today: number, isExpanded?: boolean}} About
 * @type {Record<string, (listing: Listing, parts: any[], about: About) => object>}
 */
const MEMBERS = {
  event: writeDates,
  class: (listing, _, { days }) => ({
    ...writeSection(listing.offers[0], days),
    sections: listing.offers.length > 1 ? listing.offers.map((offer) => writeSection(offer, days)) : [],
  }),
  camp: (listing, _, { days }) => writeSessions(listing.offers, days),
  place: ({ typeHint, hours }, _, { days }) => ({
    type_hint: typeHint,
    hours: hours && Object.fromEntries(days.weekdays.map((word, at) => [word, hours[at]])),
  }),
};

/**
 * @param {Listing} listing
 * @param {EventDate[]} parts
 * @param {{days: Days, today: number, isExpanded?: boolean}} about
 */
function writeDates(listing, parts, { days, today, isExpanded }) {
  const date = parts[0];
  const next = listing.dates.find(({ day }) => day >= today) ?? date;
  const times = writeDate(date, days);
  return {
    ...times,
    has_time: date.minute !== null,
    is_recurring: listing.isRecurring,
    is_sold_out: listing.isSoldOut,
    occurrence: { next_starts_local: writeDate(next, days).starts_local, ...(isExpanded && times) },
  };
}

/**
 * @param {EventDate} date
 * @param {Days} days
 */
function writeDate({ day, minute, lasts }, days) {
  return {
    starts_local: days.writeTime(day, minute ?? 0),
    ends_local: lasts === null ? null : days.writeTime(day, (minute ?? 0) + lasts),
  };
}

/**
 * @param {Offer} offer
 * @param {Days} days
 */
function writeSection({ starts, ends, days: bits, minute, end, ageMin, ageMax, price, status, spots }, days) {
  return {
    term: { starts_on: days.writeStated(starts), ends_on: days.writeStated(ends) },
    schedule: {
      days: days.weekdays.filter((_, bit) => ((bits ?? 0) >> bit) & 1),
      start_time: minute === null ? null : writeClock(minute),
      end_time: end === null ? null : writeClock(end),
    },
    ages: { min: ageMin, max: ageMax },
    price,
    registration: { status, spots_remaining: spots },
  };
}

/**
 * @param {Offer[]} offers
 * @param {Days} days
 */
function writeSessions(offers, days) {
  const starts = offers.flatMap(({ starts }) => starts ?? []);
  const ends = offers.flatMap(({ ends }) => ends ?? []);
  return {
    starts_on: starts.length ? days.write(Math.min(...starts)) : null,
    ends_on: ends.length ? days.write(Math.max(...ends)) : null,
    sessions: offers.map((offer) => ({
      ...writeSection(offer, days),
      starts_on: days.writeStated(offer.starts),
      ends_on: days.writeStated(offer.ends),
    })),
  };
}

/**
 * When a listing next begins, as the API says it of what is near a point; null where nobody knows.
 * @param {Match} match
 * @param {{days: Days, today: number}} about
 */
export function findStart({ listing, parts }, { days, today }) {
  if (listing.type === "event") return writeDate(/** @type {EventDate} */ (parts[0]), days).starts_local;
  const monday = days.number("1970-01-05");
  const offers = /** @type {Offer[]} */ (parts);
  const starts = offers.map((offer) =>
    listing.type === "class"
      ? { day: findMeeting(offer, today, monday), minute: offer.minute }
      : { day: offer.starts ?? Number.POSITIVE_INFINITY, minute: offer.minute },
  );
  const [first] = starts.sort((one, other) => one.day - other.day || (one.minute ?? 0) - (other.minute ?? 0));
  return first && Number.isFinite(first.day) ? days.writeTime(first.day, first.minute ?? 0) : null;
}
