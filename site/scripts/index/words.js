/** Searches the words of an index: names, kinds of places, topics, organizations, places and neighborhoods. */
import { stemmer as stemEnglish } from "@orama/stemmers/english";
import { stemmer as stemSpanish } from "@orama/stemmers/spanish";
import MiniSearch from "minisearch";
import { listReadings } from "../query/readings.js";
import { listWords, MOST_PHRASE } from "../query/tables.js";
import { understand } from "../query/words.js";
import { fold } from "./filters.js";

/**
 * @typedef {import("./listings.js").Listing} Listing
 * @typedef {import("../query/words.js").Understood} Understood
 * @typedef {import("minisearch").Query} Query
 */

/** @type {Record<string, (word: string) => string>} */
const STEMMERS = { en: stemEnglish, es: stemSpanish };
const BOOST = { name: 4, place: 2, organization: 1, topics: 1.5, area: 1 };
// One typo from this length on, two from the second on; never in a word with digits.
const [ONE_TYPO, TWO_TYPOS] = [5, 9];
// What a related phrase is worth beside the word itself.
const RELATED = 0.6;
// What is worth more: a name that says the kind, a place in the named area, and ages that are stated and fit.
const [KIND, NEAR, STATED] = [1.3, 2, 1.5];
// What a listing for teens and older is worth where a word says that children come.
const [TEEN, TOO_OLD] = [13, 0.6];
// What a place is worth where its kind is named beside what is looked for there.
const VENUE = 0.3;
// How much more a name is worth that has the words as they are written: "fishing", not "Hamilton Fish Pool".
const WRITTEN = 0.5;
// A last word of so many letters that nothing has may be half typed.
const LEAST_BEGUN = 3;
// What words are worth that decide nothing: "family swim" has "family", although families come to all.
const SOFT = 0.5;
const MOST_SUGGESTIONS = 8;

/** Finds listings by words. */
export class Words {
  /**
   * @param {Listing[]} listings
   * @param {object} about
   * @param {string} about.language of the listings
   * @param {(word: string) => string} about.name says a word of a vocabulary
   * @param {import("../query/tables.js").Languages} about.languages
   * @param {{metro: string[], areas: string[]}} about.places names of the metro, its neighborhoods and towns
   */
  constructor(listings, { language, name, languages, places }) {
    this.listings = listings;
    this.language = language;
    this.languages = languages;
    const towns = listings.flatMap(({ venue }) => venue.city ?? []);
    this.places = {
      metro: places.metro.map(fold),
      areas: [...new Set([...places.areas, ...towns].map(fold))].filter(
        (name) => !places.metro.map(fold).includes(name),
      ),
    };
    /** @type {Set<string>} stems of what listings say */
    this.known = new Set();
    this.stem = STEMMERS[language] ?? ((/** @type {string} */ word) => word);
    this.index = new MiniSearch({
      idField: "at",
      fields: Object.keys(BOOST),
      tokenize: listWords,
      processTerm: (word) => this.stem(word),
      searchOptions: {
        boost: BOOST,
        combineWith: "AND",
        // A word that listings have is no typo.
        fuzzy: (word) =>
          /\d/.test(word) || word.length < ONE_TYPO || this.known.has(word) ? false : word.length < TWO_TYPOS ? 1 : 2,
        maxFuzzy: 2,
      },
    });
    this.index.addAll(
      listings.map((listing, at) => ({
        at,
        name: listing.name,
        place: listing.venue.place ?? listing.venue.address ?? "",
        organization: listing.organization?.name ?? "",
        topics: [...listing.categories, listing.typeHint ?? ""].map((word) => word && name(word)).join(" "),
        area: [listing.venue.neighborhood, listing.venue.city].filter(Boolean).join(" "),
      })),
    );
    for (const { name, venue } of listings)
      for (const word of listWords(`${name} ${venue.place ?? venue.address ?? ""}`)) this.known.add(this.stem(word));
    /** @type {Map<string, string[][]>} related phrases by the stems of each */
    this.related = new Map();
    for (const group of languages.read(language).related) for (const phrase of group) this.#relate(phrase, group);
    // A phrase of another language is found by what it means in the listings'.
    for (const group of languages.translations)
      for (const phrase of language === "es" ? group.slice(1) : group.slice(0, 1))
        for (const form of [phrase, `${phrase}s`, `${phrase}es`])
          this.#relate(form, language === "es" ? [group[0]] : group.slice(1));
  }

  /**
   * @param {string} phrase
   * @param {string[]} group
   */
  #relate(phrase, group) {
    const key = this.#makeKey(phrase.split(" "));
    this.related.set(key, [...(this.related.get(key) ?? []), group.filter((other) => other !== phrase)]);
  }

  /** @param {string[]} words */
  #makeKey(words) {
    return words.map((word) => this.stem(word)).join(" ");
  }

  /**
   * Each word of a query, or several that are one phrase, with what else means about the same.
   * @param {string[]} words
   * @param {{isBegun: boolean, isRelated: boolean, isSingle?: boolean}} about `isBegun`: the last word may be half
   *   typed; `isSingle`: no words are taken for a phrase
   * @returns {Query[]}
   */
  #expand(words, { isBegun, isRelated, isSingle = false }) {
    /** @type {Query[]} */
    const queries = [];
    const boost = Object.fromEntries(Object.entries(BOOST).map(([field, weight]) => [field, weight * RELATED]));
    for (let at = 0; at < words.length; ) {
      let length = isSingle ? 1 : Math.min(MOST_PHRASE, words.length - at);
      while (length > 1 && !this.#isPhrase(words.slice(at, at + length))) length--;
      const run = words.slice(at, at + length);
      const last = run[length - 1];
      const isTyped = isBegun && at + length === words.length;
      const own = [{ queries: run, combineWith: "AND" }];
      if (length === 2) own.push({ queries: [run.join("")], combineWith: "AND" });
      const begun = {
        prefix: true,
        processTerm: (/** @type {string} */ word) => (word === last ? word : this.stem(word)),
      };
      const typed = isTyped ? [{ ...own[0], ...begun }] : [];
      const keys = [this.#makeKey(run)];
      if (isTyped && isRelated) keys.push(...[...this.related.keys()].filter((key) => key.startsWith(run.join(" "))));
      const phrases = isRelated ? [...new Set(keys.flatMap((key) => this.related.get(key) ?? []).flat())] : [];
      const others = phrases.flatMap((phrase) => {
        const parts = phrase.split(" ");
        return (parts.length === 2 ? [parts, [parts.join("")]] : [parts]).map((queries) => ({
          queries,
          combineWith: "AND",
          fuzzy: false,
          boost,
        }));
      });
      queries.push(/** @type {Query} */ ({ combineWith: "OR", queries: [...own, ...typed, ...others] }));
      at += length;
    }
    return queries;
  }

  /**
   * Whether words are one: "tai chi", or "pickle ball" where names say "pickleball".
   * @param {string[]} words
   */
  #isPhrase(words) {
    return this.related.has(this.#makeKey(words)) || (words.length === 2 && this.known.has(this.stem(words.join(""))));
  }

  /** @param {string} text */
  #chooseTables(text) {
    return this.languages.read(this.languages.choose(text, this.language));
  }

  /** @param {string} text */
  understand(text) {
    return understand(text, this.#chooseTables(text), this.places, (run) => this.#isPhrase(run));
  }

  /**
   * The filters that a query states.
   * @param {string} text
   * @param {Understood} understood
   * @param {Pick<import("../query/readings.js").About, "today" | "isSouthern" | "given" | "isOpen">} about
   */
  listReadings(text, understood, about) {
    const tables = this.#chooseTables(text);
    return listReadings(understood, {
      ...about,
      tables,
      isAt: (listing, area) => isAt(listing, area) || ` ${fold(listing.name)} `.includes(` ${area} `),
      names: ({ name }, phrase) => {
        const said = this.stem(listWords(phrase).at(-1) ?? "");
        return listWords(name).some((word) => this.stem(word) === said);
      },
    });
  }

  /**
   * Listings that have all of the words, the best first. If there are none, the last word may be half typed, then words
   * that narrow are given up, and at last those that have some of the words are found.
   * @param {string} text
   * @param {Understood} [understood]
   * @returns {{matches: {listing: Listing, score: number}[], isPartial: boolean, relaxed: string[]}}
   */
  find(text, understood = this.understand(text)) {
    const { words, age, soft } = understood;
    const last = this.stem(words.at(-1) ?? "");
    const isTyped = text.endsWith(words.at(-1) ?? " ") && last.length >= LEAST_BEGUN && !this.known.has(last);
    const isFor = (/** @type {Listing} */ { ageMin, ageMax }) =>
      !age || ((ageMin ?? age.min) <= (age.max ?? Number.POSITIVE_INFINITY) && (ageMax ?? age.min) >= age.min);
    const raise = this.#makeRaise(understood);
    const isVenue = this.#findVenues(understood);
    const softly = new Map(
      soft.length ? this.index.search({ combineWith: "OR", queries: soft }).map(({ id, score }) => [id, score]) : [],
    );
    /** @param {Iterable<{at: number, score: number}>} found */
    const rank = (found) => {
      const ranked = [...found].flatMap(({ at, score }) => {
        const listing = this.listings[at];
        return isFor(listing)
          ? [
              {
                at,
                listing,
                score: (score + SOFT * (softly.get(at) ?? 0)) * raise(listing) * (isVenue(listing) ? VENUE : 1),
              },
            ]
          : [];
      });
      return ranked.sort((one, other) => other.score - one.score);
    };
    /**
     * @param {string[]} some
     * @param {{isBegun?: boolean, combineWith?: "AND" | "OR"}} [options]
     */
    const search = (some, { isBegun = isTyped, combineWith = "AND" } = {}) => {
      const ask = (/** @type {boolean} */ isRelated) =>
        this.index
          .search({ combineWith, queries: this.#expand(some, { isBegun, isRelated, isSingle: combineWith === "OR" }) })
          .map(({ id, score }) => ({ at: id, score }));
      // What says the words themselves comes before what says related ones.
      const own = rank(ask(false));
      const have = new Set(own.map(({ at }) => at));
      const last = own.at(-1)?.score ?? Number.POSITIVE_INFINITY;
      const others = rank(ask(true)).filter(({ at }) => !have.has(at));
      const top = others[0]?.score ?? 1;
      return [...own, ...others.map((one) => ({ ...one, score: Math.min(1, last / top) * RELATED * one.score }))];
    };
    let left = words;
    let found = words.length ? search(words) : rank(this.listings.map((_, at) => ({ at, score: 1 })));
    if (!found.length && words.length) found = search(words, { isBegun: true });
    for (const narrow of [...this.#chooseTables(text).narrowing, new Set(understood.placeKinds)]) {
      const fewer = left.filter((word) => !narrow.has(word));
      if (found.length || !fewer.length || fewer.length === left.length) continue;
      left = fewer;
      found = search(left);
    }
    const isPartial = !found.length && words.length > 0;
    if (isPartial) found = search(words, { isBegun: true, combineWith: "OR" });
    const best = found[0]?.score ?? 1;
    return {
      isPartial,
      relaxed: isPartial ? [] : words.filter((word) => !left.includes(word)),
      matches: found.map(({ listing, score }) => ({ listing, score: score / best })),
    };
  }

  /**
   * Which places are only where something is: "storytime library" is a storytime, where some are named so.
   * @param {Understood} understood
   * @returns {(listing: Listing) => boolean}
   */
  #findVenues({ words, placeKinds }) {
    const where = new Set(placeKinds);
    for (const { type, name } of this.listings) {
      const own = type === "place" ? listWords(name) : [];
      if (own.length > 1 && own.every((word) => words.includes(word))) for (const word of own) where.add(word);
    }
    const others = words.filter((word) => !where.has(word));
    const queries = this.#expand(others, { isBegun: false, isRelated: true });
    const search = () => this.index.search({ combineWith: "AND", queries }, { fields: ["name"] });
    const isNamed = where.size && others.length && search().some(({ id }) => this.listings[id].type !== "place");
    if (!isNamed) return () => false;
    return ({ type, name }) => type === "place" && !words.every((word) => listWords(name).includes(word));
  }

  /**
   * What a listing is worth beside its words: it lies in the area that is named, is of the kind, or states ages.
   * @param {Understood} understood
   */
  #makeRaise({ age, areas, kinds, words, isForChildren }) {
    const { lessons } = this.languages.read(this.language);
    const isLesson = kinds.some((kind) => lessons.has(kind));
    return (/** @type {Listing} */ listing) => {
      const own = listWords(listing.name);
      const { ageMin, ageMax } = listing;
      const isNear = areas.some((area) => isAt(listing, area));
      const isKind = isLesson && own.some((word) => lessons.has(word));
      const isStated = age && (ageMin !== null || ageMax !== null);
      const isOld = isForChildren && (ageMin ?? 0) >= TEEN;
      const share = words.filter((word) => own.includes(word)).length / (words.length || 1);
      const raise = (isNear ? NEAR : 1) * (isKind ? KIND : 1) * (isStated ? STATED : 1) * (isOld ? TOO_OLD : 1);
      return raise * (1 + WRITTEN * share);
    };
  }

  /**
   * Names that have a word that begins so: of neighborhoods, organizations, places and listings, each once.
   * @param {string} text
   * @param {[string, string, number, number][]} areas slug, name and middle of each neighborhood
   */
  suggest(text, areas) {
    const key = ` ${fold(text)}`;
    const begins = (/** @type {string} */ name) => ` ${fold(name)}`.includes(key);
    /** @type {Map<string, object>} */
    const found = new Map();
    const add = (/** @type {string} */ text, /** @type {object} */ suggestion) => {
      if (!found.has(fold(text)) && begins(text)) found.set(fold(text), { text, ...suggestion });
    };
    for (const [slug, name] of areas) add(name, { kind: "neighborhood", slug });
    for (const { organization } of this.listings)
      if (organization) add(organization.name, { kind: "organization", id: organization.id, slug: organization.slug });
    const places = this.listings.filter(({ type }) => type === "place");
    for (const { name, type, slug } of [...places, ...this.listings])
      add(name, { kind: type === "place" ? "place" : "listing", type, id: slug, slug });
    return [...found.values()].slice(0, MOST_SUGGESTIONS);
  }
}

/**
 * @param {Listing} listing
 * @param {string} area folded
 */
function isAt({ venue }, area) {
  return [venue.neighborhood, venue.city, venue.place].some((at) => at && fold(at).includes(area));
}
