// Runs one command and says what it took.
import { once } from "node:events";
import { endGroup, launch } from "./processes.mjs";
import { endedChildrenCpu, treeMemory } from "./tree.mjs";

const SAMPLE_MS = 25;
const KEPT_OUTPUT = 20_000;

/**
 * Runs Node with these arguments. `seconds` is wall time, `cpuSeconds` is of the whole tree, `peakBytes` the largest sum
 * of resident memory seen in the tree. `until` is a promise: when it resolves first, everything is killed.
 */
export async function runCommand({ args, cwd, env = {} }, { limit, until = never() } = {}) {
  const before = endedChildrenCpu();
  const started = performance.now();
  const child = launch(process.execPath, args, {
    cwd,
    env: { ...plainEnv(cwd), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = lastOf(child);
  const memory = watchMemory(child.pid);
  const ended = await endOf(child, { limit, until });
  const seconds = (performance.now() - started) / 1000;
  return { ...ended, seconds, cpuSeconds: endedChildrenCpu() - before, peakBytes: memory.stop(), output: output() };
}

const never = () => new Promise(() => {});

/** Nothing of the user's surroundings: no keys, no settings, and a home that is thrown away. */
function plainEnv(home) {
  const { PATH = "", TMPDIR = "/tmp" } = process.env;
  return { PATH, TMPDIR, HOME: home, LANG: "C.UTF-8", CI: "1", NO_COLOR: "1", DO_NOT_TRACK: "1" };
}

/** Resolves to how it ended: by itself with a code, or killed by the limit or by `until`. */
async function endOf(child, { limit, until }) {
  const late = Symbol("late");
  const stopped = Symbol("stopped");
  const closed = once(child, "close").then(([code]) => code);
  const timer = after(limit, late);
  const first = await Promise.race([closed, timer.over, until.then(() => stopped)]);
  timer.cancel();
  if (first !== late && first !== stopped) return { code: first, killed: null };
  endGroup(child.pid);
  await closed;
  return { code: null, killed: first === late ? "limit" : "asked" };
}

function after(seconds, value) {
  let timer;
  const over = new Promise((resolve) => {
    if (seconds !== undefined) timer = setTimeout(resolve, seconds * 1000, value);
  });
  return { over, cancel: () => clearTimeout(timer) };
}

function lastOf(child) {
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk) => {
      text = (text + chunk).slice(-KEPT_OUTPUT);
    });
  return () => text;
}

/** Sums hide what came and went between two looks; the peak that the kernel keeps of one process does not. */
function watchMemory(pid) {
  let peak = 0;
  const timer = setInterval(() => {
    const { now, largestPeak } = treeMemory(pid);
    peak = Math.max(peak, now, largestPeak);
  }, SAMPLE_MS);
  return {
    stop() {
      clearInterval(timer);
      return peak;
    },
  };
}
