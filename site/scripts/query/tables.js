/** The words by which queries are understood, in one language: tables of the program that the build writes as JSON. */
import { AgeReader } from "./ages.js";
import { FilterPhrases } from "./filters.js";
import { foldLine, NEVER } from "./phrases.js";

/** Words of the longest phrase that has other names. */
export const MOST_PHRASE = 4;
const WORD = /[\p{L}\p{N}]+/gu;
// So many words of another language alone say that a query is in it, whatever they are.
const TELLING = 2;

/** Knows the words of one language, as the server does. */
export class Tables {
  /**
   * @param {any} file with the tables of search.toml, texts.toml and related.csv, and the page's own of a line
   * @param {Record<string, string>} filterParts what stands in a filter's phrase
   */
  constructor({ search, texts, related, line }, filterParts) {
    const { words = {}, phrases = {}, amounts = {}, filters = [], calendar = {} } = search ?? {};
    /** @type {Record<string, string>} */
    this.line = line;
    const set = (/** @type {string} */ text) => new Set((text ?? "").split(/\s+/).filter(Boolean));
    const counted = [
      texts.ages.counted,
      ...texts.months,
      texts.amounts.currency,
      texts.hours.unit,
      texts.hours.am,
      texts.hours.pm,
    ].join(",");
    this.ages = new AgeReader({ ...texts, counted });
    this.fillers = set(words.fillers);
    /** Words that say of what sort a listing is, what it costs, when it is or for whom: no listing is found by them. */
    this.kinds = set(words.kinds);
    this.roles = [this.kinds, ...[words.audience, words.prices, words.times].map(set)];
    this.audience = this.roles[1];
    /** What is given up first where nothing has all words: wishes, seasons, times of day and weather, then forms. */
    this.narrowing = [words.wishes, words.seasons, words.hours, words.forms].map(set);
    this.lessons = set(words.lessons);
    const parts = phrases.parts ?? {};
    const fill = (/** @type {string} */ pattern) => pattern.replace(/<(\w+)>/g, (_, name) => parts[name] ?? NEVER);
    const join = (/** @type {string[] | undefined} */ patterns) => patterns?.map(fill).join("|") || NEVER;
    /** Names of activities, whose words mean nothing else: "gluten free", "4th of july". */
    this.names = new RegExp(`(?<!\\w)(?:${join(phrases.names)})(?!\\w)`, "gu");
    this.phrases = new RegExp(
      `(?<!\\w)(?:${[phrases.prices, phrases.times, phrases.audience, phrases.fillers].map(join).join("|")})(?!\\w)`,
      "gu",
    );
    this.filters = new FilterPhrases(filters, calendar, {
      ...filterParts,
      amount: filterParts.amount.replace("<units>", amounts.units || NEVER),
    });
    /** For whom what begins at 13 years is no good answer. */
    this.children = new Set([...set(words.children), ...set(words.young)]);
    const number = "\\d+(?:[.,]\\d+)*";
    const to = ` ?(?:-|${amounts.to || NEVER}) ?`;
    const before = `(?:(?:${amounts.before || NEVER})[ -])?`;
    const signed = `[$€£] ?(?:${number}${to}[$€£]?)?(${number})`;
    const named = `(?:${number}${to})?(${number})(?: ?[$€£]|[ -]?(?:${amounts.units || NEVER})\\b)`;
    /** An amount with a sign or a word for money; its group is the greatest. */
    this.amount = `${before}(?:${signed}|${named})`;
    /** @type {string[][]} */
    this.related = related ?? [];
    this.phrasesOf = new Set(this.related.flat());
    this.known = new Set([this.fillers, ...this.roles].flatMap((role) => [...role]));
  }
}

/** The words of all languages in which queries are understood. */
export class Languages {
  /** @param {any} file explore/words.json */
  constructor({ parts, languages, translations }) {
    /** @type {Record<string, Tables>} */
    this.tables = {};
    for (const [code, tables] of Object.entries(languages)) this.tables[code] = new Tables(tables, parts);
    /** @type {string[][]} a Spanish phrase, then English ones */
    this.translations = translations;
    const [own, other] = ["es", "en"].map((_, at) =>
      translations.flatMap((/** @type {string[]} */ group) => (at ? group.slice(1) : group[0])),
    );
    /** @type {Record<string, Set<string>>} */
    this.known = {};
    for (const [code, phrases] of Object.entries({ es: own, en: other })) {
      const words = phrases.flatMap((/** @type {string} */ phrase) => phrase.split(" "));
      const many = words.flatMap((/** @type {string} */ word) => [word, `${word}s`, `${word}es`]);
      this.known[code] = new Set([...(this.tables[code]?.known ?? []), ...many]);
    }
  }

  /**
   * The words of a language; English where there are none.
   * @param {string} code
   */
  read(code) {
    return this.tables[code] ?? this.tables.en;
  }

  /**
   * The language of a query: the usual one, or another of which it has more words that only one of them has.
   * @param {string} text
   * @param {string} usual
   */
  choose(text, usual) {
    const words = listWords(text);
    const other = usual === "es" ? "en" : "es";
    const [own, its] = [this.known[usual], this.known[other]];
    if (!own || !its) return usual;
    const count = (/** @type {Set<string>} */ some, /** @type {Set<string>} */ others) =>
      words.filter((word) => some.has(word) && !others.has(word)).length;
    const more = count(its, own) - count(own, its);
    const telling = this.translations.flatMap((group) => (other === "es" ? group.slice(0, 1) : group.slice(1)));
    const line = ` ${words.join(" ")} `;
    const tells =
      more >= TELLING || telling.some((phrase) => !own.has(phrase) && new RegExp(` ${phrase}(?:e?s)? `).test(line));
    return more > 0 && tells ? other : usual;
  }
}

/**
 * @param {string} text
 * @returns {string[]}
 */
export function listWords(text) {
  return foldLine(text).match(WORD) ?? [];
}
