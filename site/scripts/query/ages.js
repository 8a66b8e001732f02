/** Finds the ages in a query: "5 year olds", "ages 3-5", "18 months", "toddlers", "8+", "1st grader". */
import { NEVER, writePattern } from "./phrases.js";

/**
 * @typedef {{min: number, max: number | null, start: number, end: number}} AgeSpan whole years, both ends inclusive,
 *   and where the text says so
 */

// The greatest number in "8+" and in "under 8" that is an age. A greater one counts something else.
const [MOST_UP, MOST_UNDER] = [21, 18];

/** Reads ages by the words of one language. */
export class AgeReader {
  /** @param {any} tables of texts.toml */
  constructor({ ages, shared, numbers, counted }) {
    const own = { ...shared, ...ages };
    const any = (/** @type {string[]} */ ...names) => names.map((name) => writePattern(own[name])).join("|");
    const words = /** @type {string[]} */ (numbers.split(" "));
    /** @type {Record<string, number>} */
    this.values = Object.fromEntries(words.map((word, at) => [word, at]));
    const half = `(?:[.,]\\d|[ -]?1/2|[ -](?:${any("half")}))?`;
    const number = `(?:\\d{1,2}(?![\\d%$€£:]|,\\d)|${words.join("|")})${half}`;
    const unit = `(?<months>${any("months")}|m)|(?<weeks>${any("weeks")})|(?<years>${any("years")}|y|s)`;
    const age = `(?<number>${number})(?:[ -]*(?<unit>${unit})(?!\\w))?(?<old>[ -]*(?:${any("old")})(?!\\w))?`;
    const plain = withoutNames(age);
    const joint = `(?: ?- ?|[ -](?:${any("to", "and", "or")})[ -])(?:(?:an?|${any("age")}) )?`;
    const bound = `(?<under>${any("under", "younger")})|(?<upTo>${any("up_to")})|(?<over>${any("over", "older")})`;
    const whose = `(?:(?<people>${any("people", "child")})[ -])?(?:(?<age>${any("age")})[ -])?(?:(?:of|from)[ -])?`;
    const lead = `(?:(?:${bound}|(?<from>${any("from")})|${any("between")})[ -])?(?:(?:the|of|${any("age")})[ -])*`;
    const tail = `(?:(?<up> ?\\+|[ -](?:${any("up")}))|(?<down>[ -](?:${any("down")})))?(?:[ -](?:${any("child")}))?`;
    this.one = new RegExp(age, "gu");
    this.phrase = new RegExp(
      `(?<![\\p{L}\\p{N}$€£.:/%+])${whose}${lead}(?<chain>${plain}(?:${joint}${plain})*)${tail}(?![\\p{L}\\p{N}+])`,
      "gu",
    );
    this.counted = new RegExp(`^ ?(?:${writePattern(counted)}|${any("races")})(?!\\w)`, "u");
    this.listed = new RegExp(`^ ?(?:${any("listed")})(?!\\w)`, "u");
    // What a length has, too: a class of 6 weeks, a 2 year program.
    this.lengths = new RegExp(`^(?:${writePattern("year")}|${any("weeks")})$`, "u");
    const other = `(?![ -](?:${any("not_people")})(?!\\w))`;
    const behind = `(?![\\p{L}\\p{N}])${other}(?:[ -](?:${any("named_behind")})(?!\\w))?`;
    // "Pre-k" is the year before the one that "kindergarten" names.
    const early = ages.schools.flatMap((/** @type {any} */ { first, early = [] }) =>
      early.slice(1).map((/** @type {string} */ words, /** @type {number} */ at) => ({
        words,
        low: first - at - 2,
        high: first - at - 1,
      })),
    );
    this.named = [...ages.named, ...early].map((/** @type {any} */ { words, in_text: inText, low, high = null }) => ({
      pattern: new RegExp(`(?<![\\p{L}\\p{N}])(?:${writePattern(words)}|${writePattern(inText)})${behind}`, "gu"),
      low,
      high,
    }));
    this.schools = ages.schools.map((/** @type {any} */ school) => this.#makeSchool(school, own));
  }

  /**
   * @param {any} school
   * @param {any} own
   */
  #makeSchool({ words, first, early = [] }, own) {
    const ordinals = own.ordinals.split(" ");
    const any = (/** @type {string} */ name) => writePattern(own[name]);
    const zero = writePattern(early[0]);
    const year = `(?:(\\d{1,2})(?:${any("ordinal_ends")})?|(${ordinals.join("|") || NEVER})|(${zero}))`;
    const plain = year.replace(/\((?!\?)/g, "(?:");
    const chain = `${plain}(?:(?: ?- ?|[ -](?:${any("to")}|${any("and")})[ -])${plain})?`;
    const school = writePattern(words);
    const years = `(?:(?:${school})[ -])+(?<chain>${chain})|(?<last>${chain})[ -](?:${school})`;
    return {
      first,
      ordinals,
      year: new RegExp(`(?<!\\w)${year}(?!\\w)`, "gu"),
      pattern: new RegExp(`(?<!\\w)(?:${years})(?<up>[ -](?:${any("up")})|\\+)?(?!\\w)`, "gu"),
    };
  }

  /**
   * The phrases for ages in a folded text, in its order. None overlaps another.
   * @param {string} text
   * @returns {AgeSpan[]}
   */
  find(text) {
    /** @type {AgeSpan[]} */
    const found = [];
    const add = (/** @type {AgeSpan | null} */ span) => {
      if (span && !found.some(({ start, end }) => span.start < end && start < span.end)) found.push(span);
    };
    for (const school of this.schools) for (const match of text.matchAll(school.pattern)) add(readGrade(match, school));
    for (const match of text.matchAll(this.phrase)) add(this.#readPhrase(match));
    for (const { pattern, low, high } of this.named)
      for (const match of text.matchAll(pattern)) add(place(match, low, high));
    return found.sort((one, other) => one.start - other.start);
  }

  /** @param {RegExpMatchArray} match */
  #readPhrase(match) {
    const groups = match.groups ?? {};
    const ages = [...groups.chain.matchAll(this.one)].map((age) => age.groups ?? {});
    if (!ages.length || !this.#isAge(match, groups, ages)) return null;
    /** @type {number[]} */
    const months = [];
    let factor = 12;
    for (const { number, unit, months: isMonths, weeks } of ages.toReversed()) {
      if (unit) factor = weeks ? 0 : isMonths ? 1 : 12;
      months.unshift(this.#count(number) * factor);
    }
    const [low, high] = [Math.min(...months), Math.max(...months)].map((value) => Math.floor(value / 12));
    if (groups.under) return place(match, 0, Math.floor((Math.max(...months) - 1) / 12));
    if (groups.upTo || groups.down) return place(match, 0, high);
    if (groups.up || groups.over || (groups.from && ages.length === 1)) return place(match, low, null);
    return place(match, low, high);
  }

  /** @param {string} text */
  #count(text) {
    const word = /^[\p{L}]+/u.exec(text)?.[0];
    return word ? this.values[word] : Number.parseInt(text, 10);
  }

  /**
   * @param {RegExpMatchArray} match
   * @param {Record<string, string>} groups
   * @param {Record<string, string>[]} ages
   */
  #isAge(match, groups, ages) {
    const rest = (match.input ?? "").slice((match.index ?? 0) + match[0].length);
    const years = Math.max(...ages.map(({ number }) => this.#count(number)));
    if (groups.age || ages.some(({ old }) => old)) return true;
    const units = ages.flatMap(({ unit }) => unit ?? []);
    if (units.length) return units.some((unit) => !this.lengths.test(unit)) && !this.counted.test(rest);
    if (this.counted.test(rest) || (this.listed.test(rest) && ages.length === 1)) return false;
    if (groups.up || groups.down) return ages.length === 1 && years <= MOST_UP;
    if (groups.under) return ages.length === 1 && years <= MOST_UNDER;
    return Boolean(groups.people) && (ages.length > 1 || Boolean(groups.over || groups.from || groups.upTo));
  }
}

/**
 * @param {RegExpMatchArray} match
 * @param {number} min
 * @param {number | null} max
 * @returns {AgeSpan}
 */
function place(match, min, max) {
  const start = match.index ?? 0;
  return { min, max, start, end: start + match[0].length };
}

/**
 * @param {RegExpMatchArray} match
 * @param {{first: number, ordinals: string[], year: RegExp}} school
 */
function readGrade(match, { first, ordinals, year }) {
  const chain = match.groups?.chain ?? match.groups?.last ?? "";
  const years = [...chain.matchAll(year)].map(([, number, ordinal]) =>
    number ? Number(number) : ordinal ? ordinals.indexOf(ordinal) + 1 : 0,
  );
  if (!years.length || Math.max(...years) > 12) return null;
  return place(match, first + Math.min(...years) - 1, match.groups?.up ? null : first + Math.max(...years));
}

/** @param {string} pattern */
function withoutNames(pattern) {
  return pattern.replace(/\?<\w+>/g, "?:");
}

/**
 * The ages of several phrases together: the narrower where one lies in the other, else from the least to the greatest.
 * @param {AgeSpan[]} spans at least one
 * @returns {{min: number, max: number | null}}
 */
export function joinAges(spans) {
  const top = (/** @type {number | null} */ value) => value ?? Number.POSITIVE_INFINITY;
  let [{ min, max }, ...others] = spans;
  for (const other of others) {
    if (min <= other.min && top(other.max) <= top(max)) ({ min, max } = other);
    else if (!(other.min <= min && top(max) <= top(other.max)))
      [min, max] = [Math.min(min, other.min), max === null || other.max === null ? null : Math.max(max, other.max)];
  }
  return { min, max };
}
