import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DatasetError } from "../core/errors.js";
import { readJsonFile } from "./json.js";
import type { SourceRow } from "./source-row.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-json-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function read(content: string | Buffer): Promise<SourceRow[]> {
  const path = join(folder, "data.json");
  writeFileSync(path, content);
  const rows: SourceRow[] = [];
  for await (const batch of readJsonFile(path)) rows.push(...batch);
  return rows;
}

describe("readJsonFile", () => {
  const rows = [
    { line: 1, row: { a: 1 } },
    { line: 2, row: { a: 2 } },
  ];

  it.each([
    ["an array", '[{"a":1},{"a":2}]'],
    [
      "one array field of any name, beside other fields",
      '{"version":"1.1","canary":"x","questions":[{"a":1},{"a":2}]}',
    ],
    ["the usual field when there are several arrays", '{"authors":["me"],"examples":[{"a":1},{"a":2}]}'],
    ["a file with a byte order mark", '\uFEFF[{"a":1},{"a":2}]'],
  ])("reads %s", async (_, content) => {
    expect(await read(content)).toEqual(rows);
  });

  it("reports rows that are not objects", async () => {
    expect(await read('[{"a":1}, 7, ["x"]]')).toEqual([
      { line: 1, row: { a: 1 } },
      { line: 2, problem: "is the number 7, not an object" },
      { line: 3, problem: "is an array, not an object" },
    ]);
  });

  it.each([
    ["two arrays of no usual name", '{"train":[],"dev":[]}', /several arrays \(train, dev\)/],
    ["two arrays of usual names", '{"data":[{}],"test":[{}]}', /several arrays \(data, test\)/],
    ["no array", '{"a":1,"b":{}}', /without an array of rows \(its fields: a, b\)/],
    ["a bare value", "3", /is the number 3\. It must contain an array/],
    ["a cut file", '[{"a":1},', /not valid JSON/],
    ["bytes that are not UTF-8", Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]), /not valid UTF-8/],
  ])("rejects %s", async (_, content, message) => {
    await expect(read(content)).rejects.toThrow(DatasetError);
    await expect(read(content)).rejects.toThrow(message);
  });

  it("also reads one object per line, as some datasets are published", async () => {
    expect(await read('{"a":1}\n\n{"a":2}\n{"a":')).toEqual([
      { line: 1, row: { a: 1 } },
      { line: 3, row: { a: 2 } },
      { line: 4, problem: expect.stringContaining("not valid JSON") },
    ]);
  });

  it("yields nothing for an empty file and an empty array", async () => {
    expect(await read("")).toEqual([]);
    expect(await read("[]")).toEqual([]);
  });
});
