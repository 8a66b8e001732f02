// The city that was chosen last, on every page of the site.
const KEPT = "outings-city";

export function readCity() {
  try {
    return localStorage.getItem(KEPT) ?? "";
  } catch {
    return "";
  }
}

/** @param {string} slug */
export function keepCity(slug) {
  try {
    localStorage.setItem(KEPT, slug);
  } catch {
    // Storage is switched off: the next page begins with the first city.
  }
}
