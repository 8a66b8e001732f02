/** The words by which queries are understood, in one language: tables of the program that the build writes as JSON. */
import { AgeReader } from "./ages.js";
import { NEVER, writePattern } from "./phrases.js";

/**
 * @typedef {{words: string, from: number, to: number}} Hours a part of the day, from one hour to before another
 */

/** Knows the words of one language, as the server does. */
export class Tables {
  /** @param {any} file with the tables of search.toml, texts.toml and related.csv */
  constructor({ search, texts, related }) {
    const { words = {}, phrases = {}, filters = [], amounts = {} } = search ?? {};
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
    this.narrowing = [words.wishes, words.seasons, `${words.hours} ${words.settings}`, words.forms].map(set);
    this.lessons = set(words.lessons);
    const parts = phrases.parts ?? {};
    const fill = (/** @type {string} */ pattern) => pattern.replace(/<(\w+)>/g, (_, name) => parts[name] ?? NEVER);
    const join = (/** @type {string[] | undefined} */ patterns) => patterns?.map(fill).join("|") || NEVER;
    /** Names of activities, whose words mean nothing else: "gluten free", "4th of july". */
    this.names = new RegExp(`(?<!\\w)(?:${join(phrases.names)})(?!\\w)`, "u");
    this.phrases = new RegExp(
      `(?<!\\w)(?:${[phrases.prices, phrases.times, phrases.audience, phrases.fillers].map(join).join("|")})(?!\\w)`,
      "gu",
    );
    /** @type {any[]} phrases that filter, without those whose `<month>` and the like have to be read */
    const plain = filters.filter((/** @type {any} */ { words }) => !words.includes("<"));
    const isPart = (/** @type {any} */ { set = {} }) =>
      !set.weekday && (set.start_after !== undefined || set.start_before !== undefined);
    const hour = (/** @type {string | undefined} */ text, /** @type {number} */ other) =>
      text ? Number(text.slice(0, 2)) : other;
    /** @type {Hours[]} */
    this.hours = plain
      .filter(isPart)
      .map(({ words, set }) => ({ words, from: hour(set.start_after, 0), to: hour(set.start_before, 24) }));
    const ahead = (/** @type {number} */ day) =>
      plain
        .filter(({ span }) => span?.unit === "day" && (span.first ?? 0) === day && (span.last ?? 0) === day)
        .map(({ words }) => words)
        .join("|") || NEVER;
    this.today = ahead(0);
    this.tomorrow = ahead(1);
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
}
