import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { digest } from "../core/fingerprint.js";
import { FileOutputCache } from "./output-cache.js";

let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-cache-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const KEY = digest("work");
const ENTRY = { output: { response: "yes", usage: { input: 1, output: 2 } }, latency: 0.5 };
const files = () => readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

describe("FileOutputCache", () => {
  it("returns what was stored, in any process", async () => {
    expect(await new FileOutputCache(dir).get(KEY)).toBeNull();
    await new FileOutputCache(dir).put(KEY, ENTRY);
    expect(await new FileOutputCache(dir).get(KEY)).toEqual(ENTRY);
    expect(await new FileOutputCache(dir).get(digest("other"))).toBeNull();
    expect(files().map(({ name }) => name)).toEqual([`${KEY}.json`]);
  });

  const broken = [
    "",
    "{",
    "null",
    "[]",
    '{"schema":"assay.output/1"}',
    '{"schema":"assay.output/1","output":null,"latency":1}',
    '{"schema":"assay.output/1","output":{},"latency":null}',
    '{"schema":"assay.output/2","output":{},"latency":1}',
    '{"output":{},"latency":1}',
  ];

  it.each(broken)("treats an entry that reads %o as a miss, and replaces it", async (content) => {
    const cache = new FileOutputCache(dir);
    await cache.put(KEY, ENTRY);
    writeFileSync(join(dir, KEY.slice(0, 2), `${KEY}.json`), content);
    expect(await cache.get(KEY)).toBeNull();
    await cache.put(KEY, ENTRY);
    expect(await cache.get(KEY)).toEqual(ENTRY);
  });

  it("leaves no partial file behind when it fails", async () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    await expect(new FileOutputCache(dir).put(KEY, { output: circle, latency: 1 })).rejects.toThrow(/circular/);
    expect(files()).toEqual([]);
    writeFileSync(join(dir, "file"), "");
    await expect(new FileOutputCache(join(dir, "file")).put(KEY, ENTRY)).rejects.toThrow(/ENOTDIR|EEXIST/);
  });

  it("is shared by several processes that write and read the same entries", async () => {
    const root = resolve(import.meta.dirname, "../..");
    const script = `
      const { createJiti } = await import(${JSON.stringify(join(root, "node_modules/jiti/lib/jiti.mjs"))});
      const { FileOutputCache } = await createJiti(${JSON.stringify(`${root}/`)}).import(${JSON.stringify(join(root, "src/store/output-cache.ts"))});
      const cache = new FileOutputCache(${JSON.stringify(dir)});
      const text = String(process.pid).padEnd(50_000, ".");
      let hits = 0;
      for (let round = 0; round < 20; round++) {
        for (let key = 0; key < 10; key++) {
          const found = await cache.get("k" + key);
          if (found !== null && found.output.response.length !== 50_000) throw new Error("a torn entry");
          if (found !== null) hits += 1;
          await cache.put("k" + key, { output: { response: text }, latency: 1 });
        }
      }
      if (hits < 190) throw new Error("only " + hits + " hits");
    `;
    const children = [1, 2, 3].map(() =>
      spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "ignore", "inherit"] }),
    );
    const codes = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0]));
    expect(codes).toEqual([0, 0, 0]);
    expect(
      files()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(Array.from({ length: 10 }, (_, key) => `k${key}.json`));
    for (let key = 0; key < 10; key++) expect(await new FileOutputCache(dir).get(`k${key}`)).not.toBeNull();
  });
});
