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
import type { FaultPlan } from "./scripted-faults.js";
import { repoOf, someBytes, TestBench } from "./test-bench.js";

let bench: TestBench;
afterEach(() => bench.close());

const BIG = someBytes(300_000);
const SMALL = Buffer.from('{"question":"Why?"}\n');
const FILES = { "big.parquet": BIG, "train set/ü?#.jsonl": SMALL, "empty.csv": Buffer.alloc(0) };

async function begin(...faults: FaultPlan[]): Promise<void> {
  bench = await TestBench.start({ repos: { "me/toy": repoOf(FILES) }, faults });
}

async function fetched(path: keyof typeof FILES, hub = bench.hub()): Promise<Buffer> {
  return readFileSync(await hub.download(await hub.listing("me/toy"), path));
}

const REPO = "datasets--me--toy";
const blobs = (cacheDir = bench.cacheDir) => readdirSync(join(cacheDir, REPO, "blobs")).sort();
/** Files of Assay's own: locks, parts and what is still coming. */
const leftovers = (cacheDir = bench.cacheDir) =>
  readdirSync(join(cacheDir, REPO, ".assay", "files"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
const store = () => bench.server.requests.filter(({ server }) => server === "store");

describe("download", () => {
  it.each(Object.keys(FILES) as (keyof typeof FILES)[])("gives the bytes of %s, and once only", async (path) => {
    await begin();
    expect((await fetched(path)).equals(FILES[path])).toBe(true);
    bench.asked();
    expect((await fetched(path)).equals(FILES[path])).toBe(true);
    expect(bench.asked()).toEqual(["GET /api/datasets/me/toy/revision/main 200"]);
    expect(blobs()).toHaveLength(1);
    expect(leftovers()).toEqual([]);
  });

  it("keeps a file under the hash of its content", async () => {
    await begin();
    const hub = bench.hub();
    const listing = await hub.listing("me/toy");
    for (const { path } of listing.files) await hub.download(listing, path);
    const hashes = listing.files.map(({ sha256, gitSha1 }) => sha256 ?? gitSha1);
    expect(blobs()).toEqual(hashes.sort());
    expect(hub.received).toBeGreaterThan(BIG.length + SMALL.length);
  });

  it("leaves it where the hub's own tools find it", async () => {
    await begin();
    const hub = bench.hub();
    const listing = await hub.listing("me/toy");
    for (const { path } of listing.files) await hub.download(listing, path);
    const dir = join(bench.cacheDir, REPO);
    expect(readFileSync(join(dir, "refs", "main"), "utf8")).toBe(listing.revision);
    for (const [path, bytes] of Object.entries(FILES))
      expect(readFileSync(join(dir, "snapshots", listing.revision, path)).equals(bytes)).toBe(true);
  });

  it("takes what the hub's own tools have downloaded", async () => {
    await begin();
    const listing = await bench.hub().listing("me/toy");
    const { sha256 = "" } = listing.files.find(({ path }) => path === "big.parquet") ?? {};
    mkdirSync(join(bench.cacheDir, REPO, "blobs"));
    writeFileSync(join(bench.cacheDir, REPO, "blobs", sha256), BIG);
    expect((await fetched("big.parquet")).equals(BIG)).toBe(true);
    expect(store()).toEqual([]);
  });

  it("sends the token to the hub, and not to the store that it redirects to", async () => {
    await begin();
    await fetched("big.parquet", bench.hub({ token: "secret" }));
    const sent = bench.server.requests.map(({ server, authorization }) => `${server} ${authorization}`);
    expect([...new Set(sent)]).toEqual(["hub Bearer secret", "store null"]);
  });

  it("works offline afterwards, and says what to run when the file was never fetched", async () => {
    await begin();
    await fetched("big.parquet");
    await bench.server.close();
    const offline = bench.hub({ offline: true });
    expect((await fetched("big.parquet", offline)).equals(BIG)).toBe(true);
    await expect(fetched("empty.csv", offline)).rejects.toThrow(/empty\.csv .*without HF_HUB_OFFLINE/);
  });

  it("names similar files when there is none of that name", async () => {
    await begin();
    const hub = bench.hub();
    const listing = await hub.listing("me/toy");
    await expect(hub.download(listing, "big.parqet")).rejects.toThrow(
      /me\/toy has no file "big\.parqet".*Did you mean "big\.parquet"\? It has: big\.parquet, empty\.csv/,
    );
  });

  it("fetches a file again whose size in the cache is wrong", async () => {
    await begin();
    await fetched("big.parquet");
    writeFileSync(join(bench.cacheDir, REPO, "blobs", blobs()[0] ?? ""), "short");
    expect((await fetched("big.parquet")).equals(BIG)).toBe(true);
  });
});

describe("a body that breaks off", () => {
  it("is gone on from where it was cut", async () => {
    await begin({ kind: "cut", after: 100_000 });
    expect((await fetched("big.parquet")).equals(BIG)).toBe(true);
    expect(store().map(({ range, status }) => [range, status])).toEqual([
      [null, 200],
      [expect.stringMatching(/^bytes=\d+-299999$/), 206],
    ]);
    expect(store()[1]?.bytes).toBeLessThanOrEqual(200_000);
  });

  it("that stays silent is gone on from, too", async () => {
    await begin({ kind: "stall", after: 100_000 });
    expect((await fetched("big.parquet", bench.hub({}, { idleMs: 300 }))).equals(BIG)).toBe(true);
    expect(store()[1]?.status).toBe(206);
  });

  it("every time is an error, after which the next run goes on", async () => {
    await begin({ kind: "cut", after: 50_000, times: 5 });
    await expect(fetched("big.parquet")).rejects.toThrow(/big\.parquet was cut short: \d+ of 300000 bytes.*5 times/);
    expect(leftovers()).toEqual(["partial"]);
    bench.server.requests.length = 0;
    expect((await fetched("big.parquet")).equals(BIG)).toBe(true);
    expect(store()[0]?.range).toMatch(/^bytes=\d+-299999$/);
    expect(blobs()).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });

  it("is thrown away when it does not fit what comes then", async () => {
    await begin({ kind: "cut", after: 100_000 }, { kind: "wrong" });
    expect((await fetched("big.parquet")).equals(BIG)).toBe(true);
  });

  it("is begun anew by a server that knows no ranges", async () => {
    await begin({ kind: "cut", after: 100_000 }, { kind: "no-ranges" });
    expect((await fetched("big.parquet")).equals(BIG)).toBe(true);
    expect(store().map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

describe("a file that comes wrong", () => {
  it("is fetched anew once", async () => {
    await begin({ kind: "wrong" });
    expect((await fetched("big.parquet")).equals(BIG)).toBe(true);
    expect(store()).toHaveLength(2);
  });

  it.each(["big.parquet", "train set/ü?#.jsonl"] as const)("twice is an error, and nothing stays: %s", async (path) => {
    await begin({ kind: "wrong", times: 2 });
    await expect(fetched(path)).rejects.toThrow(/came wrong twice: its checksum is [0-9a-f]{12}… instead of/);
    expect(blobs()).toEqual([]);
    expect(leftovers()).toEqual([]);
    expect((await fetched(path)).equals(FILES[path])).toBe(true);
  });

  it("because of a part that was damaged on disk is mended", async () => {
    await begin({ kind: "cut", after: 20_000, times: 5 });
    await expect(fetched("big.parquet")).rejects.toThrow(/cut short/);
    const files = join(bench.cacheDir, REPO, ".assay", "files");
    const partial = join(files, readdirSync(files)[0] ?? "", "partial");
    const bytes = readFileSync(partial);
    writeFileSync(partial, Buffer.alloc(bytes.length));
    expect((await fetched("big.parquet")).equals(BIG)).toBe(true);
  });

  it("of another size than the list says is an error", async () => {
    await begin();
    const hub = bench.hub();
    const listing = await hub.listing("me/toy");
    const lying = (file: HubFile) => ({ ...file, size: file.size - 1 });
    const download = hub.download({ ...listing, files: listing.files.map(lying) }, "big.parquet");
    await expect(download).rejects.toThrow(/came wrong twice: it has \d+ bytes instead of 299999/);
    expect(blobs()).toEqual([]);
  });
});

describe("progress", () => {
  it("comes at most ten times a second, and at the end", async () => {
    await begin({ kind: "slow", bytes: 15_000, pauseMs: 20 });
    const told: (DownloadProgress & { at: number })[] = [];
    const hub = bench.hub({ onProgress: (progress) => told.push({ ...progress, at: Date.now() }) });
    const listing = await hub.listing("me/toy");
    const before = hub.received;
    await hub.download(listing, "big.parquet");
    const last = told.at(-1);
    expect(last).toMatchObject({ file: "me/toy/big.parquet", received: before + BIG.length, waitingFor: null });
    expect(last?.expected).toBe(last?.received);
    expect(told.length).toBeGreaterThan(3);
    // The first and the last report come besides, whenever that is.
    expect(told.length).toBeLessThanOrEqual(((last?.at ?? 0) - (told[0]?.at ?? 0)) / 100 + 3);
    expect(told[1]?.expected).toBe(before + BIG.length);
  });
});

/** Does the work in a folder that is a file system of its own; false where that cannot be made. */
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
  it("without enough room is noticed before anything is fetched", async (context) => {
    await begin();
    const ran = await inMount("size=128k", async (cacheDir) => {
      const download = fetched("big.parquet", bench.hub({ cacheDir }));
      await expect(download).rejects.toThrow(/no room in the cache folder .*: 293\.0 KiB are needed, and only .* left/);
      await expect(download).rejects.toThrow(/ASSAY_DATASETS_CACHE/);
      await expect(download).rejects.toMatchObject({ code: "HUB", exitCode: 3 });
      expect(store()).toEqual([]);
    });
    if (!ran) context.skip("a file system cannot be mounted here");
  });

  it("that fills up meanwhile leaves nothing that is taken for whole", async (context) => {
    await begin({ kind: "slow", bytes: 30_000, pauseMs: 30 });
    const ran = await inMount("size=512k", async (cacheDir) => {
      const hub = bench.hub({ cacheDir, onProgress: () => fill(cacheDir) });
      const download = fetched("big.parquet", hub);
      await expect(download).rejects.toThrow(
        /no room.*293\.0 KiB are needed, and the disk is full.*ASSAY_DATASETS_CACHE/,
      );
      expect([...blobs(cacheDir), ...leftovers(cacheDir)]).toEqual([]);
      rmSync(join(cacheDir, "filler"));
      expect((await fetched("big.parquet", bench.hub({ cacheDir }))).equals(BIG)).toBe(true);
    });
    if (!ran) context.skip("a file system cannot be mounted here");
  });

  it("that is read-only serves what it holds, and names itself for what it lacks", async (context) => {
    await begin();
    const ran = await inMount("size=1m", async (cacheDir) => {
      await fetched("big.parquet", bench.hub({ cacheDir }));
      execFileSync("mount", ["-o", "remount,ro", cacheDir]);
      expect((await fetched("big.parquet", bench.hub({ cacheDir }))).equals(BIG)).toBe(true);
      const lacking = fetched("empty.csv", bench.hub({ cacheDir }));
      await expect(lacking).rejects.toThrow(/may not be written \(EROFS\).*ASSAY_DATASETS_CACHE/);
    });
    if (!ran) context.skip("a file system cannot be mounted here");
  });

  it("where the cache folder is a file is an error that names it", async () => {
    await begin();
    const cacheDir = join(bench.cacheDir, "file");
    writeFileSync(cacheDir, "");
    await expect(fetched("big.parquet", bench.hub({ cacheDir }))).rejects.toThrow(
      /cache folder .*file cannot be used.*ASSAY_DATASETS_CACHE/,
    );
  });
});

/** Takes all the room there is, once. */
function fill(dir: string): void {
  const path = join(dir, "filler");
  if (existsSync(path)) return;
  const { bavail, bsize } = statfsSync(dir);
  writeFileSync(path, Buffer.alloc(bavail * bsize));
}
