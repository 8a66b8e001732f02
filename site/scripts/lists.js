// Lists that a build wrote: what is over by now is folded away, also where the page is of an earlier day.

/** @param {string} timezone */
function findNow(timezone) {
  const options = /** @type {const} */ ({ timeZone: timezone, dateStyle: "short", timeStyle: "short" });
  // Swedish writes a date and a time as ISO does.
  return new Intl.DateTimeFormat("sv-SE", options).format(new Date()).replace(" ", "T");
}

/**
 * @param {Element} part
 * @param {string} now
 */
function listPast(part, now) {
  const rows = /** @type {NodeListOf<HTMLElement>} */ (part.querySelectorAll("[data-ends]"));
  return [...rows].filter(({ dataset }) => (dataset.ends ?? "") < now);
}

/**
 * @param {string} text
 * @param {Element[]} rows
 * @param {string} className
 */
function makeFold(text, rows, className) {
  const [fold, title, folded] = ["details", "summary", "ol"].map((name) => document.createElement(name));
  title.textContent = text.replace("{count}", String(rows.length));
  folded.className = className;
  folded.append(...rows);
  fold.append(title, folded);
  return fold;
}

/**
 * Rows that say the same, such as the courts of one playground, are one row with the others folded into it.
 * @param {Element} list
 * @param {string} text
 */
function foldSame(list, text) {
  /** @type {Element[][]} */
  const groups = [];
  for (const row of list.children) {
    const last = groups[groups.length - 1];
    if (last?.[0].textContent === row.textContent) last.push(row);
    else groups.push([row]);
  }
  for (const [first, ...rest] of groups)
    if (rest.length) first.firstElementChild?.append(makeFold(text, rest, list.className));
}

// The first of a weekend that are not over, on the home page.
for (const section of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("section[data-most]"))) {
  const { timezone = "UTC", most, empty = "" } = section.dataset;
  for (const row of listPast(section, findNow(timezone))) row.remove();
  for (const list of section.querySelectorAll("ol")) {
    for (const row of [...list.children].slice(Number(most))) row.remove();
    if (!list.children.length) list.replaceWith(empty);
  }
}

const root = document.getElementById("lists");
if (root) {
  const { timezone = "UTC", over = "", same } = root.dataset;
  const now = findNow(timezone);
  for (const section of root.querySelectorAll("section[data-day]")) {
    const past = listPast(section, now);
    const list = section.querySelector("ol");
    if (!past.length || !list) continue;
    section.append(makeFold(over, past, list.className));
    if (!list.children.length) list.remove();
  }
  if (same) for (const list of root.querySelectorAll("section > ol")) foldSame(list, same);
  const next = document.querySelector("link[rel=next]");
  if (next instanceof HTMLLinkElement && !root.querySelector("section > ol")) {
    // A page of what is over leads on.
    const link = document.createElement("a");
    [link.href, link.className, link.textContent] = [next.href, "button", next.title];
    root.append(link);
  }
}
