import { describe, expect, it } from "vitest";
import { formatDollars, formatNumber, formatPlural, formatSeconds, formatShare } from "./format.js";
import { renderMarkdownTable } from "./markdown.js";

describe("formatNumber", () => {
  it.each([
    [0, "0"],
    [12, "12"],
    [0.12345, "0.123"],
    [0.1, "0.1"],
    [0.00042, "0.00042"],
    [123.456, "123.5"],
    [12345.6, "12346"],
    [-0.5, "-0.5"],
    [Infinity, "∞"],
    [null, "–"],
    [undefined, "–"],
    [Number.NaN, "–"],
  ])("formats %s as %s", (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });
});

describe("formatSeconds", () => {
  it.each([
    [0.0005, "0.5 ms"],
    [0.25, "250 ms"],
    [1.5, "1.50 s"],
    [60, "1 min 0 s"],
    [119.4, "1 min 59 s"],
    [119.7, "2 min 0 s"],
    [3725, "1 h 2 min"],
    [5818, "1 h 37 min"],
    [7170, "2 h 0 min"],
    [null, "–"],
  ])("formats %s as %s", (value, text) => {
    expect(formatSeconds(value)).toBe(text);
  });
});

describe("formatShare and formatDollars", () => {
  it("round for people", () => {
    expect([0, 0.12345, 1, -2, null].map(formatShare)).toEqual(["0 %", "12.3 %", "100 %", "-200 %", "–"]);
    expect([0, 12.345, 0.05, 0.00012, 0.0000003, Infinity, null].map(formatDollars)).toEqual([
      "$0.0000",
      "$12.35",
      "$0.0500",
      "$0.00012",
      "$0.00000030",
      "∞",
      "–",
    ]);
    expect([formatPlural(1, "trial"), formatPlural(2, "trial"), formatPlural(0, "trial")]).toEqual([
      "1 trial",
      "2 trials",
      "0 trials",
    ]);
  });
});

describe("renderMarkdownTable", () => {
  it("aligns its columns", () => {
    const table = renderMarkdownTable(
      [
        { title: "name", cell: ([name = ""]) => name },
        { title: "n", align: "right", cell: ([, n = ""]) => n },
      ],
      [
        ["a", "1"],
        ["longer", "10"],
      ],
    );
    expect(table).toBe(["| name   |   n |", "| ------ | --: |", "| a      |   1 |", "| longer |  10 |"].join("\n"));
  });

  it("escapes bars and line breaks, in cells and in titles", () => {
    const table = renderMarkdownTable([{ title: "a|b\nc", cell: (text: string) => text }], ["x | y\nz"]);
    expect(table.split("\n")).toEqual(["| a\\|b c   |", "| -------- |", "| x \\| y z |"]);
  });

  it("is only a header without items", () => {
    expect(renderMarkdownTable([{ title: "abc", cell: String }], [])).toBe("| abc |\n| --- |");
  });
});
