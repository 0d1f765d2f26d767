import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom, permutation } from "../stats/index.js";
import type { Region } from "./regions.js";
import { drawSample, type SampledTable } from "./sample.js";

/** Row groups of one size, always read whole. */
function smallGroups(groups: number, rows: number, bytes: number): SampledTable {
  const regions = Array.from({ length: groups }, (_, at): Region => ({ first: at * rows, rows, bytes, parts: [] }));
  return { rows: groups * rows, bytes: groups * bytes, regions };
}

/** Large row groups of pages, or of one page. */
function largeGroups(groups: number, rows: number, part: Region["parts"][number]): SampledTable {
  const regions = Array.from(
    { length: groups },
    (_, at): Region => ({ first: at * rows, rows, bytes: part.bytes, parts: [part] }),
  );
  return { rows: groups * rows, bytes: groups * part.bytes, regions };
}

const TABLES = {
  affordable: smallGroups(20, 1000, 50_000),
  "many small groups": smallGroups(2000, 100, 100_000),
  pages: largeGroups(2, 100_000, { bytes: 400e6, fixed: 1e6, pageRows: 300, isDivisible: true }),
  "one page a group": largeGroups(17, 20_480, { bytes: 20e6, fixed: 0, pageRows: 20_480, isDivisible: true }),
  "only from the start": largeGroups(3, 100_000, { bytes: 100e6, fixed: 0, pageRows: null, isDivisible: true }),
  indivisible: largeGroups(17, 20_480, { bytes: 20e6, fixed: 0, pageRows: 20_480, isDivisible: false }),
} satisfies Record<string, SampledTable>;

const contains = (large: Uint32Array, small: Uint32Array) => {
  const all = new Set(large);
  return small.every((position) => all.has(position));
};

describe("drawSample", () => {
  it("is the usual sample of all rows where that is affordable", () => {
    const { positions, note } = drawSample(TABLES.affordable, { count: 50, seed: 3 });
    expect(positions).toEqual(permutation(20_000, createRandom(3)).slice(0, 50).sort());
    expect(note).toBeNull();
    expect(drawSample(TABLES["many small groups"], { count: 50, seed: 3 }).note).toBeNull();
  });

  it("is drawn from as many blocks as three percent of the bytes are, and says so", () => {
    const { positions, note } = drawSample(TABLES["many small groups"], { count: 400, seed: 3 });
    const groups = new Set(positions.map((position) => Math.floor(position / 100)));
    expect(groups.size).toBeLessThanOrEqual(60);
    expect(groups.size).toBeGreaterThan(50);
    expect(note).toMatch(/^the sample is drawn from 60 of 2,000 blocks of the file/);
  });

  it("is drawn from ranges of pages all over large row groups", () => {
    const { positions, note } = drawSample(TABLES.pages, { count: 100, seed: 1 });
    expect(positions.filter((position) => position % 100_000 > 50_000).length).toBeGreaterThan(10);
    expect(note).toMatch(/drawn from \d+ of 1,334 blocks/);
  });

  it("is drawn from first rows where a row group is one page", () => {
    const { positions, note } = drawSample(TABLES["one page a group"], { count: 100, seed: 1 });
    expect(Math.max(...positions.map((position) => position % 20_480))).toBeLessThan(20_480 * 0.04);
    expect(note).toMatch(/drawn from the first rows of \d+ of 17 blocks/);
  });

  it("is drawn from one row group where nothing smaller can be read", () => {
    const { positions, note } = drawSample(TABLES.indivisible, { count: 100, seed: 1 });
    expect(new Set(positions.map((position) => Math.floor(position / 20_480))).size).toBe(1);
    expect(note).toMatch(/drawn from 1 of 17 blocks/);
  });

  it.each(Object.entries(TABLES))("gives the same positions for a seed, and more of them for more: %s", (_, table) => {
    const counts = fc.integer({ min: 120, max: 400 });
    fc.assert(
      fc.property(fc.nat(), counts, fc.integer({ min: 0, max: 400 }), (seed, count, more) => {
        const small = drawSample(table, { count, seed }).positions;
        const large = drawSample(table, { count: count + more, seed }).positions;
        expect(small).toHaveLength(count);
        expect(new Set(small).size).toBe(count);
        expect([...small]).toEqual([...small].sort((a, b) => a - b));
        expect(small.at(-1)).toBeLessThan(table.rows);
        expect(contains(large, small)).toBe(true);
      }),
      { numRuns: 5 },
    );
  });

  it("gives every row when that many are asked for", () => {
    for (const table of [TABLES.affordable, TABLES["many small groups"]]) {
      const { positions } = drawSample(table, { count: table.rows + 5, seed: 1 });
      expect(positions).toHaveLength(table.rows);
    }
  });

  it("reaches every row group alike", () => {
    const hits = new Map<number, number>();
    for (let seed = 0; seed < 60; seed++) {
      for (const position of drawSample(TABLES["one page a group"], { count: 50, seed }).positions) {
        const group = Math.floor(position / 20_480);
        hits.set(group, (hits.get(group) ?? 0) + 1);
      }
    }
    expect(hits.size).toBe(17);
    for (const count of hits.values()) expect(count).toBeGreaterThan((60 * 50) / 17 / 2);
  });
});
