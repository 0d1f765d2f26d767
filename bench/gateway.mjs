// What the gateway adds to a call, against the same call made directly and through a bare proxy, and what a thousand
// open streams cost it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ASSAY, HERE, mib, times } from "./measure.mjs";

const PER_SECOND = 200;
/** A turn is a second; the first of each way are not counted. */
const WARM_UP_TURNS = 2;
const TURNS = 15;
const STREAMS = 1000;
const LONGEST_CALL_MS = 30_000;

export async function measure() {
  const quick = await startMock(["--output-tokens", "20"]);
  const bare = await start([join(HERE, "bare-proxy.mjs"), quick.url], /(http:\S+)/);
  const found = await withGateway(quick.url, async (gateway) => {
    const ways = { direct: quick.url, bare: bare.url, gateway };
    return { whole: await measureWays(ways, false), streamed: await measureWays(ways, true) };
  });
  await stop(bare.child);
  await quick.stop();
  // Each stream is open for several seconds, so that all of them are at once.
  const slow = await startMock(["--output-tokens", "400", "--tokens-per-sec", "40"]);
  const peak = await peakWithStreams(slow.url);
  await slow.stop();
  return [
    ...describeWays("answered whole", found.whole),
    ...describeWays("streamed", found.streamed),
    [`peak memory of the gateway with ${STREAMS} streams at a time`, "< 200 MiB", peak],
  ];
}

function describeWays(kind, ways) {
  const ms = (value) => `${value.toFixed(2)} ms`;
  const at = (share) => {
    const [direct, bare, gateway] = [ways.direct, ways.bare, ways.gateway].map((found) => quantile(found, share));
    return { direct, bare, gateway, each: `gateway ${ms(gateway)}, bare proxy ${ms(bare)}, direct ${ms(direct)}` };
  };
  const [median, p99] = [at(0.5), at(0.99)];
  const pace = `at ${PER_SECOND} requests/s, ${kind}`;
  return [
    [
      `latency that the gateway adds ${pace}, median`,
      "< 1 ms",
      `${ms(median.gateway - median.direct)} (${median.each})`,
    ],
    [
      `a call through the gateway ${pace}, p99`,
      "≤ 2.00 × a bare proxy",
      `${times(p99.gateway / p99.bare)} (${p99.each})`,
    ],
  ];
}

/** The ways take turns, so that a busy moment hits all of them. Gives the milliseconds of each call. */
async function measureWays(ways, stream) {
  const agent = new Agent({ keepAlive: true });
  const found = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let turn = 0; turn < WARM_UP_TURNS + TURNS; turn++)
    for (const [name, url] of Object.entries(ways)) {
      const taken = await callForASecond(url, { stream, agent });
      if (turn >= WARM_UP_TURNS) found[name].push(...taken);
    }
  agent.destroy();
  return found;
}

/** Calls at a fixed pace, whether or not earlier ones are answered. */
async function callForASecond(url, options) {
  const calls = [];
  const started = performance.now();
  while (calls.length < PER_SECOND) {
    await wait(started + (calls.length * 1000) / PER_SECOND - performance.now());
    calls.push(call(url, options));
  }
  return Promise.all(calls);
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
  const sent = request(`${base}/chat/completions`, { method: "POST", agent, timeout: LONGEST_CALL_MS });
  sent.on("timeout", () => sent.destroy(new Error(`no answer within ${LONGEST_CALL_MS} ms`)));
  sent.end(body);
  const [response] = await once(sent, "response");
  response.resume();
  await once(response, "end");
  if (response.statusCode !== 200) throw new Error(`the call was answered with ${response.statusCode}`);
  return performance.now() - started;
}

async function startMock(args) {
  const { child, url } = await start([ASSAY, "mock", ...args], /OPENAI_BASE_URL=(\S+)/);
  return { url, stop: () => stop(child) };
}

async function withGateway(upstream, work) {
  const args = [ASSAY, "gateway", "--max-cost", "1000", "--upstream", `openai=${upstream}`];
  const { child, url } = await start(args, /OPENAI_BASE_URL='(\S+)'/);
  try {
    return await work(url, child.pid);
  } finally {
    await stop(child);
  }
}

/** Starts a program that serves, and gives the address it prints. */
async function start(args, pattern) {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  let printed = "";
  while (!pattern.test(printed)) {
    const [data] = await Promise.race([once(child.stdout, "data"), once(child, "exit").then(() => [null])]);
    if (data === null) throw new Error(`${args.join(" ")} ended before it listened`);
    printed += data;
  }
  return { child, url: pattern.exec(printed)[1] };
}

async function stop(child) {
  const closed = once(child, "close");
  child.kill("SIGINT");
  await closed;
}

function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)];
}
