import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EXAMPLES_FILE, encodeExampleKey, readExampleIndex, writeExamples } from "./examples.js";

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-places-"));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom('"', "\\", "},", "é".repeat(400), "x".repeat(2000)),
);
const example = fc.record({
  id: fc.oneof(text, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(1, "1")),
  dataset: text,
  question: text,
});
const examples = fc.uniqueArray(example, { selector: ({ dataset, id }) => encodeExampleKey(dataset, id) });

describe("readExampleIndex", () => {
  it("knows the position of each example, and gives new ones the next positions", () => {
    fc.assert(
      fc.property(examples, (asked) => {
        writeExamples(dir, asked);
        const places = readExampleIndex(dir);
        expect(places?.size).toBe(asked.length);
        for (const [place, { dataset, id }] of asked.entries())
          expect(places?.getOrAdd({ dataset, exampleId: id })).toBe(place);
        expect(places?.getOrAdd({ dataset: "another dataset", exampleId: 1 })).toBe(asked.length);
        expect(places?.getOrAdd({ dataset: "another dataset", exampleId: "1" })).toBe(asked.length + 1);
        expect(places?.getOrAdd({ dataset: "another dataset", exampleId: 1 })).toBe(asked.length);
      }),
      { numRuns: 50 },
    );
  });

  it("returns null for runs without stored examples", () => {
    expect(readExampleIndex(dir)).toBeNull();
  });

  it("skips damaged lines", () => {
    writeExamples(dir, [{ id: 1, dataset: "d", question: "a" }]);
    appendFileSync(join(dir, EXAMPLES_FILE), '{"dataset":"d","id":1x}\n{"dataset":"\\x","id":2}\n{"id":3}\n');
    appendFileSync(join(dir, EXAMPLES_FILE), `{${encodeExampleKey("d", 4)},"question":"b"}\n`);
    const places = readExampleIndex(dir);
    expect(places?.size).toBe(2);
    expect(places?.getOrAdd({ dataset: "d", exampleId: 4 })).toBe(1);
  });

  it("holds the ids of a large file, not its lines", () => {
    const line = (id: number) =>
      `{${encodeExampleKey("a dataset", `an id of some length ${id}`)},"question":"${"x".repeat(900)}"}\n`;
    writeFileSync(join(dir, EXAMPLES_FILE), Array.from({ length: 50_000 }, (_, id) => line(id)).join(""));
    const script = `
      import { createJiti } from "jiti";
      const { readExampleIndex } = await createJiti(process.cwd()).import(${JSON.stringify(join(import.meta.dirname, "examples.ts"))});
      globalThis.gc();
      const before = process.memoryUsage().heapUsed;
      const places = readExampleIndex(${JSON.stringify(dir)});
      globalThis.gc();
      console.log(JSON.stringify({ size: places.size, held: process.memoryUsage().heapUsed - before }));`;
    const args = ["--expose-gc", "--input-type=module", "-e", script];
    const found = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", cwd: import.meta.dirname }));
    expect(found.size).toBe(50_000);
    // The lines are 49 MB; the scanned parts alone would still be 25.
    expect(found.held).toBeLessThan(10e6);
  });
});
