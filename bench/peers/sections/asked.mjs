// Every contender that can ask an endpoint, one after the other: a row of a table for each.
import { join } from "node:path";
import { writeExamples } from "../../data.mjs";
import { startEndpoint } from "../mock.mjs";
import { LATENCY_MS } from "./requests.mjs";

/** `rowOf` makes the row of a contender; `name` is that of the file of examples. */
export async function rowsOfAsked({ contenders, options, folder }, { name, rowOf, onRow }) {
  const data = join(folder, `${name}.jsonl`);
  writeExamples(data, options.requests);
  const endpoint = await startEndpoint(LATENCY_MS);
  const { requests: examples, workers, limit } = options;
  const setting = { data, examples, workers: workers.requests, limit, url: endpoint.url };
  const rows = [];
  for (const contender of contenders.filter(({ requests, role }) => requests !== undefined && role !== "floor")) {
    rows.push(await rowOf(contender, { endpoint, setting }));
    onRow(rows.at(-1).join(", "));
  }
  endpoint.stop();
  return rows;
}
