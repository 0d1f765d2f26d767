import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readJsonItems } from "../systems/memory/json-items.js";
import { loadFile } from "./load-file.js";

const MIB = 1024 * 1024;
let dir = "";
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-gunzip-"));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function compress(name: string, text: Buffer | string): string {
  const path = join(dir, name);
  writeFileSync(path, gzipSync(text));
  return path;
}

async function readItems(path: string): Promise<void> {
  for await (const item of readJsonItems(path)) expect(item).toBeDefined();
}

describe("a compressed file with a ratio above 100", () => {
  const bomb = Buffer.alloc(70 * MIB, " ");
  const message = /decompresses to more than a hundred times its size.*decompress it yourself/;

  it.each(["bomb.json.gz", "bomb.jsonl.gz", "bomb.csv.gz"])("is rejected as a dataset: %s", async (name) => {
    await expect(loadFile(compress(name, bomb))).rejects.toThrow(message);
  });

  it("is rejected as conversations", async () => {
    await expect(readItems(compress("talks.json.gz", bomb))).rejects.toThrow(message);
  });
});

it("is read if it is small", async () => {
  const row = JSON.stringify({ id: 1, question: "q", answer: "a", context: " ".repeat(10 * MIB) });
  const { examples } = await loadFile(compress("padded.jsonl.gz", `${row}\n`));
  expect(examples).toMatchObject([{ id: 1 }]);
});
