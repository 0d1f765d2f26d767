import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { ByteSource } from "../../utils/files/byte-source.js";
import type { HubFaultPlan } from "./scripted-hub.js";
import { createRandomBytes, createRepo, TestHub } from "./test-hub.js";

let bench: TestHub;
const sources: ByteSource[] = [];
afterEach(async () => {
  for (const source of sources.splice(0)) await source.close?.();
  await bench.close();
});

const BIG = createRandomBytes(500_000);
const SMALL = createRandomBytes(1000);

async function begin(...faults: HubFaultPlan[]): Promise<void> {
  bench = await TestHub.start({
    repos: { "me/toy": createRepo({ "big.parquet": BIG, "small.parquet": SMALL, "plain.txt": BIG }) },
    faults,
    isLarge: (path) => path.endsWith(".parquet"),
  });
}

async function opened(path = "big.parquet", hub = bench.openHub()): Promise<ByteSource> {
  const source = await hub.open(await hub.listing("me/toy"), path);
  sources.push(source);
  return source;
}

const content = () => bench.server.requests.filter(({ range }) => range !== null);
const filesDir = () => join(bench.cacheDir, "datasets--me--toy", ".assay", "files");
const partsDir = () => join(filesDir(), readdirSync(filesDir())[0] ?? "", "parts");

describe("open", () => {
  it.each(["big.parquet", "plain.txt"])("reads any part of %s", async (path) => {
    await begin();
    const source = await opened(path);
    expect(source).toMatchObject({ name: `me/toy/${path}`, size: BIG.length });
    expect(Buffer.from(await source.read(1000, 3000))).toEqual(BIG.subarray(1000, 3000));
    expect(Buffer.from(await source.read(499_990, 600_000))).toEqual(BIG.subarray(499_990));
    expect(await source.read(500_000, 500_010)).toHaveLength(0);
    expect(await source.read(10, 10)).toHaveLength(0);
  });

  it("fetches only what is requested, uses the store directly once known, and withholds the token", async () => {
    await begin();
    const source = await opened("big.parquet", bench.openHub({ token: "secret" }));
    bench.takeRequests();
    await source.read(0, 100);
    await source.read(200, 300);
    const [first, second, third] = bench.server.requests;
    expect(first).toMatchObject({ server: "hub", status: 302, authorization: "Bearer secret" });
    expect(second).toMatchObject({ server: "store", range: "bytes=0-99", bytes: 100, authorization: null });
    expect(third).toMatchObject({ server: "store", range: "bytes=200-299", bytes: 100, authorization: null });
    expect(bench.server.requests).toHaveLength(3);
  });

  it("requests nothing that is cached, in this session, the next and offline", async () => {
    await begin();
    const source = await opened();
    await source.read(100, 200);
    await source.read(200, 300);
    await source.read(50, 350);
    expect(
      content()
        .map(({ range }) => range)
        .filter((range) => range?.startsWith("bytes=50-") || range?.startsWith("bytes=300-")),
    ).toHaveLength(2);
    bench.server.requests.length = 0;
    expect(Buffer.from(await source.read(60, 340))).toEqual(BIG.subarray(60, 340));
    expect(Buffer.from(await (await opened()).read(50, 350))).toEqual(BIG.subarray(50, 350));
    expect(content()).toEqual([]);
    await bench.server.close();
    const offline = await opened("big.parquet", bench.openHub({ offline: true }));
    expect(Buffer.from(await offline.read(50, 350))).toEqual(BIG.subarray(50, 350));
    await expect(offline.read(50, 351)).rejects.toThrow(/part of me\/toy\/big\.parquet .*without HF_HUB_OFFLINE/);
    await expect(opened("plain.txt", bench.openHub({ offline: true }))).rejects.toThrow(/without HF_HUB_OFFLINE/);
  });

  it("returns the right bytes for concurrent reads in any order", async () => {
    await begin();
    const read = fc.tuple(fc.nat(510_000), fc.nat(30_000)).map(([start, length]) => ({ start, end: start + length }));
    await fc.assert(
      fc.asyncProperty(fc.array(read, { minLength: 1, maxLength: 8 }), async (reads) => {
        const source = await opened();
        const before = content().length;
        const parts = await Promise.all(reads.map(({ start, end }) => source.read(start, end)));
        for (const [i, { start, end }] of reads.entries()) {
          expect(Buffer.compare(parts[i] ?? Buffer.alloc(0), BIG.subarray(start, end))).toBe(0);
        }
        const then = content().length;
        await Promise.all(reads.map(({ start, end }) => source.read(start, end)));
        expect(content().length).toBe(then);
        expect(then).toBeGreaterThanOrEqual(before);
      }),
      { numRuns: 20 },
    );
    const bytes = bench.server.requests
      .filter(({ server }) => server === "store")
      .reduce((sum, each) => sum + each.bytes, 0);
    expect(bytes).toBeLessThanOrEqual(BIG.length);
  });

  it("fetches concurrent overlapping reads once", async () => {
    await begin();
    const source = await opened();
    await Promise.all([source.read(0, 1000), source.read(500, 1500), source.read(0, 1500), source.read(200, 700)]);
    const sent = bench.server.requests
      .filter(({ server }) => server === "store")
      .reduce((sum, each) => sum + each.bytes, 0);
    expect(sent).toBe(1500);
  });

  it("fetches a small file whole, once", async () => {
    await begin();
    const source = await opened("small.parquet");
    expect(Buffer.from(await source.read(10, 20))).toEqual(SMALL.subarray(10, 20));
    expect(content()).toEqual([]);
    bench.takeRequests();
    await opened("small.parquet");
    expect(bench.takeRequests()).toHaveLength(1);
  });

  it("reads from the whole file if it is cached", async () => {
    await begin();
    const hub = bench.openHub();
    await hub.download(await hub.listing("me/toy"), "big.parquet");
    const source = await opened();
    expect(Buffer.from(await source.read(7, 70))).toEqual(BIG.subarray(7, 70));
    expect(content()).toEqual([]);
  });
});

describe("a cached range", () => {
  it.each([
    ["has a wrong byte", (bytes: Buffer) => bytes.fill(0, 5, 6 + (bytes[5] === 0 ? 20 : 0))],
    ["is too short", (bytes: Buffer) => bytes.subarray(0, 50)],
    ["is empty", () => Buffer.alloc(0)],
  ])("that %s is detected and fetched again", async (_, damage) => {
    await begin();
    await (await opened()).read(100, 200);
    const [name = ""] = readdirSync(partsDir());
    const path = join(partsDir(), name);
    writeFileSync(path, damage(readFileSync(path)));
    bench.server.requests.length = 0;
    expect(Buffer.from(await (await opened()).read(120, 180))).toEqual(BIG.subarray(120, 180));
    expect(content().length).toBeGreaterThan(0);
    expect(readdirSync(partsDir())).toEqual(["120-180"].map((range) => expect.stringContaining(`${range}-`)));
  });

  it("is checked even if it changes while its file is open", async () => {
    await begin();
    const source = await opened();
    await source.read(100, 200);
    await source.read(110, 120);
    const path = join(partsDir(), readdirSync(partsDir())[0] ?? "");
    writeFileSync(path, readFileSync(path).reverse());
    bench.server.requests.length = 0;
    expect(Buffer.from(await source.read(120, 180))).toEqual(BIG.subarray(120, 180));
    expect(content()).toHaveLength(1);
  });

  it("counts as damaged if it is shorter than it claims", async () => {
    await begin();
    await (await opened()).read(100, 200);
    const [name = ""] = readdirSync(partsDir());
    renameSync(join(partsDir(), name), join(partsDir(), name.replace("100-200", "100-300")));
    expect(Buffer.from(await (await opened()).read(150, 250))).toEqual(BIG.subarray(150, 250));
    expect(readdirSync(partsDir())).toEqual([expect.stringMatching(/^150-250-/)]);
  });

  it("counts as missing if it is damaged and cannot be removed", async () => {
    await begin();
    await (await opened()).read(100, 200);
    const [name = ""] = readdirSync(partsDir());
    rmSync(join(partsDir(), name));
    mkdirSync(join(partsDir(), name, "stuck"), { recursive: true });
    const offline = await opened("big.parquet", bench.openHub({ offline: true }));
    await expect(offline.read(120, 180)).rejects.toThrow(/part of me\/toy\/big\.parquet .*without HF_HUB_OFFLINE/);
    expect(Buffer.from(await (await opened()).read(120, 180))).toEqual(BIG.subarray(120, 180));
  });
});

describe("a server", () => {
  it("is detected if its file changes while it is being read", async () => {
    await begin();
    const source = await opened();
    await source.read(0, 10);
    bench.server.faults.push({ kind: "etag", etag: '"another"' });
    await expect(source.read(20, 30)).rejects.toThrow(/big\.parquet changed while it was being read/);
  });

  it.each([1, 99])("that ignores ranges %i times sends the whole file, which is then used", async (times) => {
    await begin({ kind: "no-ranges", times });
    const source = await opened();
    const parts = await Promise.all([source.read(5, 50), source.read(400_000, 400_100)]);
    expect(parts.map((part) => Buffer.from(part))).toEqual([BIG.subarray(5, 50), BIG.subarray(400_000, 400_100)]);
    bench.takeRequests();
    expect(Buffer.from(await source.read(60_000, 60_010))).toEqual(BIG.subarray(60_000, 60_010));
    expect(bench.takeRequests()).toEqual([]);
  });

  it("is asked again if it cuts off a range", async () => {
    await begin({ kind: "cut", after: 40 });
    const source = await opened();
    expect(Buffer.from(await source.read(0, 100))).toEqual(BIG.subarray(0, 100));
  });

  it("is asked through the hub for a new link if one has expired", async () => {
    await begin();
    const source = await opened();
    await source.read(0, 10);
    bench.server.faults.push({ kind: "status", status: 403, path: "/store/" });
    bench.takeRequests();
    expect(Buffer.from(await source.read(20, 30))).toEqual(BIG.subarray(20, 30));
    expect(bench.takeRequests().map((each) => each.slice(-3))).toEqual(["403", "302", "206"]);
  });

  it("is an error after five failed tries", async () => {
    await begin({ kind: "status", status: 500, path: "/store/", times: 99 });
    await expect((await opened()).read(0, 10)).rejects.toThrow(/has an internal problem \(500\).*5 times/);
    expect(readdirSync(filesDir(), { recursive: true }).filter((path) => String(path).includes("lock"))).toEqual([]);
  });
});
