// Wall time of many model calls with a fixed latency, adaptive concurrency on, against a bare loop of undici.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { writeExamples } from "./data.mjs";
import { ASSAY, HERE, inTempFolder, inTurns, runNode, times } from "./measure.mjs";

const REQUESTS = 20_000;
const LATENCY_MS = 50;
const ROUNDS = 3;
/** At 512 in flight the two cores decide, which the endpoint shares: nothing is promised there. */
const AIMS = { 64: "≤ 1.10 × a bare undici loop", 512: "–" };

export function measure() {
  return inTempFolder(async (dir) => {
    const data = join(dir, "data.jsonl");
    writeExamples(data, REQUESTS);
    const mock = await startMock();
    try {
      const found = [];
      for (const workers of Object.keys(AIMS)) found.push(await measureAt(workers, { dir, data, url: mock.url }));
      return found;
    } finally {
      mock.stop();
    }
  });
}

async function measureAt(workers, { dir, data, url }) {
  const loop = (client) => [join(HERE, "fetch-loop.mjs"), client, `${url}/chat/completions`, data, workers];
  const evaluators = ["--trust", "--plugin", join(HERE, "work.mjs"), "--evaluator", "exact", "--evaluator", "overlap"];
  const asked = ["--proxy", url, "--model", "m", "--dataset", data, "--max-workers", workers];
  const args = [ASSAY, "run", ...asked, ...evaluators, "--runs-dir", join(dir, "runs"), "--quiet"];
  const { undici, http, assay } = await inTurns(
    {
      undici: () => runNode(loop("undici")),
      http: () => runNode(loop("http")),
      assay: () => runNode(args, { cwd: dir }),
    },
    ROUNDS,
  );
  const ideal = (Math.ceil(REQUESTS / workers) * LATENCY_MS) / 1000;
  const seconds = `${assay.toFixed(2)} s; undici ${undici.toFixed(2)} s, node:http ${http.toFixed(2)} s, ideal ${ideal.toFixed(2)} s`;
  return [
    `${REQUESTS} requests at ${LATENCY_MS} ms, ${workers} at a time, whole command`,
    AIMS[workers],
    `${times(assay / undici)} a bare undici loop (${seconds})`,
  ];
}

/** The mock in a process of its own, as a provider would be. */
export async function startMock(flags = ["--latency", String(LATENCY_MS), "--reply", "echo"]) {
  const child = spawn(process.execPath, [ASSAY, "mock", ...flags], { stdio: ["ignore", "pipe", "ignore"] });
  let text = "";
  child.stdout.setEncoding("utf8");
  while (!/http:\/\/\S+\/v1\b/.test(text)) {
    const [chunk] = await once(child.stdout, "data");
    text += chunk;
  }
  const [url] = /http:\/\/\S+\/v1\b/.exec(text) ?? [];
  return { url, stop: () => child.kill("SIGTERM") };
}
