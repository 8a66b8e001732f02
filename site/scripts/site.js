// What every page has: the switch of light and dark, buttons that copy code, and this server's address in examples.
import { addCopyButtons } from "./parts/copy.js";
import { showOrigin } from "./parts/origin.js";
import { startThemeSwitch } from "./parts/theme_switch.js";

startThemeSwitch();
showOrigin();
addCopyButtons(document);
