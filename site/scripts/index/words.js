/** Searches the words of an index: names, kinds of places, topics, organizations, places and neighborhoods. */
import { stemmer as stemEnglish } from "@orama/stemmers/english";
import { stemmer as stemSpanish } from "@orama/stemmers/spanish";
import MiniSearch from "minisearch";
import { fold } from "./filters.js";

/** @typedef {import("./listings.js").Listing} Listing */

/** @type {Record<string, (word: string) => string>} */
const STEMMERS = { en: stemEnglish, es: stemSpanish };
const BOOST = { name: 4, place: 2, organization: 2, topics: 1.5, area: 1 };
// One typo from this length on, two from the second on; never in a word with digits.
const [ONE_TYPO, TWO_TYPOS] = [5, 9];
const MOST_SUGGESTIONS = 8;

/** Finds listings by words. */
export class Words {
  /**
   * @param {Listing[]} listings
   * @param {{language: string, name: (word: string) => string}} about `name` says a word of a vocabulary
   */
  constructor(listings, { language, name }) {
    this.listings = listings;
    const stem = STEMMERS[language] ?? ((/** @type {string} */ word) => word);
    this.index = new MiniSearch({
      idField: "at",
      fields: Object.keys(BOOST),
      tokenize: (text) => fold(text).split(" ").filter(Boolean),
      processTerm: (word) => stem(word),
      searchOptions: {
        boost: BOOST,
        combineWith: "AND",
        fuzzy: (word) => (/\d/.test(word) || word.length < ONE_TYPO ? false : word.length < TWO_TYPOS ? 1 : 2),
        maxFuzzy: 2,
      },
    });
    this.index.addAll(
      listings.map((listing, at) => ({
        at,
        name: listing.name,
        place: listing.venue.place ?? "",
        organization: listing.organization?.name ?? "",
        topics: [...listing.categories, listing.typeHint ?? ""].map((word) => word && name(word)).join(" "),
        area: listing.venue.neighborhood ?? "",
      })),
    );
  }

  /**
   * Listings that have all of the words, the best first; if there are none, those that have some of them.
   * @param {string} text
   * @returns {{matches: {listing: Listing, score: number}[], isPartial: boolean}}
   */
  find(text) {
    const all = this.index.search(text);
    const found = all.length ? all : this.index.search(text, { combineWith: "OR" });
    const best = found[0]?.score ?? 1;
    return {
      isPartial: !all.length,
      matches: found.map(({ id, score }) => ({ listing: this.listings[id], score: score / best })),
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
    for (const { name, type, slug } of this.listings)
      add(name, { kind: type === "place" ? "place" : "listing", type, id: slug, slug });
    return [...found.values()].slice(0, MOST_SUGGESTIONS);
  }
}
