import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRandomBytes, createRepo, TestHub } from "./test-hub.js";

const BIG = createRandomBytes(300_000);
const SMALL = Buffer.from('{"question":"Why?"}\n');
const FILES = { "big.parquet": BIG, "small.jsonl": SMALL };
const PATHS = Object.keys(FILES) as (keyof typeof FILES)[];

let bench: TestHub;
beforeEach(async () => {
  bench = await TestHub.start({ repos: { "me/toy": createRepo(FILES) } });
});
afterEach(() => bench.close());

async function download(path: keyof typeof FILES, hub = bench.openHub()): Promise<string> {
  return hub.download(await hub.listing("me/toy"), path);
}

const content = () => bench.server.requests.filter(({ path, status }) => !path.startsWith("/api") && status !== 302);
const changed = (bytes: Buffer) => Buffer.from(bytes.map((byte, i) => (i === 7 ? byte ^ 1 : byte)));

describe("a file in the cache", () => {
  const damages: [string, (bytes: Buffer) => Buffer][] = [
    ["has a wrong byte", changed],
    ["is empty", () => Buffer.alloc(0)],
    ["is too short", (bytes) => bytes.subarray(1)],
  ];
  it.each(PATHS.flatMap((path) => damages.map(([what, damage]) => ({ path, what, damage }))))(
    "that $what is detected, noted and fetched again: $path",
    async ({ path, damage }) => {
      const blob = await download(path);
      writeFileSync(blob, damage(FILES[path]));
      bench.takeRequests();
      expect(readFileSync(await download(path)).equals(FILES[path])).toBe(true);
      expect(content()).toHaveLength(1);
      expect(bench.notes).toEqual([
        expect.stringMatching(`^me/toy/${path} was damaged in the cache: it.*fetched again`),
      ]);
      await download(path);
      expect(content()).toHaveLength(1);
      expect(bench.notes).toHaveLength(1);
    },
  );

  it("is removed if damaged, and then missing, offline", async () => {
    const blob = await download("big.parquet");
    writeFileSync(blob, changed(BIG));
    const offline = download("big.parquet", bench.openHub({ offline: true }));
    await expect(offline).rejects.toThrow(/me\/toy\/big\.parquet .*is not in the cache.*HF_HUB_OFFLINE/);
    expect(bench.notes).toEqual([expect.stringMatching(/big\.parquet was damaged in the cache: its checksum/)]);
    expect(readdirSync(join(bench.cacheDir, "datasets--me--toy", "blobs"))).toEqual([]);
    expect(readFileSync(await download("big.parquet")).equals(BIG)).toBe(true);
  });

  it("is read by range if it is damaged and only a part is needed", async () => {
    writeFileSync(await download("big.parquet"), changed(BIG));
    bench.takeRequests();
    const hub = bench.openHub();
    const source = await hub.open(await hub.listing("me/toy"), "big.parquet");
    expect(Buffer.from(await source.read(0, 100))).toEqual(BIG.subarray(0, 100));
    await source.close?.();
    expect(content().map(({ bytes }) => bytes)).toEqual([100]);
    expect(bench.notes).toHaveLength(1);
  });

  it("is repaired once if several readers find it damaged", async () => {
    writeFileSync(await download("big.parquet"), changed(BIG));
    bench.takeRequests();
    const hubs = Array.from({ length: 4 }, () => bench.openHub());
    const paths = await Promise.all(hubs.map((hub) => download("big.parquet", hub)));
    for (const path of paths) expect(readFileSync(path).equals(BIG)).toBe(true);
    expect(content()).toHaveLength(1);
    expect(bench.notes).toHaveLength(1);
  });
});

describe("a read-only cache", () => {
  /** Runs the work with a read-only cache that contains the big file, as modified by `prepare`. */
  async function inReadOnly(prepare: (blob: string) => void, work: (cacheDir: string) => Promise<void>) {
    const dir = mkdtempSync(join(tmpdir(), "assay-mount-"));
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", dir], { stdio: "ignore" });
    } catch {
      rmSync(dir, { recursive: true });
      return false;
    }
    try {
      prepare(await download("big.parquet", bench.openHub({ cacheDir: dir })));
      execFileSync("mount", ["-o", "remount,ro", dir]);
      await work(dir);
    } finally {
      execFileSync("umount", [dir]);
      rmSync(dir, { recursive: true });
    }
    return true;
  }

  it("is still verified", async (context) => {
    const ran = await inReadOnly(
      () => {},
      async (cacheDir) => {
        for (const offline of [true, false]) {
          expect(readFileSync(await download("big.parquet", bench.openHub({ cacheDir, offline }))).equals(BIG)).toBe(
            true,
          );
        }
        expect(bench.notes).toEqual([]);
      },
    );
    if (!ran) context.skip("a file system cannot be mounted here");
  });

  it.for([true, false])("is an error that names a damaged file (offline: %s)", async (offline, context) => {
    const ran = await inReadOnly(
      (blob) => writeFileSync(blob, changed(BIG)),
      async (cacheDir) => {
        const hub = bench.openHub({ cacheDir, offline });
        const key =
          /big\.parquet is damaged in the cache \(its checksum .*\).*delete .*blobs\/[0-9a-f]{64}.*ASSAY_DATASETS_CACHE/;
        await expect(download("big.parquet", hub)).rejects.toThrow(key);
        await expect(hub.open(await hub.listing("me/toy"), "big.parquet")).rejects.toThrow(key);
      },
    );
    if (!ran) context.skip("a file system cannot be mounted here");
  });
});
