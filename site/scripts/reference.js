// The reference: search, one choice of language for all examples, and requests that are sent from the page.
import { startLanguages } from "./parts/code_languages.js";
import { startColoring } from "./parts/json_code.js";
import { startPlaces } from "./parts/reference_places.js";
import { startSearch } from "./parts/reference_search.js";
import { startTrying } from "./trying/start.js";

startLanguages();
startSearch();
startPlaces();
startColoring();
startTrying();
