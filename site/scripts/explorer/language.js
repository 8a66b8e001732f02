/** @type {Intl.DateTimeFormatOptions} */
const DAY = { weekday: "short", day: "numeric", month: "short", year: "numeric" };
/** @type {Intl.DateTimeFormatOptions} */
const CLOCK = { hour: "numeric", minute: "2-digit" };

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
   * A local date, with the clock if it says one. It is shown as it is, whatever zone the reader is in.
   * @param {string} local
   * @param {Intl.DateTimeFormatOptions} options
   */
  date(local, options = DAY) {
    return this.#format(local, options).format(readLocal(local));
  }

  /**
   * From one to another, both with a clock or both without. What they share is said once.
   * @param {string} first
   * @param {string} last not earlier
   */
  range(first, last) {
    return this.#format(first, DAY).formatRange(readLocal(first), readLocal(last));
  }

  /** @param {number} metres */
  distance(metres) {
    const isAmerican = /-US$/.test(navigator.language);
    const [amount, unit] = isAmerican ? [metres / 1609.344, "mile"] : [metres / 1000, "kilometer"];
    const options = { style: "unit", unit, maximumFractionDigits: 1, minimumFractionDigits: 1 };
    return new Intl.NumberFormat(this.code, /** @type {Intl.NumberFormatOptions} */ (options)).format(amount);
  }

  /** @param {string} time a time of day, as `10:30:00` */
  clock(time) {
    return this.#format("", CLOCK).format(readLocal(`2024-01-01T${time}`));
  }

  /**
   * @param {string} local
   * @param {Intl.DateTimeFormatOptions} options
   */
  #format(local, options) {
    return new Intl.DateTimeFormat(this.code, { ...options, ...(local.includes("T") ? CLOCK : {}), timeZone: "UTC" });
  }

  /** @param {string} instant */
  moment(instant) {
    return new Intl.DateTimeFormat(this.code, { dateStyle: "medium", timeStyle: "short" }).format(new Date(instant));
  }

  /**
   * @param {number} amount
   * @param {string | null | undefined} currency
   */
  money(amount, currency) {
    const digits = Number.isInteger(amount) ? 0 : 2;
    const style = {
      style: "currency",
      currency: currency ?? "USD",
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    };
    return new Intl.NumberFormat(this.code, /** @type {Intl.NumberFormatOptions} */ (style)).format(amount);
  }
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
