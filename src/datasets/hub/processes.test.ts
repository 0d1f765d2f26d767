import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { HubFaultPlan } from "./scripted-hub.js";
import { createRandomBytes, createRepo, TestHub } from "./test-hub.js";

const BIG = createRandomBytes(4_000_000);
const SOURCE = fileURLToPath(new URL("./hub.ts", import.meta.url));
/** The same bundled as plain JavaScript: a child process would spend most of its time compiling. */
const BUNDLED = fileURLToPath(
  new URL(`../../../node_modules/.cache/assay-tests/hub-${process.pid}.mjs`, import.meta.url),
);

beforeAll(async () => {
  const build = await rolldown({
    input: SOURCE,
    platform: "node",
    external: (id) => /^[^./]/.test(id),
    // As in scripts/build.mjs: what the hub does not use of core/index.ts is left out.
    treeshake: { moduleSideEffects: false },
  });
  await build.write({ file: BUNDLED, format: "esm", codeSplitting: false });
  await build.close();
});

afterAll(() => rmSync(BUNDLED, { force: true }));

/** Downloads a file, prints its progress line by line, and finally the file's path. */
const DOWNLOADER = `
  import { openHub } from ${JSON.stringify(BUNDLED)};
  const [endpoint, cacheDir, mode] = process.argv.slice(2);
  const onProgress = (progress) => console.log(JSON.stringify(progress));
  const hub = openHub({ endpoint, cacheDir, env: {}, onProgress });
  const listing = await hub.listing("me/toy");
  if (mode === "ranges") {
    const source = await hub.open(listing, "big.parquet");
    for (let at = 0; at < 1_000_000; at += 100_000) await source.read(at, at + 100_000);
    console.log(JSON.stringify({ path: "" }));
  } else console.log(JSON.stringify({ path: await hub.download(listing, "big.parquet") }));
`;

interface Line {
  readonly path?: string;
  readonly received?: number;
  readonly waitingFor?: string | null;
}

class Downloader {
  readonly lines: Line[] = [];
  readonly process: ChildProcess;
  readonly done: Promise<number | null>;

  constructor(script: string, args: readonly string[]) {
    this.process = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
    const { stdout } = this.process;
    if (stdout === null) throw new Error("the child has no output");
    const reader = createInterface(stdout);
    reader.on("line", (line) => this.lines.push(JSON.parse(line) as Line));
    const closed = once(reader, "close");
    this.done = once(this.process, "exit").then(async ([code]) => {
      await closed;
      return code as number | null;
    });
  }

  async until(holds: (line: Line) => boolean): Promise<void> {
    while (!this.lines.some(holds)) {
      if (this.process.exitCode !== null) throw new Error("the child ended too early");
      await sleep(10);
    }
  }
}

let bench: TestHub;
const children: Downloader[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) child.process.kill("SIGKILL");
  await bench.close();
});

async function begin(...faults: HubFaultPlan[]): Promise<void> {
  bench = await TestHub.start({ repos: { "me/toy": createRepo({ "big.parquet": BIG }) }, faults });
  writeFileSync(join(bench.cacheDir, "downloader.mjs"), DOWNLOADER);
}

function start(mode = "whole"): Downloader {
  const child = new Downloader(join(bench.cacheDir, "downloader.mjs"), [bench.server.url, bench.cacheDir, mode]);
  children.push(child);
  return child;
}

const store = () => bench.server.requests.filter(({ server }) => server === "store");
const STALLED: HubFaultPlan = { kind: "stall", after: 1_500_000 };

const repoDir = () => join(bench.cacheDir, "datasets--me--toy");
/** Assay's own folder for the file: locks, parts and partial downloads. */
const ownDir = () => {
  const files = join(repoDir(), ".assay", "files");
  return join(files, existsSync(files) ? (readdirSync(files)[0] ?? "") : "");
};

/** Waits until the part sent before the stall is on disk. */
async function untilPartly(): Promise<void> {
  const size = () => statSync(join(ownDir(), "partial"), { throwIfNoEntry: false })?.size ?? 0;
  while (size() < 1_500_000) await sleep(10);
}

describe("several processes", () => {
  it("download a file they all need once, and report whom they wait for", async () => {
    let goOn = () => {};
    await begin({ kind: "stall", after: 1_500_000, until: new Promise<void>((resolve) => (goOn = resolve)) });
    const both = [start(), start()];
    await Promise.race(both.map((child) => child.until(({ waitingFor }) => typeof waitingFor === "string")));
    goOn();
    expect(await Promise.all(both.map(({ done }) => done))).toEqual([0, 0]);
    for (const { lines } of both) expect(readFileSync(lines.at(-1)?.path ?? "").equals(BIG)).toBe(true);
    expect(store()).toHaveLength(1);
    const waited = both.flatMap(({ lines }) => lines.map(({ waitingFor }) => waitingFor)).filter(Boolean);
    const pids = both.map(({ process: { pid } }) => `process ${pid}`);
    expect(waited.length).toBeGreaterThan(0);
    expect(pids).toEqual(expect.arrayContaining([waited[0]]));
    expect(readdirSync(ownDir())).toEqual([]);
  });

  it("repair a damaged file once", async () => {
    await begin();
    const hub = bench.openHub();
    const blob = await hub.download(await hub.listing("me/toy"), "big.parquet");
    writeFileSync(blob, Buffer.alloc(BIG.length));
    bench.server.requests.length = 0;
    const both = [start(), start()];
    expect(await Promise.all(both.map(({ done }) => done))).toEqual([0, 0]);
    for (const { lines } of both) expect(lines.at(-1)?.path).toBe(blob);
    expect(readFileSync(blob).equals(BIG)).toBe(true);
    expect(store()).toHaveLength(1);
  });

  it("do not trust a damaged part of another process", async () => {
    await begin();
    expect(await start("ranges").done).toBe(0);
    const dir = join(ownDir(), "parts");
    const piece = readdirSync(dir).find((name) => name.startsWith("100000-")) ?? "";
    writeFileSync(join(dir, piece), Buffer.alloc(100_000));
    bench.server.requests.length = 0;
    expect(await start("ranges").done).toBe(0);
    expect(store().map(({ range }) => range)).toEqual(["bytes=100000-199999"]);
    expect(readFileSync(join(dir, piece)).equals(BIG.subarray(100_000, 200_000))).toBe(true);
  });

  it("fetch each shared part about once", async () => {
    await begin();
    const both = [start("ranges"), start("ranges")];
    expect(await Promise.all(both.map(({ done }) => done))).toEqual([0, 0]);
    const ranges = store().map(({ range }) => range);
    expect(new Set(ranges).size).toBe(10);
    expect(ranges.length).toBe(10);
  });
});

describe("kill -9 in the middle of a download", () => {
  it("loses no received bytes: the next process resumes", async () => {
    await begin(STALLED);
    const first = start();
    await untilPartly();
    first.process.kill("SIGKILL");
    await first.done;
    expect(readdirSync(join(repoDir(), "blobs"))).toEqual([]);
    expect(readdirSync(ownDir()).sort()).toEqual(["lock", "partial"]);
    const second = start();
    expect(await second.done).toBe(0);
    expect(readFileSync(second.lines.at(-1)?.path ?? "").equals(BIG)).toBe(true);
    const [, resumed] = store();
    expect(resumed).toMatchObject({ status: 206, range: "bytes=1500000-3999999" });
    expect(resumed?.bytes).toBe(2_500_000);
    expect(readdirSync(ownDir())).toEqual([]);
    expect(readdirSync(join(repoDir(), "blobs"))).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });

  it("hands over to a waiting process", async () => {
    await begin(STALLED);
    const first = start();
    await untilPartly();
    const second = start();
    await second.until(({ waitingFor }) => waitingFor === `process ${first.process.pid}`);
    first.process.kill("SIGKILL");
    expect(await second.done).toBe(0);
    expect(readFileSync(second.lines.at(-1)?.path ?? "").equals(BIG)).toBe(true);
    expect(store().map(({ status }) => status)).toEqual([200, 206]);
  });
});
