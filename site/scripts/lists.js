// Lists that a build wrote: what is over by now is folded away, also where the page is of an earlier day.
const root = document.getElementById("lists");
if (root) {
  const { timezone = "UTC", over = "" } = root.dataset;
  const options = /** @type {const} */ ({ timeZone: timezone, dateStyle: "short", timeStyle: "short" });
  // Swedish writes a date and a time as ISO does.
  const now = new Intl.DateTimeFormat("sv-SE", options).format(new Date()).replace(" ", "T");
  for (const section of root.querySelectorAll("section[data-day]")) {
    const rows = /** @type {NodeListOf<HTMLElement>} */ (section.querySelectorAll("[data-ends]"));
    const past = [...rows].filter(({ dataset }) => (dataset.ends ?? "") < now);
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
}
