// The least that must be done: a pool of promises. It is no harness and keeps no run.
import { join } from "node:path";
import { HERE } from "../../measure.mjs";
import { countRows, readRecords } from "./outcome.mjs";

const resultsOf = (dir) => join(dir, "floor.jsonl");

export const floor = {
  name: "floor",
  role: "floor",
  stores: "a line of JSON for each example",
  notes: "A bare loop, no harness; against the endpoint a bare loop of `fetch` that throws answers away.",
  startup: () => ({ version: ["-e", "0"], help: ["-e", "0"], imports: [] }),
  echo: ({ dir, data, workers }) => ({
    args: [join(HERE, "floor.mjs"), data, resultsOf(dir), String(workers)],
    results: [resultsOf(dir)],
  }),
  requests: ({ data, url, workers }) => ({
    args: [join(HERE, "fetch-loop.mjs"), "fetch", `${url}/chat/completions`, data, String(workers)],
    results: [],
  }),
  outcome: ({ dir, url }) =>
    url === undefined ? countRows(readRecords(resultsOf(dir)), ({ scores }) => scores.exact) : null,
};
