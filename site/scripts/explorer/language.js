/** @type {Intl.DateTimeFormatOptions} */
const DAY = { weekday: "short", day: "numeric", month: "short", year: "numeric" };
/** @type {Intl.DateTimeFormatOptions} */
const CLOCK = { hour: "numeric", minute: "2-digit" };
/** @type {Intl.DateTimeFormatOptions} */
const AMERICAN_CLOCK = { ...CLOCK, hourCycle: "h12" };

/** Words of the page, and numbers and dates as its language writes them. */
export class Language {
  /**
   * @param {string} code
   * @param {Record<string, string>} words
   */
  constructor(code, words) {
    this.code = code;
    this.words = words;
    this.numbers = new Intl.NumberFormat(code);
    this.plurals = new Intl.PluralRules(code);
    this.dates = this.say("date_locale");
    this.year = String(new Date().getFullYear());
    // The country of the city, as far as the page says it: dollars, miles and clocks are written as there.
    this.isAmerican = /-US$/.test(navigator.language);
  }

  /**
   * A word, with what stands in its braces.
   * @param {string} name
   * @param {Record<string, string | number | null | undefined>} values
   */
  say(name, values = {}) {
    const text = this.words[name];
    if (text === undefined) throw new Error(`there is no word script_${name}`);
    return text.replace(/\{(\w+)\}/g, (_, key) => {
      const value = values[key];
      return typeof value === "number" ? this.numbers.format(value) : String(value ?? "");
    });
  }

  /**
   * So many of something, as the language counts: "1 event", "2 events".
   * @param {string} name
   * @param {number} count
   */
  plural(name, count) {
    const form = `plural_${name}_${this.plurals.select(count)}`;
    return this.say(form in this.words ? form : `plural_${name}_other`, { count });
  }

  /** @param {number} number */
  count(number) {
    return this.numbers.format(number);
  }

  /** @param {number} share from 0 to 1 */
  percent(share) {
    return new Intl.NumberFormat(this.code, { style: "percent" }).format(share);
  }

  /**
   * A word of a vocabulary: an operator's `maker_labs` is "Maker labs", where the page has no better words.
   * @param {string} word
   */
  name(word) {
    const plain = word.replaceAll("_", " ");
    return this.words[`word_${word}`] ?? plain.charAt(0).toLocaleUpperCase(this.code) + plain.slice(1);
  }

  /**
   * A local date, with the clock if it says one, and without this year. It is shown as it is, in whatever zone.
   * @param {string} local
   * @param {Intl.DateTimeFormatOptions} options
   */
  date(local, options = DAY) {
    return joinClock(this.#format(options, local).format(readLocal(local)));
  }

  /**
   * From one to another, both with a clock or both without. What they share is said once.
   * @param {string} first
   * @param {string} last not earlier
   * @param {Intl.DateTimeFormatOptions} options
   */
  range(first, last, options = DAY) {
    return joinClock(this.#format(options, first, last).formatRange(readLocal(first), readLocal(last)));
  }

  get locale() {
    return this.isAmerican ? `${this.code}-US` : this.code;
  }

  /** @param {number} metres */
  distance(metres) {
    const [amount, unit] = this.isAmerican ? [metres / 1609.344, "mile"] : [metres / 1000, "kilometer"];
    const options = { style: "unit", unit, maximumFractionDigits: 1, minimumFractionDigits: 1 };
    const numbers = new Intl.NumberFormat(this.locale, /** @type {Intl.NumberFormatOptions} */ (options));
    return numbers.format(Math.max(amount, 0.1));
  }

  /**
   * A time of day, or from one to another: "9 – 11:30 am".
   * @param {string} first as `10:30:00`
   * @param {string | null} [last]
   */
  clock(first, last) {
    const [start, end] = [first, last || first].map((time) => readLocal(`2024-01-01T${time}`));
    const clocks = this.#format(CLOCK);
    return joinClock(end > start ? clocks.formatRange(start, end) : clocks.format(start));
  }

  /**
   * @param {Intl.DateTimeFormatOptions} options
   * @param {string[]} locals
   */
  #format(options, ...locals) {
    const { year, ...rest } = options;
    const own = locals.every((local) => local.startsWith(this.year)) ? rest : { ...rest, year };
    const hasClock = "hour" in own || locals[0]?.includes("T");
    const clock = hasClock ? (this.isAmerican ? AMERICAN_CLOCK : CLOCK) : {};
    return new Intl.DateTimeFormat(this.dates, { ...own, ...clock, timeZone: "UTC" });
  }

  /** @param {string} instant */
  moment(instant) {
    return new Intl.DateTimeFormat(this.dates, { dateStyle: "medium", timeStyle: "short" }).format(new Date(instant));
  }

  /**
   * @param {number} amount
   * @param {string | null | undefined} currency
   */
  money(amount, currency) {
    const digits = Number.isInteger(amount) ? 0 : 2;
    const style = {
      style: "currency",
      currencyDisplay: "narrowSymbol",
      currency: currency ?? "USD",
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    };
    return new Intl.NumberFormat(this.locale, /** @type {Intl.NumberFormatOptions} */ (style)).format(amount);
  }
}

/**
 * Keeps "7:45 pm" on one line.
 * @param {string} text
 */
function joinClock(text) {
  return text.replace(/ (?=[ap]m\b)/g, "\u00a0");
}

/** @param {string} local */
function readLocal(local) {
  return new Date(`${local.includes("T") ? local : `${local}T00:00:00`}Z`);
}

/**
 * What the page says of its language.
 * @param {HTMLElement} root
 */
export function readLanguage(root) {
  return new Language(root.dataset.language ?? "en", JSON.parse(root.dataset.words ?? "{}"));
}
