import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatCsvLine } from "./csv.js";
import { parseCsv } from "./csv-testing.js";

describe("formatCsvLine", () => {
  test("follows RFC 4180", () => {
    expect(formatCsvLine(["a", 'say "hi"', "x,y", "two\nlines", null, "", 1.5, true])).toBe(
      'a,"say ""hi""","x,y","two\nlines",,"",1.5,true\r\n',
    );
    expect(formatCsvLine([{ f1: 1 }, [1, null]])).toBe('"{""f1"":1}","[1,null]"\r\n');
  });

  test.each([
    ["=HYPERLINK(1)", "'=HYPERLINK(1)"],
    ["+cmd", "'+cmd"],
    ["-1+1", "'-1+1"],
    ["@sum(a1)", "'@sum(a1)"],
    ["\t=1", "'\t=1"],
    ["-", "'-"],
    ["-1.5e-7", "-1.5e-7"],
    ["+3", "+3"],
    ["-.5", "-.5"],
    ["a=b", "a=b"],
  ])("writes the text %j as %j", (text, cell) => {
    expect(formatCsvLine([text])).toBe(`${cell}\r\n`);
  });

  test("keeps numbers as numbers", () => {
    expect(formatCsvLine([-1, -1e-9])).toBe("-1,-1e-9\r\n");
  });

  test("round-trips any text, except for the apostrophe before a formula", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 4 }), { maxLength: 5 }),
        (lines) => {
          const read = parseCsv(lines.map((line) => formatCsvLine(line)).join(""));
          const plain = (cell: string) => cell.replace(/^'(?=[=+\-@\t\r])/, "");
          expect(read.map((line) => line.map(plain))).toEqual(lines.map((line) => line.map(plain)));
        },
      ),
    );
  });
});
