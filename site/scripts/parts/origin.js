/** Examples name the server that this page came from. A page that was opened as a file keeps what it says. */
export function showOrigin() {
  if (!location.protocol.startsWith("http")) return;
  for (const code of document.querySelectorAll("[data-origin]")) {
    const written = code.getAttribute("data-origin") ?? "";
    for (const node of code.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) node.textContent = (node.textContent ?? "").replaceAll(written, location.origin);
    }
  }
}
