/** The address of the site, in whichever language the page is, without the last slash. */
export function findSite() {
  const base = document.querySelector(".foot a")?.getAttribute("href") ?? "";
  return new URL(".", new URL(base, document.baseURI)).href.replace(/\/$/, "");
}

/**
 * Examples name the server that this page came from, with the path below which it serves. A page that was opened as a
 * file keeps what it says.
 */
export function showOrigin() {
  if (!location.protocol.startsWith("http")) return;
  const site = findSite();
  for (const code of document.querySelectorAll("[data-origin]")) {
    const written = code.getAttribute("data-origin") ?? "";
    for (const node of code.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) node.textContent = (node.textContent ?? "").replaceAll(written, site);
    }
  }
}
