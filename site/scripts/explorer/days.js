const DAY = 86_400_000;

/**
 * @param {string} day
 * @param {number} count
 */
export function addDays(day, count) {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY).toISOString().slice(0, 10);
}

/**
 * The local date somewhere, now.
 * @param {string} timezone
 */
export function findToday(timezone) {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone: timezone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  return parts.format(new Date());
}

/**
 * The local date and time somewhere, now, as `2025-01-10T19:35:00`.
 * @param {string} timezone
 */
export function findNow(timezone) {
  const clock = { timeZone: timezone, hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" };
  const parts = new Intl.DateTimeFormat("en-CA", /** @type {Intl.DateTimeFormatOptions} */ (clock));
  return `${findToday(timezone)}T${parts.format(new Date())}`;
}

/**
 * Days since Monday.
 * @param {string} day
 */
export function findWeekday(day) {
  return (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
}

/** @param {string[]} days */
export function findFirst(...days) {
  return days.sort()[0];
}

/** @param {string[]} days */
export function findLast(...days) {
  return days.sort()[days.length - 1];
}
