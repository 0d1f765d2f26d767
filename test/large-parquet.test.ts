import { existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileWriter, parquetWriteRows } from "hyparquet-writer";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ScriptedHub, startScriptedHub } from "../src/datasets/hub/scripted-hub.js";
import { type FinishedCommand, parseReport, startAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const ROWS = 2_000_000;
const SHARE = 0.05;
const MOST_MIB = 200;

const path = join(tmpdir(), `assay-large-${process.pid}.parquet`);
let bytes: Buffer;
let hub: ScriptedHub;

function* makeRows() {
  for (let at = 0; at < ROWS; at++) {
    const number = Math.imul(at + 1, 0x9e3779b1) >>> 0;
    yield { question: `What is ${at} plus ${number}?`, answer: `${number} in all. #### ${at}` };
  }
}

beforeAll(async () => {
  const text = (name: string) => ({ name, type: "STRING", encoding: "PLAIN" }) as const;
  await parquetWriteRows({ writer: fileWriter(path), rows: makeRows(), columns: [text("question"), text("answer")] });
  bytes = readFileSync(path);
  const files = { "main/test-00000-of-00001.parquet": bytes };
  hub = await startScriptedHub({ repos: { "openai/gsm8k": { revisions: { main: { files } } } } });
}, 120_000);

afterAll(async () => {
  await hub.close();
  rmSync(path, { force: true });
});

interface Measured extends FinishedCommand {
  /** The highest observed memory. */
  peakMiB: number;
}

/** Runs the command line and samples its memory. */
async function measured(args: readonly string[], env: Record<string, string>, dir: string): Promise<Measured> {
  const { child, finished } = startAssay(dir, args, env);
  let peakMiB = 0;
  const timer = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
      peakMiB = Math.max(peakMiB, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    } catch {
      // Ended; the promise reports it.
    }
  }, 10);
  try {
    return { ...(await finished), peakMiB };
  } finally {
    clearInterval(timer);
  }
}

describe("a Parquet file of two million rows with an offset index", () => {
  it("reads less than 5 % of its bytes and uses less than 200 MiB for a sample of a hundred", async () => {
    const space = new TempProject({ "silent.mjs": "export default () => '';" });
    const args = ["run", "--system", "./silent.mjs", "--dataset", "gsm8k", "-n", "100", "--output", "json", "--quiet"];
    const env = { HF_ENDPOINT: hub.url, ASSAY_DATASETS_CACHE: space.path("cache") };
    const first = await measured(args, env, space.dir);
    const report = parseReport(first);
    expect(report.rows).toHaveLength(100);
    const moved = hub.requests.reduce((sum, request) => sum + request.bytes, 0);
    expect(moved).toBeGreaterThan(0);
    expect(moved / bytes.length).toBeLessThan(SHARE);
    if (existsSync("/proc/self/status")) {
      expect(first.peakMiB).toBeGreaterThan(20);
      expect(first.peakMiB).toBeLessThan(MOST_MIB);
    }
    // The same sample from a local file, and from the cache only.
    const ids = report.rows.map(({ exampleId }) => exampleId);
    const local = parseReport(await measured(args.with(4, `gsm8k=${path}`), env, space.dir));
    expect(local.rows.map(({ exampleId }) => exampleId)).toEqual(ids);
    const before = hub.requests.length;
    const again = parseReport(await measured(args, { ...env, HF_HUB_OFFLINE: "1" }, space.dir));
    expect(again.rows.map(({ exampleId }) => exampleId)).toEqual(ids);
    expect(hub.requests).toHaveLength(before);
  }, 120_000);
});
