// The page of a city: what is on there this weekend.
import { showWeekends } from "./parts/weekend.js";

showWeekends();
