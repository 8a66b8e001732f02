// The home page: what is on this weekend in each city, and the request that can be sent from there.
import { showSample } from "./parts/sample.js";
import { startSending } from "./parts/send_request.js";
import { showWeekends } from "./parts/weekend.js";

showSample();
startSending();
showWeekends();
// The pages' policy lets no form be sent: the explorer's address says what it asks for.
document.querySelector("form.home-search")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target);
  const asked = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
  location.assign(`${form.action}?${new URLSearchParams(asked)}`);
});
