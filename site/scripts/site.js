// What every page has: the switch of light and dark, copy buttons, links to other languages, this server in examples.
import { addCopyButtons } from "./parts/copy.js";
import { showOrigin } from "./parts/origin.js";
import { startThemeSwitch } from "./parts/theme_switch.js";

startThemeSwitch();
showOrigin();
addCopyButtons(document);
for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("a.language"))) {
  // What is chosen on the page is chosen in the other language, too.
  link.addEventListener("click", () => (link.search = location.search));
}
