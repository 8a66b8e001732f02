/** @typedef {import("./language.js").Language} Language */

/**
 * When something is, in one line; empty where nothing is stated.
 * @param {any} item
 * @param {Language} language
 */
export function tellTime(item, language) {
  if (item.type === "event") return tellEventTime(item, language);
  if (item.type === "camp") return tellSpan(item.starts_on, item.ends_on, language);
  if (item.type === "class") {
    const { days = [], start_time, end_time } = item.schedule ?? {};
    const weekdays = days.map((/** @type {string} */ day) => language.name(day)).join(", ");
    const [first, last] = [start_time, end_time].map((time) => time && language.clock(time));
    const hours = first && last ? language.say("span", { first, last }) : first;
    return [weekdays, hours, tellSpan(item.term?.starts_on, item.term?.ends_on, language)].filter(Boolean).join(" · ");
  }
  return item.type_hint ? language.name(item.type_hint) : "";
}

/**
 * @param {any} item
 * @param {Language} language
 */
function tellEventTime(item, language) {
  const own = item.occurrence?.starts_local;
  if (item.is_recurring && !own) {
    const next = item.occurrence?.next_starts_local ?? item.starts_local;
    return next ? language.say("and_again", { when: tellStart(item, next, language) }) : "";
  }
  const [start, end] = own ? [own, item.occurrence.ends_local] : [item.starts_local, item.ends_local];
  if (!start) return "";
  return item.has_time && end > start ? language.range(start, end) : tellStart(item, start, language);
}

/**
 * @param {any} item
 * @param {string} start
 * @param {Language} language
 */
function tellStart(item, start, language) {
  return language.date(item.has_time ? start : start.split("T")[0]);
}

/**
 * @param {string | null | undefined} start
 * @param {string | null | undefined} end
 * @param {Language} language
 */
function tellSpan(start, end, language) {
  if (!start) return "";
  return end && end > start ? language.range(start, end) : language.date(start);
}

/**
 * @param {any} item
 */
export function tellPlace(item) {
  const { place, location } = item;
  return [...new Set([place?.name, location?.neighborhood, location?.city].filter(Boolean))].map(isolate).join(", ");
}

/**
 * A feed's words among others: whichever way they run, what stands beside them keeps its place.
 * @param {string} text
 */
export function isolate(text) {
  return `\u2068${text}\u2069`;
}

/**
 * @param {any} item
 * @param {Language} language
 */
export function tellPrice(item, language) {
  const price = item.price;
  if (!price) return "";
  if (price.is_free) return language.say("free");
  if (price.min === null) return "";
  const least = language.money(price.min, price.currency);
  return price.max !== null && price.max > price.min
    ? language.say("span", { first: least, last: language.money(price.max, price.currency) })
    : least;
}

/**
 * @param {any} item
 * @param {Language} language
 */
export function tellAges(item, language) {
  const { min = null, max = null } = item.ages ?? {};
  if (min === null && max === null) return "";
  if (max === null) return language.say("ages_from", { min });
  if (min === null) return language.say("ages_to", { max });
  return min === max ? language.say("ages_one", { min }) : language.say("ages", { min, max });
}
