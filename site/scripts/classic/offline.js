// The explorer of a folder that no server shows. A page from `file:` loads no modules and fetches nothing, so this is one
// classic script, and the data is another one, which has run before it.
import { openMap } from "../map.js";
import { find } from "../explorer/element.js";
import { Explorer } from "../explorer/explorer.js";
import { readLanguage } from "../explorer/language.js";
import { SaveButton } from "../explorer/save_button.js";
import { Folder } from "../offline/folder.js";
import { startThemeSwitch } from "../parts/theme_switch.js";

startThemeSwitch();
// A jump within the page would take the state's place in the address.
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  find("content", HTMLElement).focus();
});

const root = find("explorer", HTMLElement);
const language = readLanguage(root);
const folder = new Folder(/** @type {any} */ (globalThis).outingsData, language);
const explorer = new Explorer(root, {
  source: folder,
  language,
  address: { read: () => location.hash.slice(1), format: (query) => `#${query.slice(1)}` },
  openMap: async () => ({ openMap }),
});
explorer.panel = new SaveButton(folder, language, () => explorer.state);
explorer.start().then(() => find("waiting", HTMLElement).remove());
