// What three generators made of /openapi.json, used as an app would: it must compile, and the answers must be there.
// usage: node use.js SERVER KEY
import createClient from "openapi-fetch";
import { eventsDetail, eventsList } from "./made/hey_api";
import { client as heyApi } from "./made/hey_api/client.gen";
import type { components, paths } from "./made/openapi_typescript";
import { eventsList as orvalEvents, type Category, type Event } from "./made/orval";

type Listing = components["schemas"]["Event"] | components["schemas"]["Class"];

// A type that is one of two is told by `type`.
const startOf = (listing: Listing): string | null =>
  listing.type === "event" ? listing.starts_local : listing.term.starts_on;

declare const process: { argv: string[]; exitCode?: number };

async function main(server: string, key: string): Promise<void> {
  const api = createClient<paths>({ baseUrl: server, headers: { "X-API-Key": key } });
  const path = { metro: "seattle" };
  const { data, error } = await api.GET("/v1/{metro}/events", { params: { path, query: { limit: 3, audience: ["all"] } } });
  if (error) throw new Error(error.error.code);
  const starts = data.data.map((event) => [event.name.length > 0, startOf(event), event.occurrence?.next_starts_local]);
  const refused = await api.GET("/v1/{metro}/events", { params: { path: { metro: "nowhere" } } });

  heyApi.setConfig({ baseUrl: server, auth: key });
  const listed = await eventsList({ path, query: { limit: 3, audience: ["all"] }, throwOnError: true });
  const names: string[] = listed.data.data.map((event) => event.name);
  const first = listed.data.data[0];
  const one = first && (await eventsDetail({ path: { id: first.id }, throwOnError: true }));

  globalThis.fetch = ((send) => (input: RequestInfo | URL, init?: RequestInit) =>
    send(new URL(String(input), server), { ...init, headers: { "X-API-Key": key } }))(globalThis.fetch);
  const answer = await orvalEvents("seattle", { limit: 3, audience: ["all"] });
  if (answer.status !== 200) throw new Error(String(answer.status));
  const events: Event[] = answer.data.data;
  const categories: Category[] = events.flatMap((event) => event.categories);

  console.log(
    JSON.stringify({
      openapi_typescript: data.data.map((event) => event.name),
      starts,
      refused: refused.error?.error.code,
      hey_api: names,
      detail: one?.data.data.name,
      orval: events.map((event) => event.name),
      categories,
    }),
  );
}

main(process.argv[2] ?? "", process.argv[3] ?? "").catch((problem) => {
  console.error(problem);
  process.exitCode = 1;
});
