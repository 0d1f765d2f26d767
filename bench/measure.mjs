// Runs commands and compares them. These machines are shared: only ratios within one run mean anything.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ASSAY = fileURLToPath(new URL("../bin/assay.js", import.meta.url));
export const HERE = fileURLToPath(new URL(".", import.meta.url));

/** Certificates that every Node reads at its start would be a third of many figures here, on all sides alike. */
const { NODE_EXTRA_CA_CERTS: _, ...ENVIRONMENT } = process.env;

/** Runs Node once; resolves to its wall time, and with `memory` to its peak resident memory, which costs some time. */
export function runNode(args, { cwd, memory = false } = {}) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const hook = memory ? ["--import", join(HERE, "peak-memory.mjs")] : [];
    const child = spawn(process.execPath, [...hook, ...args], {
      cwd,
      env: ENVIRONMENT,
      stdio: ["ignore", "ignore", "pipe", "pipe"],
    });
    let stderr = "";
    let peak = "";
    child.stderr.on("data", (data) => {
      stderr += data;
    });
    child.stdio[3].on("data", (data) => {
      peak += data;
    });
    child.on("close", (code) => {
      const seconds = (performance.now() - started) / 1000;
      if (code === 0) resolve({ seconds, peakBytes: Number(peak) * 1024 });
      else reject(new Error(`node ${args.join(" ")} ended with ${code}\n${stderr.slice(-2000)}`));
    });
  });
}

/** Runs several commands in turns, so that a busy moment hits all of them; gives the median seconds of each. */
export async function inTurns(commands, rounds) {
  const names = Object.keys(commands);
  const runs = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of names) runs[name].push((await commands[name]()).seconds);
  }
  return Object.fromEntries(names.map((name) => [name, median(runs[name])]));
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** A folder that is gone afterwards. */
export async function inTempFolder(work) {
  const dir = mkdtempSync(join(tmpdir(), "assay-bench-"));
  try {
    return await work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

export const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
export const times = (ratio) => `${ratio.toFixed(2)} ×`;

export function machine() {
  return `${process.platform} ${process.arch}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
}
