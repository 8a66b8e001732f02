/** The words by which queries are understood, in one language: tables of the program that the build writes as JSON. */
import { AgeReader } from "./ages.js";
import { NEVER, writePattern } from "./phrases.js";

/**
 * @typedef {{words: string, set?: Record<string, string>, span?: {unit: string, first?: number, last?: number} | null}}
 *   Phrase a regular expression, and the parameters and days that it means
 */

/** Knows the words of one language, as the server does. */
export class Tables {
  /** @param {any} file with the tables of search.toml, texts.toml and related.csv */
  constructor({ search, texts, related }) {
    const { words = {}, phrases = {}, amounts = {}, filters = [] } = search ?? {};
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
    const kinds = filters
      .filter((/** @type {Phrase} */ { set }) => set?.type_hint)
      .map((/** @type {Phrase} */ { words }) => words);
    /** Names of activities and of kinds of places, whose words mean nothing else: "gluten free", "4th of july". */
    this.names = new RegExp(`(?<!\\w)(?:${join([...(phrases.names ?? []), ...kinds])})(?!\\w)`, "u");
    this.phrases = new RegExp(
      `(?<!\\w)(?:${[phrases.prices, phrases.times, phrases.audience, phrases.fillers].map(join).join("|")})(?!\\w)`,
      "gu",
    );
    /** @type {Phrase[]} phrases that filter, the longer ones first */
    this.filters = filters.filter((/** @type {Phrase} */ { words }) => !words.includes("<"));
    const narrowing = this.filters.filter(({ set }) => !set?.type_hint && !set?.types).map(({ words }) => words);
    /** Phrases that say when, where and at what price: no listing is found by them. */
    this.filtering = new RegExp(`(?<!\\w)(?:${narrowing.join("|") || NEVER})(?!\\w)`, "gu");
    /** Phrases for parts of a day. */
    this.times = this.filters.filter(({ set }) => set?.start_after || set?.start_before);
    const number = "\\d+(?:[.,]\\d+)*";
    const to = ` ?(?:-|${amounts.to || NEVER}) ?`;
    const before = `(?:(?:${amounts.before || NEVER})[ -])?`;
    const signed = `[$€£] ?(?:${number}${to}[$€£]?)?(${number})`;
    const named = `(?:${number}${to})?(${number})(?: ?[$€£]|[ -]?(?:${amounts.units || NEVER})\\b)`;
    /** An amount with a sign or a word for money; its group is the greatest. */
    this.amount = `${before}(?:${signed}|${named})`;
    this.free = writePattern(texts.amounts.free);
    /** @type {string[][]} */
    this.related = related ?? [];
  }
  /**
   * The phrases that set this one parameter to a value.
   * @param {string} name
   * @param {string} value
   */
  write(name, value) {
    const own = this.filters.filter(({ set }) => set && Object.keys(set).length === 1 && set[name] === value);
    return own.map(({ words }) => words).join("|") || NEVER;
  }
}
