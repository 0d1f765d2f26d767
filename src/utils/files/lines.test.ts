import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeAtomically } from "./atomic.js";
import { readLines, writeLines } from "./lines.js";

let dir = "";
let path = "";

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-lines-"));
  path = join(dir, "file");
});

afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});

describe("readLines", () => {
  it("returns all lines with the byte offsets of their ends", () => {
    const line = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", "\u2028", "ä€😀", "\r"));
    const text = line.map((one) => one.replaceAll("\n", ""));
    fc.assert(
      fc.property(fc.array(text), fc.boolean(), (texts, terminated) => {
        const content = texts.join("\n") + (terminated && texts.length > 0 ? "\n" : "");
        writeFileSync(path, content);
        const found = [...readLines(path)];
        const wanted = content.split("\n");
        if (wanted.at(-1) === "") wanted.pop();
        expect(found.map((one) => one.text)).toEqual(wanted);
        expect(found.map((one) => one.number)).toEqual(wanted.map((_, i) => i + 1));
        const bytes = readFileSync(path);
        for (const [i, { end }] of found.entries()) {
          const start = found[i - 1]?.end ?? 0;
          expect(bytes.toString("utf8", start, end).replace(/\n$/, "")).toBe(wanted[i]);
        }
        expect(found.every((one, i) => one.terminated || i === found.length - 1)).toBe(true);
        expect(found.at(-1)?.terminated ?? true).toBe(content === "" || content.endsWith("\n"));
      }),
      { numRuns: 200 },
    );
  });

  it("does not split characters or lines at chunk boundaries", () => {
    const long = "€".repeat(500_000);
    writeFileSync(path, `${long}\nshort\n${long}x\nend`);
    const found = [...readLines(path)];
    expect(found.map(({ text }) => text.length)).toEqual([500_000, 5, 500_001, 3]);
    expect(found[0]?.text).toBe(long);
    expect(found.at(-1)).toMatchObject({ text: "end", terminated: false, number: 4 });
  });
});

describe("writeAtomically", () => {
  it("replaces the whole file and leaves no temporary file if it fails", () => {
    writeAtomically(path, "one");
    writeAtomically(path, "two");
    expect(readFileSync(path, "utf8")).toBe("two");
    expect(() => writeAtomically(join(dir, "nowhere", "file"), "x")).toThrow(/ENOENT/);
    expect(() => writeAtomically(dir, "x")).toThrow();
    expect(readdirSync(dir)).toEqual(["file"]);
  });
});

describe("writeLines", () => {
  it("appends lines of any length and script in order", () => {
    const first = ["one", "", "Grüße, 世界 🙂", "x".repeat(200_000)];
    const second = ["界".repeat(3_000_000), "é".repeat(70_000), "end"];
    const file = openSync(path, "w");
    writeLines(file, first);
    writeLines(file, []);
    writeLines(file, second);
    closeSync(file);
    expect(readFileSync(path, "utf8") === `${[...first, ...second].join("\n")}\n`).toBe(true);
  });

  it("reports a full disk", () => {
    expect(() => writeLines(openSync("/dev/full", "w"), ["lost"])).toThrow(/ENOSPC/);
  });
});
