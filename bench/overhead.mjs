// Wall time with an asynchronous system of fixed latency, against the time that latency alone would take.
import { join } from "node:path";
import { writeExamples } from "./data.mjs";
import { inTempFolder, runNode } from "./measure.mjs";
import { assayArgs } from "./throughput.mjs";

const EXAMPLES = 20_000;
const WORKERS = 64;
const LATENCY_MS = 50;

export function measure() {
  return inTempFolder(async (dir) => {
    const data = join(dir, "data.jsonl");
    writeExamples(data, EXAMPLES);
    const system = ["--system", `slow-echo:${LATENCY_MS}`, "--max-workers", String(WORKERS)];
    const run = await runNode(assayArgs(dir, data, system), { cwd: dir });
    const ideal = (Math.ceil(EXAMPLES / WORKERS) * LATENCY_MS) / 1000;
    const over = (run.seconds / ideal - 1) * 100;
    return [
      [
        `${EXAMPLES} examples at ${LATENCY_MS} ms, ${WORKERS} workers`,
        "≤ 5 % over ideal",
        `${over.toFixed(1)} % (${run.seconds.toFixed(2)} s of ${ideal.toFixed(2)} s)`,
      ],
    ];
  });
}
