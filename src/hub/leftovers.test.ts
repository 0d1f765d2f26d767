import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { repoOf, someBytes, TestBench } from "./test-bench.js";

const BIG = someBytes(300_000);
const HOUR_MS = 3_600_000;

let bench: TestBench;
beforeEach(async () => {
  bench = await TestBench.start({
    repos: { "me/toy": repoOf({ "big.parquet": BIG, "other.parquet": BIG.subarray(1) }) },
  });
});
afterEach(() => bench.close());

function leave(path: string, hours: number): string {
  const then = new Date(Date.now() - hours * HOUR_MS);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "half");
  utimesSync(path, then, then);
  return path;
}

async function read(start: number): Promise<void> {
  const hub = bench.hub();
  const source = await hub.open(await hub.listing("me/toy"), "big.parquet");
  await source.read(start, start + 10);
  await source.close?.();
}

describe("what a killed process left half written", () => {
  it("among pieces is thrown away after a day, by whoever writes there next", async () => {
    await read(0);
    const pieces = join(bench.cacheDir, "pieces");
    const dir = join(pieces, readdirSync(pieces)[0] ?? "");
    const old = leave(join(dir, "a.tmp"), 25);
    const young = leave(join(dir, "b.tmp"), 23);
    await read(0);
    expect(existsSync(old)).toBe(true);
    await read(50);
    expect(existsSync(old)).toBe(false);
    expect(existsSync(young)).toBe(true);
    expect(readdirSync(dir)).toHaveLength(3);
  });

  it("among whole files is, too, and a part that can be gone on from is not", async () => {
    const old = leave(join(bench.cacheDir, "blobs", "x.verified.1.ab.tmp"), 25);
    const partial = leave(join(bench.cacheDir, "blobs", "x.partial"), 25);
    const hub = bench.hub();
    await hub.download(await hub.listing("me/toy"), "big.parquet");
    expect(existsSync(old)).toBe(false);
    expect(existsSync(partial)).toBe(true);
  });

  it("among listings and locks is, too", async () => {
    const olds = [
      leave(join(bench.cacheDir, "listings", "me%2Ftoy", "x.tmp"), 25),
      leave(join(bench.cacheDir, "locks", "x.tmp"), 25),
    ];
    await read(0);
    expect(olds.filter(existsSync)).toEqual([]);
  });
});
