import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const RUN = fileURLToPath(new URL("./run.mjs", import.meta.url));

/** Everything below a process: what it started leads groups of its own, but has it for a parent. */
function childrenOf(pid) {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}

function isAlive(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.[0] !== "Z";
  } catch {
    return false;
  }
}

it("leaves no process behind when it is interrupted", async () => {
  // The endpoint and one contender run at the same time; many calls, so that it is in the middle of them.
  const args = [RUN, "--only", "floor", "--sections", "requests", "--requests", "20000", "--rounds", "1"];
  const bench = spawn(process.execPath, args, { stdio: "ignore" });
  const ended = once(bench, "exit");
  await expect.poll(() => childrenOf(bench.pid).length, { timeout: 20_000, interval: 20 }).toBe(2);
  const started = childrenOf(bench.pid);
  bench.kill("SIGINT");
  expect((await ended)[0]).toBe(130);
  await expect.poll(() => started.filter(isAlive), { timeout: 5_000 }).toEqual([]);
}, 40_000);
