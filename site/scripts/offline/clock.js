const DAY = 86_400;

/**
 * Days since 1970.
 * @param {string} day
 */
export function numberDay(day) {
  return Date.parse(`${day}T00:00:00Z`) / (DAY * 1000);
}

/** @param {number} number days since 1970 */
export function formatDay(number) {
  return formatLocal(number * DAY).slice(0, 10);
}

/** @param {number} seconds of the local clock, since 1970 */
export function formatLocal(seconds) {
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

/**
 * The local time of an occurrence; midnight where it states none.
 * @param {number} day
 * @param {number} time
 */
export function joinLocal(day, time) {
  return day * DAY + (Number.isNaN(time) ? 0 : time);
}

/** @param {number} seconds of the local clock, since 1970 */
export function findDay(seconds) {
  return Math.floor(seconds / DAY);
}

/**
 * Days since Monday.
 * @param {number} day days since 1970, which began on a Thursday
 */
export function findWeekday(day) {
  return (((day + 3) % 7) + 7) % 7;
}
