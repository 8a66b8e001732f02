import { Failure } from "../explorer/api.js";
import { addDays, findNow, findToday } from "../explorer/days.js";
import { findClosing } from "../explorer/hours.js";
import { combineReadings, listAttempts } from "../query/readings.js";
import { fold } from "./filters.js";
import { Days, findStart, writeItem } from "./items.js";
import { mergeEvents, readListings, TYPES } from "./listings.js";
import { countCells, countFacets, expandDates, findMatches, sortByDistance } from "./selection.js";
import { Words } from "./words.js";

/**
 * @typedef {import("./listings.js").Listing} Listing
 * @typedef {import("./selection.js").Match} Match
 * @typedef {import("../../types/api.js").Metro} Metro
 */

const COLLECTIONS = Object.keys(TYPES);
const CELLS_PER_DEGREE = 200;
const USUAL_LIMIT = 50;
const USUAL_DAYS = 30;
const LAST = "9999-12-31";
// Parameters of a search that are no filters.
const SEARCH = ["q", "types", "match", "limit"];

/** The index of one metro, and its later files as they are loaded. */
class MetroIndex {
  /**
   * @param {any} file
   * @param {(name: string) => Promise<any>} load
   * @param {import("../explorer/language.js").Language} language
   * @param {object} about
   * @param {string} about.name of the metro
   * @param {() => Promise<import("../query/tables.js").Languages>} about.readTables by which queries are understood
   */
  constructor(file, load, language, { name, readTables }) {
    this.file = file;
    this.load = load;
    this.language = language;
    this.name = name;
    this.readTables = readTables;
    this.days = new Days(file.date, file.rules.weekdays);
    this.monday = this.days.number("1970-01-05");
    this.unread = [.../** @type {string[]} */ (file.later)];
    /** @type {Record<string, Listing[]>} */
    this.listings = Object.fromEntries(COLLECTIONS.map((name) => [name, readListings(file, name, file)]));
    /** @type {Words | null} */
    this.words = null;
  }

  get today() {
    return this.days.number(findToday(this.file.metro.timezone));
  }

  /** The last day of which everything is loaded. */
  get last() {
    return this.unread.length ? addDays(this.unread[0], -1) : LAST;
  }

  /**
   * Loads the files of events up to a day.
   * @param {string} last
   */
  async loadUntil(last) {
    const wanted = this.unread.filter((first) => first <= last);
    this.unread = this.unread.filter((first) => first > last);
    const files = await Promise.all(wanted.map((first) => this.load(`${first}.json`)));
    for (const later of files) {
      const events = readListings(later, "events", this.file);
      this.listings.events = mergeEvents(this.listings.events, events);
      this.words = null;
    }
  }

  async openWords() {
    if (this.words) return this.words;
    const languages = await this.readTables();
    const all = COLLECTIONS.flatMap((name) => this.listings[name]);
    const name = (/** @type {string} */ word) => this.language.name(word);
    const areas = this.file.neighborhoods.map((/** @type {string[]} */ [, name]) => name);
    const places = { metro: [this.name, this.file.metro.slug], areas };
    this.words = new Words(all, { language: this.file.metro.language, name, languages, places });
    return this.words;
  }

  /**
   * @param {string} collection
   * @param {Map<string, string>} values
   */
  async find(collection, values) {
    if (collection === "events") {
      const from = values.get("from") ?? findToday(this.file.metro.timezone);
      await this.loadUntil(values.get("to") ?? addDays(from, USUAL_DAYS));
    }
    const about = {
      collection,
      rules: this.file.rules,
      numberDay: (/** @type {string} */ day) => this.days.number(day),
      today: this.today,
    };
    const matches = findMatches(this.listings[collection], values, about);
    const q = values.get("q");
    if (!q) return matches;
    const { matches: found, isPartial } = (await this.openWords()).find(q);
    const have = new Set(isPartial ? [] : found.map(({ listing }) => listing));
    return matches.filter(({ listing }) => have.has(listing));
  }

  /** @param {Match} match */
  write(match, isExpanded = false) {
    return writeItem(match, { days: this.days, metro: this.file.metro.slug, today: this.today, isExpanded });
  }
}

/** Answers the explorer's requests from the metros' indexes, as the API would. */
export class IndexApi {
  /**
   * @param {Metro[]} metros those that have an index
   * @param {(path: string) => string} locate the address of a file of the tree
   * @param {import("../explorer/language.js").Language} language
   * @param {() => Promise<import("../query/tables.js").Languages>} readTables
   */
  constructor(metros, locate, language, readTables) {
    this.metros = metros;
    this.locate = locate;
    this.language = language;
    this.readTables = readTables;
    /** @type {Map<string, Promise<MetroIndex>>} */
    this.indexes = new Map();
    this.key = "";
    this.ownKey = "";
    this.base = new URL(locate("v1/"));
    // All is here already: an answer is as long as the city has listings.
    this.longest = 1_000_000;
  }

  /**
   * @template [Answer=any]
   * @param {string} path behind `/v1/`
   * @param {AbortSignal} [signal]
   * @returns {Promise<Answer>}
   */
  async read(path, signal) {
    const answer = await this.#answer(path);
    signal?.throwIfAborted();
    return answer;
  }

  /**
   * @param {string} path
   * @param {number} most
   * @param {AbortSignal} [signal]
   */
  async readRows(path, most, signal) {
    const body = await this.read(`${path}&limit=${most}`, signal);
    return { rows: body.data, isWhole: !body.meta.has_more };
  }

  /**
   * @param {string} path
   * @returns {Promise<any>}
   */
  async #answer(path) {
    const [route, query = ""] = path.split("?");
    const values = new Map(new URLSearchParams(query));
    const parts = route.split("/").map(decodeURIComponent);
    if (parts[0] === "listings") return { data: [] };
    if (parts.length === 2 && COLLECTIONS.includes(parts[0])) return this.#readListing(parts[0], parts[1]);
    const index = await this.#open(parts[0]);
    if (COLLECTIONS.includes(parts[1])) return ANSWERS[parts[2] ?? "list"](index, parts[1], values);
    const answer = ANSWERS[parts[1]];
    if (!answer) throw new Failure(501, path);
    return answer(index, "", values);
  }

  /** @param {string} slug */
  #open(slug) {
    const load = async (/** @type {string} */ name) => {
      const answer = await fetchOnce(this.locate(`v1/${slug}/explorer/${name}`)).catch((error) => {
        throw new Failure(0, String(error));
      });
      if (!answer.ok) throw new Failure(answer.status, answer.statusText);
      return answer.json();
    };
    const known = this.indexes.get(slug);
    if (known) return known;
    const name = this.metros.find((metro) => metro.slug === slug)?.name ?? slug;
    const about = { name, readTables: this.readTables };
    const opened = load("index.json").then((file) => new MetroIndex(file, load, this.language, about));
    this.indexes.set(slug, opened);
    opened.catch(() => this.indexes.delete(slug));
    return opened;
  }

  /**
   * The listing of a slug, in whichever metro it is.
   * @param {string} collection
   * @param {string} slug
   */
  async #readListing(collection, slug) {
    for (const { slug: metro } of this.metros) {
      if (!this.indexes.has(metro)) continue;
      const index = await this.#open(metro);
      const listing = index.listings[collection].find((listing) => listing.slug === slug);
      if (listing) return { data: index.write({ listing, parts: listing.dates }) };
    }
    throw new Failure(404, slug);
  }
}

/**
 * What the page asked for before this script was there (explorer_early.js), else a new answer.
 * @param {string} href
 * @returns {Promise<Response>}
 */
function fetchOnce(href) {
  const { earlyIndex: early } = /** @type {any} */ (globalThis);
  if (early?.href !== href) return fetch(href);
  early.href = "";
  return early.answer;
}

/** @type {Record<string, (index: MetroIndex, collection: string, values: Map<string, string>) => Promise<any>>} */
const ANSWERS = {
  list: answerList,
  calendar: answerCalendar,
  density: async (index, collection, values) => {
    const cells = countCells(await index.find(collection, values), CELLS_PER_DEGREE);
    return { data: cells, meta: { degrees: 1 / CELLS_PER_DEGREE } };
  },
  nearby: answerNearby,
  search: answerSearch,
  suggest: async (index, _, values) => ({
    data: (await index.openWords()).suggest(values.get("q") ?? "", index.file.neighborhoods),
  }),
  neighborhoods: async ({ file }) => ({
    data: file.neighborhoods.map((/** @type {any[]} */ [slug, name, lat, lng]) => ({
      slug,
      name,
      bounds: { south: lat, north: lat, west: lng, east: lng },
    })),
  }),
};

/**
 * @param {MetroIndex} index
 * @param {string} collection
 * @param {Map<string, string>} values
 */
async function answerList(index, collection, values) {
  const ids = values.get("ids")?.split(",");
  if (ids) {
    const named = ids.flatMap((slug) => index.listings[collection].find((listing) => listing.slug === slug) ?? []);
    return { data: named.map((listing) => index.write({ listing, parts: listing.dates })), meta: { has_more: false } };
  }
  const found = await index.find(collection, values);
  const isExpanded = values.get("occurrences") === "expand";
  const matches = isExpanded ? expandDates(found) : found;
  const limit = Number(values.get("limit") ?? USUAL_LIMIT);
  const first = (Number(values.get("page") ?? 1) - 1) * limit;
  const rows = matches.slice(first, first + limit);
  const { rules, categories } = index.file;
  const names = values.get("facets")?.split(",") ?? [];
  return {
    data: rows.map((match) => index.write(match, isExpanded)),
    meta: { limit, count: rows.length, has_more: first + limit < matches.length, next_cursor: null },
    facets: countFacets(matches, names, { collection, rules, categories, monday: index.monday }),
  };
}

/**
 * @param {MetroIndex} index
 * @param {string} collection
 * @param {Map<string, string>} values
 */
async function answerCalendar(index, collection, values) {
  const [from, to] = [values.get("from") ?? "", values.get("to") ?? ""];
  const days = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  if (collection === "events") {
    const counts = new Map(days.map((day) => [index.days.number(day), { count: 0, free_count: 0 }]));
    for (const { listing, parts } of expandDates(await index.find(collection, values))) {
      const counted = counts.get(/** @type {import("./listings.js").EventDate} */ (parts[0]).day);
      if (!counted) continue;
      counted.count++;
      if (listing.price.is_free) counted.free_count++;
    }
    return { data: days.map((date) => ({ date, ...counts.get(index.days.number(date)) })) };
  }
  const own = new Map([...values, ["meets", "true"]]);
  const counted = days.map(async (date) => {
    const matches = await index.find(collection, new Map([...own, ["from", date], ["to", date]]));
    return { date, count: matches.length };
  });
  return { data: await Promise.all(counted) };
}

/**
 * @param {MetroIndex} index
 * @param {string} _
 * @param {Map<string, string>} values
 */
async function answerNearby(index, _, values) {
  const center = { lat: Number(values.get("lat")), lng: Number(values.get("lng")) };
  const radius = Number(values.get("radius_m") ?? index.file.rules.radius_m);
  const from = values.get("from") ?? findToday(index.file.metro.timezone);
  const window = new Map([...values, ["from", from], ["to", values.get("to") ?? addDays(from, USUAL_DAYS)]]);
  const types = values.get("types")?.split(",") ?? COLLECTIONS;
  const found = await Promise.all(types.map((collection) => index.find(collection, window)));
  const now = Date.now() / 60_000 - index.days.first / 60_000;
  const open = found.flat().flatMap(({ listing, parts }) => {
    const left = listing.type === "event" ? parts.filter((part) => isAhead(part, now, index.today)) : parts;
    return left.length || listing.type !== "event" ? [{ listing, parts: left }] : [];
  });
  const nearest = sortByDistance(open, center, radius);
  const limit = Number(values.get("limit") ?? USUAL_LIMIT);
  return {
    data: nearest.slice(0, limit).map(({ match, metres }) => ({
      ...index.write(match),
      distance_m: Math.round(metres),
      starts_local: match.listing.type === "place" ? null : findStart(match, index),
    })),
    meta: { has_more: nearest.length > limit, radius_m: radius },
  };
}

/**
 * @param {any} date
 * @param {number} now in minutes, as the date's instant
 * @param {number} today
 */
function isAhead({ minute, instant, day }, now, today) {
  return minute === null ? day >= today : instant >= now;
}

/**
 * @param {MetroIndex} index
 * @param {string} _
 * @param {Map<string, string>} values
 */
async function answerSearch(index, _, values) {
  let search = await findAll(index, values);
  // What nothing of the first days meets may be later.
  if (!search.shown.length && index.unread.length) {
    await index.loadUntil(LAST);
    search = await findAll(index, values);
  }
  const { shown, found, understood, active, relaxed } = search;
  const limit = Number(values.get("limit") ?? USUAL_LIMIT);
  const once = values.get("match") === "auto" ? foldRepeats(shown) : shown.map((one) => ({ ...one, repeats: 0 }));
  return {
    data: once.slice(0, limit).map(({ listing, score, repeats }) => ({
      type: listing.type,
      id: listing.slug,
      slug: listing.slug,
      name: listing.name,
      snippet: listing.name,
      match: found.isPartial ? "partial" : "all_terms",
      score,
      repeats,
    })),
    meta: {
      count_estimate: once.length,
      relaxed: [...found.relaxed, ...relaxed],
      interpreted: {
        age: understood.age,
        filters: active.map(({ text, values }) => ({ from: text, parameters: values, overridden_by: null })),
      },
      ignored_words: understood.ignored,
    },
  };
}

/**
 * What a search finds of what is loaded: in `auto` with the filters that its text states, or as many as can be met.
 * @param {MetroIndex} index
 * @param {Map<string, string>} values
 */
async function findAll(index, values) {
  const types = values.get("types")?.split(",") ?? COLLECTIONS;
  const q = values.get("q") ?? "";
  const given = new Map([...values].filter(([name]) => !SEARCH.includes(name)));
  const words = await index.openWords();
  const understood = words.understand(q);
  const { timezone, is_southern: isSouthern } = index.file.metro;
  const now = findNow(timezone);
  const isOpen = (/** @type {Listing} */ listing) =>
    findClosing(/** @type {any} */ (index.write({ listing, parts: [] })), now) !== null;
  const about = { today: now.slice(0, 10), isSouthern, given, isOpen };
  const readings = values.get("match") === "auto" ? words.listReadings(q, understood, about) : [];
  const { placeKinds } = understood;
  const whole = words.find(q, understood);
  for (const active of listAttempts(readings, index.file.rules.order)) {
    const filters = new Map([...combineReadings(active), ...given]);
    // A list of events ends after some days, a search does not.
    const open = new Map([["to", index.last], ...filters]);
    const matches = await Promise.all(types.map((name) => index.find(name, name === "events" ? open : filters)));
    // Where no place is of the kind, its words are searched for.
    const isNamed = !understood.words.length && placeKinds.length && !active.some(({ values }) => values.type_hint);
    const found = isNamed ? words.find(q, { ...understood, words: placeKinds }) : whole;
    const allowed = new Set(matches.flat().map(({ listing }) => listing));
    const shown = found.matches.filter(
      ({ listing }) => allowed.has(listing) && active.every(({ takes }) => !takes || takes(listing)),
    );
    const relaxed = readings.filter((reading) => !active.includes(reading)).map(({ text }) => text);
    if (shown.length || !active.length) return { shown, found, understood, active, relaxed };
  }
  throw new Error("the last attempt has no filter");
}

/**
 * What somebody offers with the same name, place and ages is one result, with how many more there are.
 * @param {{listing: Listing, score: number}[]} found
 */
function foldRepeats(found) {
  /** @type {Map<string, {listing: Listing, score: number, repeats: number}>} */
  const firsts = new Map();
  for (const { listing, score } of found) {
    const { type, name, organization, venue, ageMin, ageMax } = listing;
    const { place, address, lat, lng } = venue;
    const key = JSON.stringify([type, fold(name), organization?.id, place ?? address, lat, lng, ageMin, ageMax]);
    const first = firsts.get(key);
    if (first) first.repeats++;
    else firsts.set(key, { listing, score, repeats: 0 });
  }
  return [...firsts.values()];
}
