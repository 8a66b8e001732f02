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

// The first of a weekend that are not over, on the home page.
for (const section of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("section[data-most]"))) {
  const { timezone = "UTC", most, empty = "" } = section.dataset;
  for (const row of listPast(section, findNow(timezone))) row.remove();
  const left = [...section.querySelectorAll("ol > li")];
  for (const row of left.slice(Number(most))) row.remove();
  if (!left.length) section.querySelector("ol")?.replaceWith(empty);
}

const root = document.getElementById("lists");
if (root) {
  const { timezone = "UTC", over = "" } = root.dataset;
  const now = findNow(timezone);
  for (const section of root.querySelectorAll("section[data-day]")) {
    const past = listPast(section, now);
    const list = section.querySelector("ol");
    if (!past.length || !list) continue;
    const fold = document.createElement("details");
    const title = document.createElement("summary");
    title.textContent = over.replace("{count}", String(past.length));
    const folded = document.createElement("ol");
    folded.className = list.className;
    folded.append(...past);
    fold.append(title, folded);
    section.append(fold);
    if (!list.children.length) list.remove();
  }
  const next = document.querySelector("link[rel=next]");
  if (next instanceof HTMLLinkElement && !root.querySelector("section > ol")) {
    // A page of what is over leads on.
    const link = document.createElement("a");
    [link.href, link.className, link.textContent] = [next.href, "button", next.title];
    root.append(link);
  }
}
