/** Marks the place of the page that is read in the list of its places, and keeps it in view there. */
export function startPlaces() {
  const index = document.getElementById("index");
  if (!index) return;
  /** @type {Map<Element, HTMLElement>} */
  const links = new Map();
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (index.querySelectorAll('a[href^="#"]'))) {
    const place = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (place) links.set(place, link);
  }
  const places = [...links.keys()];
  const mark = () => {
    // The last one that begins in the upper third of the window; before the first of them, that.
    const read = places.findLast((place) => place.getBoundingClientRect().top < innerHeight / 3) ?? places[0];
    for (const [place, link] of links) {
      if (place !== read) link.removeAttribute("aria-current");
      else if (!link.hasAttribute("aria-current")) {
        link.setAttribute("aria-current", "location");
        show(index, link);
      }
    }
  };
  let isPlanned = false;
  const plan = () => {
    if (isPlanned) return;
    isPlanned = true;
    requestAnimationFrame(() => {
      isPlanned = false;
      mark();
    });
  };
  if (!places.length) return;
  addEventListener("scroll", plan, { passive: true });
  addEventListener("resize", plan);
  plan();
}

/**
 * Scrolls the list, and never the page.
 * @param {HTMLElement} index
 * @param {HTMLElement} link
 */
function show(index, link) {
  const [frame, box] = [index.getBoundingClientRect(), link.getBoundingClientRect()];
  if (box.top < frame.top) index.scrollTop += box.top - frame.top - box.height;
  else if (box.bottom > frame.bottom) index.scrollTop += box.bottom - frame.bottom + box.height;
}
