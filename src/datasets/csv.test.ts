import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseCsvBytes, readCsv, readTsv } from "./csv.js";
import type { SourceRow } from "./source-row.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-csv-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function read(content: string | Buffer): Promise<SourceRow[]> {
  const path = join(folder, "data.csv");
  writeFileSync(path, content);
  const rows: SourceRow[] = [];
  for await (const batch of readCsv(path)) rows.push(...batch);
  return rows;
}

const parse = (text: string) => [...parseCsvBytes(Buffer.from(text))];

describe("parseCsvBytes", () => {
  it.each([
    [
      "plain cells",
      "a,b\nc,d\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "CRLF, and no line end at the end",
      "a,b\r\nc,d",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "CR alone",
      "a,b\rc,d\r",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "empty cells",
      ",\na,\n,b\n",
      [
        ["", ""],
        ["a", ""],
        ["", "b"],
      ],
    ],
    ["quotes, commas and doubled quotes", '"a,b","say ""hi"""\n', [["a,b", 'say "hi"']]],
    [
      "line ends inside quotes",
      '"a\nb","c\r\nd"\ne,f\n',
      [
        ["a\nb", "c\r\nd"],
        ["e", "f"],
      ],
    ],
    ["a quote inside an unquoted cell", 'a"b,c\n', [['a"b', "c"]]],
    ["spaces, which belong to the cell", " a , b\n", [[" a ", " b"]]],
    ["quoted empty cells, also alone on a line", '"",""\n""\n', [["", ""], [""]]],
    ["characters beyond ASCII", "é,漢😀\n", [["é", "漢😀"]]],
    ["nothing but blank lines", "\n\r\n\n", []],
  ])("reads %s", (_, text, cells) => {
    expect(parse(text).map((record) => ("cells" in record ? record.cells : record.problem))).toEqual(cells);
  });

  it("counts lines through quoted line ends and blank lines", () => {
    expect(parse('a\n"x\ny\r\nz\rw"\n\nb\r\n\r\nc').map(({ line }) => line)).toEqual([1, 2, 7, 9]);
  });

  it("reports text after a closing quote and continues with the next line", () => {
    expect(parse('"a"b,c\nd,e\n')).toEqual([
      { line: 1, problem: "has text after a closing quote; write a quote inside a quoted cell twice" },
      { line: 2, cells: ["d", "e"] },
    ]);
  });

  it("reports an unclosed quote and where it was opened", () => {
    expect(parse('a,b\nc,"d\ne,f\n')).toEqual([
      { line: 1, cells: ["a", "b"] },
      { line: 2, problem: "has a quote, opened on line 2, that is never closed; nothing after it could be read" },
    ]);
  });

  it("reads back what an RFC 4180 writer wrote", () => {
    const cell = fc.oneof(
      fc.string(),
      fc.string({ unit: "grapheme" }),
      fc.constantFrom('"', ",", "\n", "\r\n", '""', "\r"),
    );
    const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { maxLength: 10 });
    fc.assert(
      fc.property(table, fc.constantFrom("\n", "\r\n"), fc.boolean(), (cells, lineEnd, quoteAll) => {
        const needsQuotes = (text: string) => quoteAll || text === "" || /[",\r\n]/.test(text);
        const write = (text: string) => (needsQuotes(text) ? `"${text.replaceAll('"', '""')}"` : text);
        const text = cells.map((row) => row.map(write).join(",")).join(lineEnd);
        // Lone surrogates cannot be written to a file.
        const expected = cells.map((row) => row.map((value) => Buffer.from(value).toString()));
        expect(parse(text).map((record) => ("cells" in record ? record.cells : record.problem))).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it("takes linear time for a large file of doubled quotes", () => {
    const record = `"${'""'.repeat(500_000)}",x\n`;
    const [first] = parse(record);
    expect(first).toEqual({ line: 1, cells: ['"'.repeat(500_000), "x"] });
  });
});

describe("readCsv", () => {
  it("names the cells by the header, without a byte order mark", async () => {
    expect(await read('\uFEFFid,question\n1,"Why, then?"\n')).toEqual([
      { line: 2, row: { id: "1", question: "Why, then?" } },
    ]);
  });

  it("reports ragged rows", async () => {
    expect(await read("a,b\n1,2,3\n1\n1,2\n")).toEqual([
      { line: 2, problem: "has 3 cells, but the header has 2" },
      { line: 3, problem: "has 1 cell, but the header has 2" },
      { line: 4, row: { a: "1", b: "2" } },
    ]);
  });

  it("names unnamed columns and rejects repeated ones", async () => {
    expect(await read(",a\n0,x\n")).toEqual([{ line: 2, row: { column_1: "0", a: "x" } }]);
    await expect(read("a,b,a\n")).rejects.toThrow(/data\.csv:1: the header names the column "a" twice/);
    await expect(read('"a\n')).rejects.toThrow(/data\.csv:1: the header has a quote/);
  });

  it("treats __proto__ like any other column", async () => {
    const [first] = await read("__proto__,a\nx,y\n");
    expect(first !== undefined && "row" in first && Object.keys(first.row)).toEqual(["__proto__", "a"]);
  });

  it("reports records that are not UTF-8", async () => {
    const bytes = Buffer.concat([Buffer.from("a\nok\n"), Buffer.from([0xe9]), Buffer.from("\nfine\n")]);
    expect(await read(bytes)).toEqual([
      { line: 2, row: { a: "ok" } },
      { line: 3, problem: "is not valid UTF-8 text" },
      { line: 4, row: { a: "fine" } },
    ]);
  });

  it("reads more rows than fit into one batch", async () => {
    const rows = await read(`n\n${Array.from({ length: 10_000 }, (_, index) => index).join("\n")}`);
    expect(rows).toHaveLength(10_000);
    expect(rows.at(-1)).toEqual({ line: 10_001, row: { n: "9999" } });
  });
});

describe("readTsv", () => {
  async function readTabs(content: string, header?: readonly string[]): Promise<SourceRow[]> {
    const path = join(folder, "data.tsv");
    writeFileSync(path, content);
    const rows: SourceRow[] = [];
    for await (const batch of readTsv(path, header === undefined ? {} : { header })) rows.push(...batch);
    return rows;
  }

  it("keeps commas, and handles quotes like CSV if they close a cell", async () => {
    expect(await readTabs('q\ta\n"two\nlines"\t1,5\nx\ty\n')).toEqual([
      { line: 2, row: { q: "two\nlines", a: "1,5" } },
      { line: 4, row: { q: "x", a: "y" } },
    ]);
  });

  it("treats a quote that closes no cell as a character", async () => {
    expect(await readTabs('q\ta\n"Yes" he said\t1\n"open\t2\n')).toEqual([
      { line: 2, row: { q: '"Yes" he said', a: "1" } },
      { line: 3, row: { q: '"open', a: "2" } },
    ]);
  });

  it("reads a file without a header by the given names, and ignores a header that has them", async () => {
    const rows = [{ line: expect.any(Number), row: { question: "1 + 1?", answer: "2" } }];
    expect(await readTabs("1 + 1?\t2\n", ["question", "answer"])).toEqual(rows);
    expect(await readTabs("question\tanswer\n1 + 1?\t2\n", ["question", "answer"])).toEqual(rows);
  });
});
