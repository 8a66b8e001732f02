// Runs a Cloudflare worker in workerd, with R2 and a cache, until the input ends. The first line of the output
// has two addresses: of the worker itself, and of it behind a stand-in of Cloudflare's network, which has R2's S3 too.
// usage: node run_worker.mjs OPTIONS      (in a folder that has the npm package miniflare; OPTIONS: miniflare's own, as JSON)
import { createRequire } from "node:module";

const { Miniflare } = createRequire(`${process.cwd()}/package.json`)("miniflare");
const options = JSON.parse(process.argv[2]);
// `cf`: miniflare asks Cloudflare for what it says of a request, unless it is told not to.
const bound = { host: "127.0.0.1", port: 0 };
const modulesRules = [{ type: "ESModule", include: ["**/*.js"] }];
const own = { modules: true, modulesRules, cf: false, ...bound, unsafeDirectSockets: [bound] };
const running = new Miniflare({ ...own, ...options });
const network = await running.ready;
console.log((await running.unsafeGetDirectURL()).origin, network.origin);
process.stdin.resume();
process.stdin.on("end", () => running.dispose());
