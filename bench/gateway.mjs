// What the gateway adds to a call, against the same call made directly, and what a thousand open streams cost it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { ASSAY, mib } from "./measure.mjs";

const CALLS = 3000;
const WARM_UP = 500;
const STREAMS = 1000;

export async function measure() {
  const quick = await startMock(["--output-tokens", "20"]);
  const added = await withGateway(quick.url, (gateway) => addedLatency(quick.url, gateway));
  await quick.stop();
  // Each stream is open for several seconds, so that all of them are at once.
  const slow = await startMock(["--output-tokens", "400", "--tokens-per-sec", "40"]);
  const peak = await peakWithStreams(slow.url);
  await slow.stop();
  return [
    ["latency that the gateway adds, answered whole, median", "< 1 ms", describe(added.whole)],
    ["latency that the gateway adds, streamed, median", "< 1 ms", describe(added.streamed)],
    [`peak memory of the gateway with ${STREAMS} streams at a time`, "< 200 MiB", peak],
  ];
}

function describe({ direct, through }) {
  const ms = (value) => `${value.toFixed(2)} ms`;
  return `${ms(through - direct)} (${ms(through)} of which ${ms(direct)} direct)`;
}

/** Calls take turns, so that a busy moment hits both ways. */
async function addedLatency(direct, through) {
  const agent = new Agent({ keepAlive: true });
  const found = {};
  for (const [name, stream] of [
    ["whole", false],
    ["streamed", true],
  ]) {
    const times = { direct: [], through: [] };
    for (let i = 0; i < WARM_UP + CALLS; i++) {
      const pair = { direct: await call(direct, { stream, agent }), through: await call(through, { stream, agent }) };
      if (i < WARM_UP) continue;
      for (const way of Object.keys(times)) times[way].push(pair[way]);
    }
    found[name] = { direct: median(times.direct), through: median(times.through) };
  }
  agent.destroy();
  return found;
}

async function peakWithStreams(upstream) {
  const agent = new Agent({ keepAlive: true, maxSockets: STREAMS });
  const peak = await withGateway(upstream, async (gateway, pid) => {
    await Promise.all(Array.from({ length: STREAMS }, () => call(gateway, { stream: true, agent })));
    return peakOf(pid);
  });
  agent.destroy();
  return peak;
}

/** As the system counts it. What a process says itself, as in the other measures, includes what its parent had when it was made. */
function peakOf(pid) {
  if (process.platform !== "linux") return "only measured on Linux";
  return mib(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) * 1024);
}

/** Milliseconds until the whole answer was there. */
async function call(base, { stream, agent }) {
  const body = JSON.stringify({ model: "gpt-4o", stream, messages: [{ role: "user", content: "How are you?" }] });
  const started = performance.now();
  const sent = request(`${base}/chat/completions`, { method: "POST", agent });
  sent.end(body);
  const [response] = await once(sent, "response");
  response.resume();
  await once(response, "end");
  if (response.statusCode !== 200) throw new Error(`the call was answered with ${response.statusCode}`);
  return performance.now() - started;
}

async function startMock(args) {
  const { child, url } = await start(["mock", ...args], /OPENAI_BASE_URL=(\S+)/);
  return { url, stop: () => stop(child) };
}

async function withGateway(upstream, work) {
  const args = ["gateway", "--max-cost", "1000", "--upstream", `openai=${upstream}`];
  const { child, url } = await start(args, /OPENAI_BASE_URL='(\S+)'/);
  try {
    return await work(url, child.pid);
  } finally {
    await stop(child);
  }
}

/** Starts a command that serves, and gives the address it prints. */
async function start(args, pattern) {
  const child = spawn(process.execPath, [ASSAY, ...args], { stdio: ["ignore", "pipe", "ignore"] });
  let printed = "";
  while (!pattern.test(printed)) {
    const [data] = await Promise.race([once(child.stdout, "data"), once(child, "exit").then(() => [null])]);
    if (data === null) throw new Error(`assay ${args.join(" ")} ended before it listened`);
    printed += data;
  }
  return { child, url: pattern.exec(printed)[1] };
}

async function stop(child) {
  const closed = once(child, "close");
  child.kill("SIGINT");
  await closed;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}
