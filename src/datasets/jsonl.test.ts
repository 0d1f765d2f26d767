import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readJsonl } from "./json.js";
import type { SourceRow } from "./source-row.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-jsonl-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function read(content: string | Buffer): Promise<SourceRow[]> {
  const path = join(folder, "data.jsonl");
  writeFileSync(path, content);
  const rows: SourceRow[] = [];
  for await (const batch of readJsonl(path)) rows.push(...batch);
  return rows;
}

describe("readJsonl", () => {
  it("reads a row per line with its line number, ignoring blank lines, CR and the byte order mark", async () => {
    expect(await read('\uFEFF{"a":1}\r\n\n  \t\r\n{"a":2}')).toEqual([
      { line: 1, row: { a: 1 } },
      { line: 4, row: { a: 2 } },
    ]);
  });

  it("does not break lines at U+2028", async () => {
    expect(await read('{"a":"x\u2028y"}\n{"a":"\u2029"}\n')).toEqual([
      { line: 1, row: { a: "x\u2028y" } },
      { line: 2, row: { a: "\u2029" } },
    ]);
  });

  it("reports malformed lines and continues after them", async () => {
    const rows = await read('{"a":1}\n{oops}\n[1]\n"text"\nnull\n{"a":2}\n{"a":');
    expect(rows.map((row) => ("problem" in row ? `${row.line} ${row.problem.slice(0, 17)}` : row.line))).toEqual(
      [
        1,
        "2 is not valid JSON",
        "3 is an array, not ",
        '4 is the string "te',
        "5 is null, not a JS",
        6,
        "7 is not valid JSON",
      ].map((text) => (typeof text === "string" ? text.slice(0, 19) : text)),
    );
  });

  it("reports lines that are not UTF-8", async () => {
    const broken = Buffer.concat([
      Buffer.from('{"a":"ok"}\n{"a":"'),
      Buffer.from([0xff, 0x80]),
      Buffer.from('"}\n{"a":"é"}\n'),
    ]);
    expect(await read(broken)).toEqual([
      { line: 1, row: { a: "ok" } },
      { line: 2, problem: "is not valid UTF-8 text" },
      { line: 3, row: { a: "é" } },
    ]);
  });

  it("identifies UTF-16", async () => {
    await expect(read(Buffer.from('\uFEFF{"a":1}\n', "utf16le"))).rejects.toThrow(/UTF-16.*Save it as UTF-8/);
  });

  it("yields nothing for an empty file", async () => {
    expect(await read("")).toEqual([]);
  });

  it("keeps characters intact across blocks, and lines longer than a block", async () => {
    const wide = "é漢😀";
    const rows = Array.from({ length: 40 }, (_, index) => ({ index, text: wide.repeat(index * 700) }));
    rows.push({ index: 40, text: wide.repeat(400_000) });
    rows.push({ index: 41, text: "last" });
    const content = rows.map((row) => JSON.stringify(row)).join("\n");
    expect(Buffer.byteLength(content)).toBeGreaterThan(4 << 20);
    expect(await read(content)).toEqual(rows.map((row, index) => ({ line: index + 1, row })));
  });

  it("reads back what JSON.stringify wrote", async () => {
    const objects = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(fc.array(objects, { maxLength: 20 }), async (written) => {
        const text = written.map((row) => JSON.stringify(row)).join("\n");
        const expected = text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
        const rows = await read(text);
        expect(rows.map((row) => ("row" in row ? row.row : row.problem))).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });
});
