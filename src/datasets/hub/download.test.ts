import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { DownloadProgress } from "../../core/dataset.js";
import type { HubFile } from "./hub.js";
import type { HubFaultPlan } from "./scripted-hub.js";
import { createRandomBytes, createRepo, TestHub } from "./test-hub.js";

let bench: TestHub;
afterEach(() => bench.close());

const BIG = createRandomBytes(300_000);
const SMALL = Buffer.from('{"question":"Why?"}\n');
const FILES = { "big.parquet": BIG, "train set/ü?#.jsonl": SMALL, "empty.csv": Buffer.alloc(0) };

async function begin(...faults: HubFaultPlan[]): Promise<void> {
  bench = await TestHub.start({ repos: { "me/toy": createRepo(FILES) }, faults });
}

async function fetched(path: keyof typeof FILES, hub = bench.openHub()): Promise<Buffer> {
  return readFileSync(await hub.download(await hub.listing("me/toy"), path));
}

const REPO = "datasets--me--toy";
const blobs = (cacheDir = bench.cacheDir) => readdirSync(join(cacheDir, REPO, "blobs")).sort();
/** Assay's own files: locks, parts and partial downloads. */
const leftovers = (cacheDir = bench.cacheDir) =>
  readdirSync(join(cacheDir, REPO, ".assay", "files"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
const store = () => bench.server.requests.filter(({ server }) => server === "store");

describe("download", () => {
  it.each(Object.keys(FILES) as (keyof typeof FILES)[])(
    "returns the bytes of %s, and downloads it only once",
    async (path) => {
      await begin();
      expect((await fetched(path)).equals(FILES[path])).toBe(true);
      bench.takeRequests();
      expect((await fetched(path)).equals(FILES[path])).toBe(true);
      expect(bench.takeRequests()).toEqual(["GET /api/datasets/me/toy/revision/main 200"]);
      expect(blobs()).toHaveLength(1);
      expect(leftovers()).toEqual([]);
    },
  );

  it("stores a file under the hash of its content", async () => {
    await begin();
    const hub = bench.openHub();
    const listing = await hub.listing("me/toy");
    for (const { path } of listing.files) await hub.download(listing, path);
    const hashes = listing.files.map(({ sha256, gitSha1 }) => sha256 ?? gitSha1);
    expect(blobs()).toEqual(hashes.sort());
    expect(hub.received).toBeGreaterThan(BIG.length + SMALL.length);
  });

  it("stores it where the hub's own tools find it", async () => {
    await begin();
    const hub = bench.openHub();
    const listing = await hub.listing("me/toy");
    for (const { path } of listing.files) await hub.download(listing, path);
    const dir = join(bench.cacheDir, REPO);
    expect(readFileSync(join(dir, "refs", "main"), "utf8")).toBe(listing.revision);
    for (const [path, bytes] of Object.entries(FILES))
      expect(readFileSync(join(dir, "snapshots", listing.revision, path)).equals(bytes)).toBe(true);
  });

  it("uses files that the hub's own tools have downloaded", async () => {
    await begin();
    const listing = await bench.openHub().listing("me/toy");
    const { sha256 = "" } = listing.files.find(({ path }) => path === "big.parquet") ?? {};
    mkdirSync(join(bench.cacheDir, REPO, "blobs"));
    writeFileSync(join(bench.cacheDir, REPO, "blobs", sha256), BIG);
    expect((await fetched("big.parquet")).equals(BIG)).toBe(true);
    expect(store()).toEqual([]);
  });

  it("sends the token to the hub, but not to the store that it redirects to", async () => {
    await begin();
    await fetched("big.parquet", bench.openHub({ token: "secret" }));
    const sent = bench.server.requests.map(({ server, authorization }) => `${server} ${authorization}`);
    expect([...new Set(sent)]).toEqual(["hub Bearer secret", "store null"]);
  });

  it("works offline afterwards, and explains what to run if the file was never fetched", async () => {
    await begin();
    await fetched("big.parquet");
    await bench.server.close();
    const offline = bench.openHub({ offline: true });
    expect((await fetched("big.parquet", offline)).equals(BIG)).toBe(true);
    await expect(fetched("empty.csv", offline)).rejects.toThrow(/empty\.csv .*without HF_HUB_OFFLINE/);
  });

  it("suggests similar files for an unknown name", async () => {
    await begin();
    const hub = bench.openHub();
    const listing = await hub.listing("me/toy");
    await expect(hub.download(listing, "big.parqet")).rejects.toThrow(
      /me\/toy has no file "big\.parqet".*Did you mean "big\.parquet"\? It has: big\.parquet, empty\.csv/,
    );
  });

  it("fetches a file again if its cached size is wrong", async () => {
    await begin();
    await fetched("big.parquet");
    writeFileSync(join(bench.cacheDir, REPO, "blobs", blobs()[0] ?? ""), "short");
    expect((await fetched("big.parquet")).equals(BIG)).toBe(true);
  });
});

describe("an interrupted body", () => {
  it("is resumed where it was cut off", async () => {
    await begin({ kind: "cut", after: 100_000 });
    expect((await fetched("big.parquet")).equals(BIG)).toBe(true);
    expect(store().map(({ range, status }) => [range, status])).toEqual([
      [null, 200],
      [expect.stringMatching(/^bytes=\d+-299999$/), 206],
    ]);
    expect(store()[1]?.bytes).toBeLessThanOrEqual(200_000);
  });

  it("is also resumed after an idle timeout", async () => {
    await begin({ kind: "stall", after: 100_000 });
    expect((await fetched("big.parquet", bench.openHub({}, { idleMs: 300 }))).equals(BIG)).toBe(true);
    expect(store()[1]?.status).toBe(206);
  });

  it("is an error if it happens every time, and the next run resumes", async () => {
    await begin({ kind: "cut", after: 50_000, times: 5 });
    await expect(fetched("big.parquet")).rejects.toThrow(
      /big\.parquet was cut off: received \d+ of 300000 bytes.*5 times/,
    );
    expect(leftovers()).toEqual(["partial"]);
    bench.server.requests.length = 0;
    expect((await fetched("big.parquet")).equals(BIG)).toBe(true);
    expect(store()[0]?.range).toMatch(/^bytes=\d+-299999$/);
    expect(blobs()).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });

  it("is discarded if it does not match the rest", async () => {
    await begin({ kind: "cut", after: 100_000 }, { kind: "wrong" });
    expect((await fetched("big.parquet")).equals(BIG)).toBe(true);
  });

  it("is restarted by a server without range support", async () => {
    await begin({ kind: "cut", after: 100_000 }, { kind: "no-ranges" });
    expect((await fetched("big.parquet")).equals(BIG)).toBe(true);
    expect(store().map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

describe("a file with wrong content", () => {
  it("is fetched again once", async () => {
    await begin({ kind: "wrong" });
    expect((await fetched("big.parquet")).equals(BIG)).toBe(true);
    expect(store()).toHaveLength(2);
  });

  it.each(["big.parquet", "train set/ü?#.jsonl"] as const)(
    "is an error the second time, and nothing is kept: %s",
    async (path) => {
      await begin({ kind: "wrong", times: 2 });
      await expect(fetched(path)).rejects.toThrow(/arrived damaged twice: its checksum is [0-9a-f]{12}… instead of/);
      expect(blobs()).toEqual([]);
      expect(leftovers()).toEqual([]);
      expect((await fetched(path)).equals(FILES[path])).toBe(true);
    },
  );

  it("is repaired if a part was damaged on disk", async () => {
    await begin({ kind: "cut", after: 20_000, times: 5 });
    await expect(fetched("big.parquet")).rejects.toThrow(/was cut off/);
    const files = join(bench.cacheDir, REPO, ".assay", "files");
    const partial = join(files, readdirSync(files)[0] ?? "", "partial");
    const bytes = readFileSync(partial);
    writeFileSync(partial, Buffer.alloc(bytes.length));
    expect((await fetched("big.parquet")).equals(BIG)).toBe(true);
  });

  it("is an error if its size differs from the listing", async () => {
    await begin();
    const hub = bench.openHub();
    const listing = await hub.listing("me/toy");
    const lying = (file: HubFile) => ({ ...file, size: file.size - 1 });
    const download = hub.download({ ...listing, files: listing.files.map(lying) }, "big.parquet");
    await expect(download).rejects.toThrow(/arrived damaged twice: it has \d+ bytes instead of 299999/);
    expect(blobs()).toEqual([]);
  });
});

describe("progress", () => {
  it("is reported at most ten times a second, and at the end", async () => {
    await begin({ kind: "slow", bytes: 15_000, pauseMs: 20 });
    const told: (DownloadProgress & { at: number })[] = [];
    const hub = bench.openHub({ onProgress: (progress) => told.push({ ...progress, at: Date.now() }) });
    const listing = await hub.listing("me/toy");
    const before = hub.received;
    await hub.download(listing, "big.parquet");
    const last = told.at(-1);
    expect(last).toMatchObject({ file: "me/toy/big.parquet", received: before + BIG.length, waitingFor: null });
    expect(last?.expected).toBe(last?.received);
    expect(told.length).toBeGreaterThan(3);
    // The first and the last report come in addition.
    expect(told.length).toBeLessThanOrEqual(((last?.at ?? 0) - (told[0]?.at ?? 0)) / 100 + 3);
    expect(told[1]?.expected).toBe(before + BIG.length);
  });
});

/** Runs the work on a separate file system; false if it cannot be mounted. */
async function inMount(options: string, work: (dir: string) => Promise<void>): Promise<boolean> {
  const dir = mkdtempSync(join(tmpdir(), "assay-mount-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", dir], { stdio: "ignore" });
  } catch {
    rmSync(dir, { recursive: true });
    return false;
  }
  try {
    await work(dir);
  } finally {
    execFileSync("umount", [dir]);
    rmSync(dir, { recursive: true });
  }
  return true;
}

describe("a disk", () => {
  it("without enough space is detected before the download", async (context) => {
    await begin();
    const ran = await inMount("size=128k", async (cacheDir) => {
      const download = fetched("big.parquet", bench.openHub({ cacheDir }));
      await expect(download).rejects.toThrow(
        /Not enough space in the cache folder .*: 293\.0 KiB are needed, and only .* left/,
      );
      await expect(download).rejects.toThrow(/ASSAY_DATASETS_CACHE/);
      await expect(download).rejects.toMatchObject({ code: "HUB", exitCode: 3 });
      expect(store()).toEqual([]);
    });
    if (!ran) context.skip("a file system cannot be mounted here");
  });

  it("that fills up during a download leaves no file that looks complete", async (context) => {
    await begin({ kind: "slow", bytes: 30_000, pauseMs: 30 });
    const ran = await inMount("size=512k", async (cacheDir) => {
      const hub = bench.openHub({ cacheDir, onProgress: () => fill(cacheDir) });
      const download = fetched("big.parquet", hub);
      await expect(download).rejects.toThrow(
        /Not enough space.*293\.0 KiB are needed, and the disk is full.*ASSAY_DATASETS_CACHE/,
      );
      expect([...blobs(cacheDir), ...leftovers(cacheDir)]).toEqual([]);
      rmSync(join(cacheDir, "filler"));
      expect((await fetched("big.parquet", bench.openHub({ cacheDir }))).equals(BIG)).toBe(true);
    });
    if (!ran) context.skip("a file system cannot be mounted here");
  });

  it("that is read-only serves its files, and is named in errors for missing ones", async (context) => {
    await begin();
    const ran = await inMount("size=1m", async (cacheDir) => {
      await fetched("big.parquet", bench.openHub({ cacheDir }));
      execFileSync("mount", ["-o", "remount,ro", cacheDir]);
      expect((await fetched("big.parquet", bench.openHub({ cacheDir }))).equals(BIG)).toBe(true);
      const lacking = fetched("empty.csv", bench.openHub({ cacheDir }));
      await expect(lacking).rejects.toThrow(/is not writable \(EROFS\).*ASSAY_DATASETS_CACHE/);
    });
    if (!ran) context.skip("a file system cannot be mounted here");
  });

  it("with a file in place of the cache folder is an error that names it", async () => {
    await begin();
    const cacheDir = join(bench.cacheDir, "file");
    writeFileSync(cacheDir, "");
    await expect(fetched("big.parquet", bench.openHub({ cacheDir }))).rejects.toThrow(
      /cache folder .*file cannot be used.*ASSAY_DATASETS_CACHE/,
    );
  });
});

/** Fills the disk once. */
function fill(dir: string): void {
  const path = join(dir, "filler");
  if (existsSync(path)) return;
  const { bavail, bsize } = statfsSync(dir);
  writeFileSync(path, Buffer.alloc(bavail * bsize));
}
