import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DatasetError } from "../../core/errors.js";

import { type JsonItem, parseJsonItem, readJsonItems } from "./json-items.js";

let dir = "";
let path = "";

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-items-"));
  path = join(dir, "items.json");
});

afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});

async function itemsOf(content: string | Buffer, chunkBytes?: number): Promise<JsonItem[]> {
  writeFileSync(path, content);
  const items: JsonItem[] = [];
  for await (const item of readJsonItems(path, chunkBytes === undefined ? {} : { chunkBytes })) items.push(item);
  return items;
}

async function valuesOf(content: string | Buffer, chunkBytes?: number): Promise<unknown[]> {
  return (await itemsOf(content, chunkBytes)).map((item) => parseJsonItem(path, item));
}

describe("readJsonItems", () => {
  it("finds the items that JSON.parse finds, for any chunk boundaries", async () => {
    const hard = fc.constantFrom('\\"', "\\\\", '"]', "{[", "😀€", "\u2028", 'a\\u005d"', "\n\t");
    const value = fc.oneof(
      fc.jsonValue(),
      fc.string({ unit: "binary" }),
      hard,
      fc.record({ a: hard, b: fc.array(hard) }),
    );
    const indent = fc.constantFrom(undefined, 1, "\t");
    await fc.assert(
      fc.asyncProperty(fc.array(value), indent, fc.integer({ min: 1, max: 9 }), async (values, space, chunkBytes) => {
        const text = JSON.stringify(values, null, space);
        expect(await valuesOf(text, chunkBytes)).toEqual(JSON.parse(text));
      }),
      { numRuns: 150 },
    );
  });

  it("finds lines and their positions, for any chunk boundaries", async () => {
    const lines = fc.array(fc.oneof(fc.jsonValue(), fc.constant(null)));
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 1, max: 9 }), fc.boolean(), async (values, chunkBytes, ends) => {
        const texts = values.map((value, i) => (i % 3 === 2 ? " " : JSON.stringify(value)));
        const file = join(dir, "items.jsonl");
        writeFileSync(file, texts.join("\n") + (ends ? "\n" : ""));
        const bytes = readFileSync(file);
        const found: unknown[] = [];
        for await (const item of readJsonItems(file, { chunkBytes })) {
          expect(bytes.toString("utf8", item.start, item.end)).toBe(item.text);
          found.push([item.number, parseJsonItem(file, item)]);
        }
        expect(found).toEqual(texts.flatMap((text, i) => (text === " " ? [] : [[i + 1, JSON.parse(text)]])));
      }),
      { numRuns: 60 },
    );
  });

  it("returns the position and number of each item", async () => {
    const items = await itemsOf(' [ {"a": "€"} ,[2,3],\n"x" ] \n', 4);
    expect(items.map(({ number }) => number)).toEqual([1, 2, 3]);
    const bytes = readFileSync(path);
    expect(items.map(({ start, end }) => bytes.toString("utf8", start, end))).toEqual(items.map(({ text }) => text));
    expect(items.map(({ text }) => text.trim())).toEqual(['{"a": "€"}', "[2,3]", '"x"']);
  });

  it("reads an empty array, and one after a byte order mark", async () => {
    expect(await itemsOf("[ \n ]")).toEqual([]);
    expect(await valuesOf("\uFEFF[1, 2]")).toEqual([1, 2]);
  });

  const bad: [string, string, string][] = [
    ["an item that is cut off", '[{"a":1},{"b":', "ends in the middle of item 2: it is truncated"],
    ["a text that is cut off", '[1,2,"abc]', "ends in the middle of item 3"],
    ["a missing end", "[1,2", "ends in the middle of item 2"],
    ["a brace too many", '[1,{"a":1}}]', 'Item 2 of .* has an extra "}"'],
    ["an empty file", "", "is empty"],
    ["an object", '{"data": []}', 'does not contain a JSON array: it begins with "{'],
    ["more after the array", "[1,2] [3]", "continues with .* last item is 2"],
    ["a comma too many", "[1,,2]", "Item 2 of .* is not valid JSON: it is empty"],
    ["a comma at the end", "[1,2,]", "Item 3 of .* is not valid JSON: it is empty"],
    ["wrong JSON inside", '[1,{"a" 1}]', "Item 2 of .* is not valid JSON"],
    ["crossed brackets", '[1,{"a":[1}],2]', "Item 2 of .* is not valid JSON"],
  ];

  it.each(bad)("names the item of %s", async (_, content, message) => {
    await expect(valuesOf(content, 3)).rejects.toThrow(DatasetError);
    await expect(valuesOf(content)).rejects.toThrow(new RegExp(message));
  });

  it("rejects invalid UTF-8", async () => {
    const content = Buffer.concat([Buffer.from('[1,"'), Buffer.of(0xff, 0xfe), Buffer.from('"]')]);
    await expect(valuesOf(content)).rejects.toThrow(/Item 2 of .* is not valid UTF-8/);
  });

  it("stops when aborted", async () => {
    const stop = new AbortController();
    writeFileSync(path, JSON.stringify(Array.from({ length: 100 }, (_, i) => i)));
    const read: number[] = [];
    const reading = async () => {
      for await (const { number } of readJsonItems(path, { chunkBytes: 8, signal: stop.signal })) {
        read.push(number);
        if (number === 5) stop.abort(new Error("enough"));
      }
    };
    await expect(reading()).rejects.toThrow("enough");
    expect(read.length).toBeLessThan(20);
  });
});
