// Thunderbird's own reader of calendars, ical.js: a calendar on standard input → its name and its dates, as JSON.
// usage: node read_with_ical_js.mjs FOLDER-OF-ICAL.JS LAST-DAY
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, last] = process.argv.slice(2);
const { default: ICAL } = await import(pathToFileURL(join(folder, "dist/ical.js")));

const calendar = new ICAL.Component(ICAL.parse(readFileSync(0, "utf8")));
for (const zone of calendar.getAllSubcomponents("vtimezone")) ICAL.TimezoneService.register(zone);

const end = ICAL.Time.fromDateString(last);
const dates = [];
for (const component of calendar.getAllSubcomponents("vevent")) {
  const event = new ICAL.Event(component);
  for (const at of event.isRecurring() ? list(event.iterator()) : [event.startDate]) {
    dates.push([event.summary, at.isDate ? at.toString() : at.toJSDate().toISOString()]);
  }
}
console.log(JSON.stringify({ name: calendar.getFirstPropertyValue("x-wr-calname"), dates }));

function* list(starts) {
  for (let at = starts.next(); at && at.compare(end) <= 0; at = starts.next()) yield at;
}
