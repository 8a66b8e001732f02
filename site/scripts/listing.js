// Shares the page of a listing, by the device's own way or by copying its address, and says whether a place is open.
import { findNow } from "./explorer/days.js";
import { findClosing } from "./explorer/hours.js";

const button = document.getElementById("share");
const note = document.getElementById("share-note");
if (button instanceof HTMLButtonElement && note) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const { href } = location;
    try {
      if (typeof navigator.share === "function") await navigator.share({ title: document.title, url: href });
      else {
        await navigator.clipboard.writeText(href);
        note.textContent = button.dataset.copied ?? "";
      }
    } catch (error) {
      if (!(error instanceof DOMException && error.name === "AbortError")) note.textContent = href;
    }
  });
}

const open = document.getElementById("open-now");
if (open) {
  const { timezone = "", hours = "" } = open.dataset;
  const place = /** @type {import("../types/api.js").Item} */ ({ hours: JSON.parse(hours) });
  open.hidden = findClosing(place, findNow(timezone)) === null;
}
