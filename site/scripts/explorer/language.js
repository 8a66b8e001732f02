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
  }

  /**
   * A word, with what stands in its braces.
   * @param {string} name
   * @param {Record<string, string | number>} values
   */
  say(name, values = {}) {
    const text = this.words[name];
    if (text === undefined) throw new Error(`there is no word script_${name}`);
    return text.replace(/\{(\w+)\}/g, (_, key) => {
      const value = values[key];
      return typeof value === "number" ? this.numbers.format(value) : String(value ?? "");
    });
  }

  /** @param {number} number */
  count(number) {
    return this.numbers.format(number);
  }

  /**
   * A word of a vocabulary: `swim_water` is "swim water", where the page has no better word.
   * @param {string} word
   */
  name(word) {
    return this.words[`word_${word}`] ?? word.replaceAll("_", " ");
  }

  /**
   * A local date, with the clock if it says one. It is shown as it is, whatever zone the reader is in.
   * @param {string} local
   * @param {Intl.DateTimeFormatOptions} options
   */
  date(local, options = { weekday: "short", day: "numeric", month: "short", year: "numeric" }) {
    const [day, clock] = local.split("T");
    const [year, month, date] = day.split("-").map(Number);
    const [hours, minutes] = (clock ?? "0:0").split(":").map(Number);
    const moment = new Date(Date.UTC(year, month - 1, date, hours, minutes));
    const time = clock ? { hour: "numeric", minute: "2-digit" } : {};
    return new Intl.DateTimeFormat(this.code, { ...options, .../** @type {object} */ (time), timeZone: "UTC" }).format(moment);
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
    const style = { style: "currency", currency: currency ?? "USD", minimumFractionDigits: digits, maximumFractionDigits: digits };
    return new Intl.NumberFormat(this.code, /** @type {Intl.NumberFormatOptions} */ (style)).format(amount);
  }
}
