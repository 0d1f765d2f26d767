// What a run over a queue costs: real workers and a real Redis, trials that wait 50 ms, one worker against four.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { writeExamples } from "./data.mjs";
import { ASSAY, HERE, inTempFolder, runNode, times } from "./measure.mjs";

const LATENCY = 50;
const SLOTS = 8;
const LITTLE = 500;
const MUCH = 4000;

export function measure() {
  return inTempFolder(async (dir) => {
    const redis = await startRedis(dir);
    if (redis === null) return [["runs over a queue", "", "not measured: redis-server is missing"]];
    try {
      const one = await slope({ dir, url: redis.url, workers: 1 });
      const four = await slope({ dir, url: redis.url, workers: 4 });
      const rate = (seconds) => `${Math.round(1 / seconds)}/s`;
      const added = one * SLOTS * 1000 - LATENCY;
      return [
        [
          `trials of ${LATENCY} ms, ${SLOTS} at a time each: four workers against one`,
          "≥ 3.5 ×",
          `${times(one / four)} (${rate(four)} against ${rate(one)})`,
        ],
        ["what the queue adds to a trial, one worker", "< 10 ms", `${added.toFixed(1)} ms`],
        ["the same with four workers", "< 10 ms", `${(four * 4 * SLOTS * 1000 - LATENCY).toFixed(1)} ms`],
      ];
    } finally {
      redis.stop();
    }
  });
}

/** Seconds for each further trial: starting and ending are in both runs. */
async function slope({ dir, url, workers }) {
  const flock = Array.from({ length: workers }, () => startWorker(dir, url));
  try {
    await sleep(1500);
    const little = await timed({ dir, url, examples: LITTLE * workers });
    const much = await timed({ dir, url, examples: MUCH * workers });
    return (much - little) / ((MUCH - LITTLE) * workers);
  } finally {
    for (const child of flock) child.kill("SIGTERM");
    await Promise.all(flock.map((child) => once(child, "exit")));
  }
}

async function timed({ dir, url, examples }) {
  const data = join(dir, `data-${examples}.jsonl`);
  writeExamples(data, examples);
  const what = [
    "--trust",
    "--plugin",
    join(HERE, "work.mjs"),
    "--system",
    `slow-echo:${LATENCY}`,
    "--evaluator",
    "exact",
  ];
  const args = [ASSAY, "run", ...what, "--dataset", data, "--queue", url, "--runs-dir", join(dir, "runs"), "--quiet"];
  return (await runNode(args, { cwd: dir })).seconds;
}

function startWorker(dir, url) {
  const args = [ASSAY, "worker", "--queue", url, "--concurrency", String(SLOTS), "--allow", "systems,outside-files"];
  return spawn(process.execPath, args, { cwd: dir, stdio: "ignore" });
}

async function startRedis(dir) {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  const settings = ["--bind", "127.0.0.1", "--appendonly", "yes", "--save", "", "--dir", dir];
  const child = spawn("redis-server", ["--port", String(port), ...settings], { stdio: "ignore" });
  const failed = once(child, "error").then(() => true);
  if (await Promise.race([failed, sleep(1000)])) return null;
  return { url: `redis://127.0.0.1:${port}`, stop: () => child.kill() };
}
