import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom, permutation } from "../../stats/index.js";
import { drawSample, type SampledTable } from "./sample.js";
import type { Region } from "./table.js";

/** Row groups of one size, always read whole. */
function smallGroups(groups: number, rows: number, bytes: number): SampledTable {
  const regions = Array.from(
    { length: groups },
    (_, at): Region => ({
      first: at * rows,
      rows,
      bytes,
      isIndexed: true,
      parts: [],
    }),
  );
  return { rows: groups * rows, bytes: groups * bytes, regions };
}

/** Large row groups of several pages or one. */
function largeGroups(groups: number, rows: number, part: Region["parts"][number]): SampledTable {
  const regions = Array.from(
    { length: groups },
    (_, at): Region => ({ first: at * rows, rows, bytes: part.bytes, isIndexed: true, parts: [part] }),
  );
  return { rows: groups * rows, bytes: groups * part.bytes, regions };
}

/** A row group that is one page. */
const WHOLE = { bytes: 20e6, fixed: 0, pageRows: 20_480 };

const TABLES = {
  affordable: smallGroups(20, 1000, 50_000),
  "many small groups": smallGroups(2000, 500, 100_000),
  pages: largeGroups(2, 100_000, { bytes: 400e6, fixed: 1e6, pageRows: 300 }),
  "large pages": largeGroups(2, 100_000, { bytes: 600e6, fixed: 0, pageRows: 300 }),
  "whole row groups": largeGroups(17, 20_480, WHOLE),
} satisfies Record<string, SampledTable>;

const contains = (large: Uint32Array, small: Uint32Array) => {
  const all = new Set(large);
  return small.every((position) => all.has(position));
};

const different = (blocks: Uint32Array | null) => new Set(blocks).size;

describe("drawSample", () => {
  it("samples all rows if that is affordable", () => {
    const { positions, note, blocks } = drawSample(TABLES.affordable, { count: 50, seed: 3 });
    expect(positions).toEqual(permutation(20_000, createRandom(3)).slice(0, 50).sort());
    expect(note).toBeNull();
    expect(blocks).toBeNull();
    expect(drawSample(TABLES["many small groups"], { count: 50, seed: 3 }).note).toBeNull();
  });

  it("samples all rows of fewer than a million for up to 64 MB, whatever share of the file that is", () => {
    const table = smallGroups(600, 1000, 100_000);
    const { positions, note, blocks } = drawSample(table, { count: 5000, seed: 3 });
    expect(positions).toEqual(permutation(600_000, createRandom(3)).slice(0, 5000).sort());
    expect([note, blocks]).toEqual([null, null]);
    expect(drawSample(smallGroups(650, 1000, 100_000), { count: 5000, seed: 3 }).note).toMatch(/would take 65 MB/);
    expect(drawSample(smallGroups(100, 10_000, 600_000), { count: 5000, seed: 3 }).note).toMatch(/would take 60 MB/);
  });

  it("samples as many blocks as make up three percent of the bytes, and notes it", () => {
    const { positions, note, blocks } = drawSample(TABLES["many small groups"], { count: 400, seed: 3 });
    const groups = positions.map((position) => Math.floor(position / 500) + 1);
    expect(blocks).toEqual(groups);
    expect(different(blocks)).toBe(60);
    expect(note).toBe(
      "the sample is drawn from 60 of 2,000 blocks of the file, because reading rows from the whole file would take 35 MB; intervals are clustered by block",
    );
  });

  it("takes each of a few rows from another block", () => {
    for (const count of [4, 10, 17])
      expect(different(drawSample(TABLES["whole row groups"], { count, seed: 3 }).blocks)).toBe(Math.min(count, 3));
    const groups = smallGroups(2000, 500, 600_000);
    expect(drawSample(groups, { count: 60, seed: 3 }).blocks).toBeNull();
    expect(different(drawSample(groups, { count: 100, seed: 3 }).blocks)).toBe(60);
  });

  it.each([
    ["pages", 2],
    ["large pages", 2],
  ] as const)("samples many page ranges across large row groups: %s", (name, groups) => {
    const { positions, note, blocks } = drawSample(TABLES[name], { count: 100, seed: 1 });
    expect(different(blocks)).toBeGreaterThanOrEqual(30);
    expect(positions.filter((position) => position % 100_000 > 50_000).length).toBeGreaterThan(10);
    for (let group = 0; group < groups; group++) {
      const inside = positions.filter((position) => Math.floor(position / 100_000) === group);
      expect(inside.length).toBeGreaterThanOrEqual(45);
    }
    expect(note).toMatch(/drawn from \d+ of [\d,]+ blocks/);
  });

  it("samples a few row groups if nothing smaller can be read, and never one of several", () => {
    expect(different(drawSample(TABLES["whole row groups"], { count: 100, seed: 1 }).blocks)).toBe(3);
    const part = { bytes: 20e6, fixed: 0, pageRows: 61_440 };
    expect(different(drawSample(largeGroups(17, 61_440, part), { count: 100, seed: 1 }).blocks)).toBe(2);
    const huge = largeGroups(3, 500_000, { ...part, bytes: 500e6, pageRows: 500_000 });
    expect(drawSample(huge, { count: 100, seed: 1 }).note).toMatch(/drawn from 1 of 3 blocks/);
  });

  it("notes that a file has no offset index", () => {
    const { regions, ...table } = TABLES["whole row groups"];
    const unlisted = { ...table, regions: regions.map((region) => ({ ...region, isIndexed: false, parts: [] })) };
    const { positions, note } = drawSample(unlisted, { count: 100, seed: 1 });
    expect(note).toBe(
      "the sample is drawn from 3 of 17 blocks of the file, because it has no offset index, and reading rows from the whole file would take 340 MB; intervals are clustered by block",
    );
    expect(positions).toEqual(drawSample(TABLES["whole row groups"], { count: 100, seed: 1 }).positions);
  });

  it.each(Object.entries(TABLES))("continues the draw after the sample, with each row once: %s", (_, table) => {
    const { positions, drawn } = drawSample(table, { count: 200, seed: 4 });
    expect(drawn(0, 200).positions.toSorted()).toEqual(positions);
    const more = [...drawn(200, 300).positions, ...drawn(300, 5000).positions];
    expect(more).toHaveLength(4800);
    expect(new Set([...positions, ...more]).size).toBe(5000);
    expect(Math.max(...more)).toBeLessThan(table.rows);
  });

  it.each(Object.entries(TABLES))(
    "returns the same positions for a seed, and a superset for a larger count: %s",
    (_, table) => {
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
    },
  );

  it("returns every row if that many are requested", () => {
    for (const table of [TABLES.affordable, TABLES["many small groups"]]) {
      const { positions } = drawSample(table, { count: table.rows + 5, seed: 1 });
      expect(positions).toHaveLength(table.rows);
    }
  });

  it("handles very many row groups", () => {
    const part = { bytes: 1e6, fixed: 0, pageRows: 10 };
    const { positions, blocks } = drawSample(largeGroups(200_000, 10, part), { count: 100, seed: 1 });
    expect(positions).toHaveLength(100);
    expect(different(blocks)).toBeGreaterThanOrEqual(30);
  });

  /** Sorted: the answer to each row is whether it is in the second half. */
  const unequal = {
    "a small last row group": [...Array.from({ length: 73 }, () => 20_480), 4960],
    "shards of different row groups": [
      ...Array.from({ length: 11 }, () => 122_880),
      ...Array.from({ length: 24 }, () => 4096),
    ],
  };
  it.each(Object.entries(unequal))("contains each row group in proportion, however they differ: %s", (_, sizes) => {
    let first = 0;
    const regions = sizes.map((rows): Region => {
      const bytes = rows * 40;
      const region = {
        first,
        rows,
        bytes,
        isIndexed: true,
        parts: [{ bytes, fixed: 0, pageRows: Math.ceil(rows / 32) }],
      };
      first += rows;
      return region;
    });
    const table = { rows: first, bytes: first * 40, regions };
    const means: number[] = [];
    for (let seed = 0; seed < 60; seed++) {
      const { positions, blocks } = drawSample(table, { count: 100, seed });
      expect(blocks).not.toBeNull();
      expect(different(blocks)).toBeGreaterThan(4);
      means.push(positions.filter((position) => position * 2 >= first).length / 100);
    }
    const mean = means.reduce((sum, one) => sum + one, 0) / means.length;
    expect(mean).toBeGreaterThan(0.4);
    expect(mean).toBeLessThan(0.6);
  });

  it("reaches every row group equally often", () => {
    const hits = new Map<number, number>();
    for (let seed = 0; seed < 60; seed++) {
      for (const position of drawSample(TABLES["whole row groups"], { count: 50, seed }).positions) {
        const group = Math.floor(position / 20_480);
        hits.set(group, (hits.get(group) ?? 0) + 1);
      }
    }
    expect(hits.size).toBe(17);
    for (const count of hits.values()) expect(count).toBeGreaterThan((60 * 50) / 17 / 2);
  });
});
