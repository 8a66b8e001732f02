/**
 * Reads the files of a metro's index, in which listings are columns (outings/pages/explorer_index.py), as objects.
 *
 * @typedef {{minute: number | null, lasts: number | null, day: number, instant: number}} EventDate minutes by the local
 *   clock, the day from the index's date on, and the minutes of UTC from that day's midnight on
 * @typedef {{starts: number | null, ends: number | null, days: number | null, minute: number | null,
 *   end: number | null, ageMin: number | null, ageMax: number | null, price: Price, openings: boolean | null,
 *   status: string | null, spots: number | null, isUndated: boolean}} Offer a section of a class or a session of a
 *   camp; `days`: a bit for each weekday; `isUndated`: none of its listing's offers has a date
 * @typedef {{min: number | null, max: number | null, is_free: boolean | null, currency: string | null}} Price
 * @typedef {object} Listing
 * @property {string} type
 * @property {number} row its place in the natural order of its kind
 * @property {number} rank its place by id
 * @property {string} name
 * @property {string} slug
 * @property {{id: string, name: string, slug: string} | null} organization
 * @property {{place: string | null, lat: number | null, lng: number | null, neighborhood_slug: string | null,
 *   neighborhood: string | null, city: string | null, address: string | null}} venue
 * @property {string[]} categories
 * @property {number | null} ageMin
 * @property {number | null} ageMax
 * @property {Price} price
 * @property {(boolean | null)[]} facts indoors, outdoors, sensory friendly, good for rain
 * @property {number | null} program
 * @property {string | null} typeHint
 * @property {boolean} isRecurring
 * @property {boolean} isSoldOut
 * @property {{status: string | null, spots: number | null}} registration
 * @property {EventDate[]} dates of an event, by time
 * @property {Offer[]} offers of a class or camp
 * @property {(string | null)[] | null} hours of a place, by weekday
 */

const DAY = 24 * 60;
const PER_DEGREE = 100_000;
/** @type {Record<string, string>} */
export const TYPES = { events: "event", classes: "class", camps: "camp", places: "place" };

/**
 * The listings of one kind in a file.
 * @param {any} file
 * @param {string} collection
 * @param {{categories: string[], type_hints: string[]}} words
 * @returns {Listing[]}
 */
export function readListings(file, collection, words) {
  const columns = file[collection] ?? {};
  const { organization = [], venue = [], categories = [], price = [], facts = [], hours = [] } = file.tables;
  const organizations = organization.map((/** @type {string[]} */ [id, name, slug]) => ({ id, name, slug }));
  const venues = venue.map(readVenue);
  const prices = price.map(readPrice);
  const topics = categories.map((/** @type {number[]} */ numbers) => numbers.map((number) => words.categories[number]));
  const read = (/** @type {string} */ name, /** @type {number} */ at) => columns[name]?.[at] ?? null;
  let [row, rank] = [0, 0];
  return (columns.name ?? []).map((/** @type {string} */ name, /** @type {number} */ at) => {
    row += columns.row[at];
    rank += columns.rank[at];
    const [status, spots] = read("registration", at) ?? [null, null];
    const listing = {
      type: TYPES[collection],
      row,
      rank,
      name,
      slug: readSlug(read("slug", at), name),
      organization: organizations[read("organization", at)] ?? null,
      venue: venues[read("venue", at)] ?? NOWHERE,
      categories: topics[columns.categories[at]],
      ageMin: read("age_min", at),
      ageMax: read("age_max", at),
      price: prices[read("price", at)] ?? NO_PRICE,
      facts: facts[columns.facts[at]],
      program: read("program", at),
      typeHint: words.type_hints[read("type_hint", at)] ?? null,
      isRecurring: read("is_recurring", at) ?? false,
      isSoldOut: read("is_sold_out", at) ?? false,
      registration: { status, spots },
      dates: readDates(read("dates", at) ?? []),
      offers: readOffers(read("offers", at) ?? []),
      hours: hours[read("hours", at)] ?? null,
    };
    return listing;
  });
}

/** @type {Price} */
const NO_PRICE = { min: null, max: null, is_free: null, currency: null };
const NOWHERE = readVenue([null, null, null, null, null, null, null]);

/** @param {any[]} values */
function readVenue([place, lat, lng, neighborhood_slug, neighborhood, city, address]) {
  const [north, east] = [lat, lng].map((degrees) => (degrees === null ? null : degrees / PER_DEGREE));
  return { place, lat: north, lng: east, neighborhood_slug, neighborhood, city, address };
}

/** @param {any[]} values */
function readPrice([min, max, is_free, currency]) {
  return { min, max, is_free, currency };
}

/** @param {any[][]} rows */
function readOffers(rows) {
  const isUndated = rows.every(([starts]) => starts === null);
  return rows.map((values) => ({ ...readOffer(values), isUndated }));
}

/** @param {any[]} values */
function readOffer([starts, ends, days, minute, end, ageMin, ageMax, min, max, is_free, currency, openings, ...own]) {
  const [status = null, spots = null] = own;
  const price = { min, max, is_free, currency };
  return { starts, ends, days, minute, end, ageMin, ageMax, price, openings, status, spots };
}

/** @param {number[][]} groups each of one time, length and offset from UTC, then its days */
function readDates(groups) {
  /** @type {EventDate[]} */
  const dates = [];
  for (const [minute, lasts, offset, ...steps] of groups) {
    let day = 0;
    for (const step of steps) {
      day += step;
      dates.push({ minute, lasts, day, instant: day * DAY + (minute ?? 0) - offset });
    }
  }
  return groups.length > 1 ? dates.sort((one, other) => one.instant - other.instant) : dates;
}

/**
 * The words of a name as an address has them. The build does the same.
 * @param {string} name
 */
function spellWords(name) {
  return name
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}

/**
 * @param {string | null} rest what the slug has after the name's words, or after `=` all of it
 * @param {string} name
 */
function readSlug(rest, name) {
  return rest?.startsWith("=") ? rest.slice(1) : spellWords(name) + (rest ?? "");
}

/**
 * The events of two files together, each event once with the dates of both.
 * @param {Listing[]} first
 * @param {Listing[]} later
 */
export function mergeEvents(first, later) {
  const merged = new Map(first.map((listing) => [listing.row, listing]));
  for (const listing of later) {
    const known = merged.get(listing.row);
    merged.set(listing.row, known ? { ...known, dates: [...known.dates, ...listing.dates] } : listing);
  }
  return [...merged.values()].sort((one, other) => one.row - other.row);
}
