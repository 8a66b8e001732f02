/** Finds, orders and counts the listings that a request's filters let through, as the API does. */
import { makeFilter, measure } from "./filters.js";

/**
 * @typedef {import("./listings.js").Listing} Listing
 * @typedef {import("./listings.js").EventDate} EventDate
 * @typedef {import("./listings.js").Offer} Offer
 * @typedef {import("./filters.js").Filter} Filter
 * @typedef {{listing: Listing, parts: (EventDate | Offer)[]}} Match a listing with those of its dates, sections or
 *   sessions that meet all conditions
 */

const WEEK = 7;
const NEVER = Number.POSITIVE_INFINITY;
const UNSPECIFIED = "unspecified";
const MOST_ORGANIZATIONS = 10;

/**
 * All matches of a collection, in the order of its list.
 * @param {Listing[]} listings
 * @param {Map<string, string>} values
 * @param {{collection: string, rules: any, numberDay: (day: string) => number, today: number}} about
 * @returns {Match[]}
 */
export function findMatches(listings, values, about) {
  const filter = makeFilter(values, about);
  /** @type {Match[]} */
  const matches = [];
  for (const listing of listings) {
    if (!filter.takes(listing)) continue;
    const all = about.collection === "events" ? listing.dates : listing.offers;
    const parts = all.filter(filter.takesPart);
    if (parts.length || about.collection === "places") matches.push({ listing, parts });
  }
  const monday = about.numberDay("1970-01-05");
  if (about.collection === "classes") return foldPrograms(matches, filter.from, monday);
  return about.collection === "camps" ? sortCamps(matches, filter.from) : matches;
}

/**
 * One listing of each program: the one that meets first.
 * @param {Match[]} matches
 * @param {number} from
 * @param {number} monday
 */
function foldPrograms(matches, from, monday) {
  /** @type {Map<number, {match: Match, day: number}>} */
  const firsts = new Map();
  for (const match of matches) {
    const { program, offers, rank } = match.listing;
    if (program === null) continue;
    const day = Math.min(...offers.map((offer) => findMeeting(offer, from, monday)));
    const known = firsts.get(program);
    if (!known || day < known.day || (day === known.day && rank < known.match.listing.rank))
      firsts.set(program, { match, day });
  }
  return matches.filter(
    (match) => match.listing.program === null || firsts.get(match.listing.program)?.match === match,
  );
}

/**
 * The day of a section's next meeting from a day on.
 * @param {Offer} offer
 * @param {number} from
 * @param {number} monday
 */
export function findMeeting({ starts, ends, days }, from, monday) {
  if (!days) return starts !== null && starts >= from ? starts : NEVER;
  const first = Math.max(starts ?? from, from);
  for (let day = first; day < first + WEEK; day++)
    if ((days >> ((((day - monday) % WEEK) + WEEK) % WEEK)) & 1) return ends !== null && day > ends ? NEVER : day;
  return NEVER;
}

/**
 * By the first session that is not over; camps without one come last.
 * @param {Match[]} matches
 * @param {number} from
 */
function sortCamps(matches, from) {
  const key = (/** @type {Match} */ { listing }) =>
    Math.min(NEVER, ...listing.offers.flatMap(({ starts, ends }) => ((ends ?? -NEVER) >= from ? (starts ?? []) : [])));
  const keys = new Map(matches.map((match) => [match, key(match)]));
  const read = (/** @type {Match} */ match) => keys.get(match) ?? NEVER;
  return matches.sort((one, other) => compare(read(one), read(other)) || one.listing.rank - other.listing.rank);
}

/**
 * @param {number} one
 * @param {number} other
 */
function compare(one, other) {
  return one < other ? -1 : one > other ? 1 : 0;
}

/**
 * Each date of events as a match of its own, by time.
 * @param {Match[]} matches
 * @returns {Match[]}
 */
export function expandDates(matches) {
  const dates = matches.flatMap(({ listing, parts }) => parts.map((date) => ({ listing, parts: [date] })));
  const instant = (/** @type {Match} */ { parts: [date] }) => /** @type {EventDate} */ (date).instant;
  return dates.sort((one, other) => instant(one) - instant(other) || one.listing.rank - other.listing.rank);
}

/**
 * The matches within a radius, nearest first, each with its distance in metres.
 * @param {Match[]} matches
 * @param {{lat: number, lng: number}} center
 * @param {number} radius in metres
 */
export function sortByDistance(matches, center, radius) {
  const measured = matches.flatMap((match) => {
    const metres = measure(center, match.listing.venue);
    return metres === null || metres > radius ? [] : [{ match, metres }];
  });
  return measured.sort(
    (one, other) =>
      one.metres - other.metres ||
      compareText(one.match.listing.type, other.match.listing.type) ||
      one.match.listing.rank - other.match.listing.rank,
  );
}

/**
 * @param {string} one
 * @param {string} other
 */
function compareText(one, other) {
  return one < other ? -1 : one > other ? 1 : 0;
}

/**
 * The matches by dimensions, as the member `facets` of a list.
 * @param {Match[]} matches
 * @param {string[]} names
 * @param {{collection: string, rules: any, categories: string[], monday: number}} about
 */
export function countFacets(matches, names, about) {
  /** @type {Record<string, any>} */
  const facets = { total: matches.length, is_complete: true };
  for (const name of names) {
    if (name === "organization") facets.organization = countOrganizations(matches);
    else facets[name] = countBuckets(matches, name, about);
  }
  return facets;
}

/**
 * @param {Match[]} matches
 * @param {string} name
 * @param {{collection: string, rules: any, categories: string[], monday: number}} about
 */
function countBuckets(matches, name, { collection, rules, categories, monday }) {
  const isOffer = collection === "classes" || collection === "camps";
  /** @type {Record<string, [string[], (match: Match) => string[]]>} */
  const dimensions = {
    category: [categories, ({ listing }) => listing.categories],
    weekday: [rules.weekdays, ({ parts }) => parts.flatMap((part) => listWeekdays(part, rules.weekdays, monday))],
    time_block: [
      Object.keys(rules.time_blocks),
      ({ parts }) => parts.flatMap(({ minute }) => (minute === null ? [] : findBlock(minute, rules.time_blocks))),
    ],
    price_band: [
      Object.keys(rules.price_bands),
      ({ listing, parts }) =>
        (isOffer ? /** @type {Offer[]} */ (parts) : [listing]).flatMap(({ price }) =>
          findBand(price, rules.price_bands),
        ),
    ],
    age_band: [
      Object.keys(rules.age_bands),
      ({ listing, parts }) =>
        (isOffer ? /** @type {Offer[]} */ (parts) : [listing]).flatMap((one) => listBands(one, rules.age_bands)),
    ],
  };
  const [words, read] = dimensions[name];
  const counts = new Map([...words, UNSPECIFIED].map((word) => [word, 0]));
  for (const match of matches) {
    const found = new Set(read(match));
    for (const word of found.size ? found : [UNSPECIFIED]) {
      if (word) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return [...counts].map(([value, count]) => ({ value, count }));
}

/**
 * @param {EventDate | Offer} part
 * @param {string[]} words
 * @param {number} monday
 */
function listWeekdays(part, words, monday) {
  if ("day" in part) return [words[(((part.day - monday) % WEEK) + WEEK) % WEEK]];
  return words.filter((_, bit) => ((part.days ?? 0) >> bit) & 1);
}

/**
 * @param {number} minute
 * @param {Record<string, number>} blocks the hour at which each begins
 */
function findBlock(minute, blocks) {
  return Object.entries(blocks).findLast(([, hour]) => minute >= hour * 60)?.[0] ?? [];
}

/**
 * @param {import("./listings.js").Price} price
 * @param {Record<string, number | null>} bands the least price of each
 */
function findBand({ is_free: isFree, min }, bands) {
  if (isFree) return "free";
  const found = Object.entries(bands).findLast(([, least]) => least !== null && min !== null && min >= least);
  return found?.[0] ?? [];
}

/**
 * The bands of ages that a listing's ages overlap; an empty word where they are beyond all bands.
 * @param {{ageMin: number | null, ageMax: number | null}} ages
 * @param {Record<string, [number, number]>} bands
 */
function listBands({ ageMin, ageMax }, bands) {
  if (ageMin === null && ageMax === null) return [];
  const found = Object.entries(bands).filter(
    ([, [first, last]]) => (ageMin ?? first) <= last && (ageMax ?? last) >= first,
  );
  return found.length ? found.map(([name]) => name) : [""];
}

/** @param {Match[]} matches */
function countOrganizations(matches) {
  /** @type {Map<string, {id: string, name: string, count: number}>} */
  const counts = new Map();
  for (const { listing } of matches) {
    const { id, name } = listing.organization ?? { id: "", name: "" };
    const counted = counts.get(id) ?? { id, name, count: 0 };
    counts.set(id, { ...counted, count: counted.count + 1 });
  }
  const unspecified = counts.get("")?.count ?? 0;
  counts.delete("");
  const key = (/** @type {{name: string, id: string}} */ { name, id }) => `${name.toLowerCase()} ${id}`;
  const sorted = [...counts.values()].sort(
    (one, other) => other.count - one.count || compareText(key(one), key(other)),
  );
  const top = sorted.slice(0, MOST_ORGANIZATIONS);
  return {
    distinct: sorted.length,
    top,
    other_count: sorted.slice(MOST_ORGANIZATIONS).reduce((sum, { count }) => sum + count, 0),
    unspecified_count: unspecified,
  };
}

/**
 * How many matches lie in each cell of a map.
 * @param {Match[]} matches
 * @param {number} perDegree cells
 */
export function countCells(matches, perDegree) {
  /** @type {Map<string, {south: number, west: number, count: number}>} */
  const cells = new Map();
  for (const { listing } of matches) {
    const { lat, lng } = listing.venue;
    if (lat === null || lng === null) continue;
    const [south, west] = [lat, lng].map((degrees) => Math.floor(Number((degrees * perDegree).toFixed(5))) / perDegree);
    const cell = cells.get(`${south} ${west}`) ?? { south, west, count: 0 };
    cells.set(`${south} ${west}`, { ...cell, count: cell.count + 1 });
  }
  return [...cells.values()];
}
