import fc from "fast-check";
import { expect, it } from "vitest";
import { ERROR_CATEGORIES, type EvalRow, makeRow, OUTCOMES } from "../../core/row.js";
import type { RowChunk, RowsHead } from "./contract.js";
import { serializeRowLines } from "./rows.js";

const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("</script>", "\u2028", "\u202e", "__proto__"));
const amount = fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }));
const anyRow = fc
  .record({
    system: fc.constantFrom("a", "b", "constructor"),
    dataset: text,
    exampleId: fc.oneof(text, fc.integer()),
    trial: fc.nat(5),
    outcome: fc.constantFrom(...OUTCOMES),
    errorCategory: fc.constantFrom(...ERROR_CATEGORIES),
    scores: fc.dictionary(fc.constantFrom("f1", "contains", "score"), fc.double({ min: 0, max: 1, noNaN: true })),
    primaryField: fc.option(fc.constantFrom("f1", "contains")),
    costUsd: amount,
    latency: amount,
    turns: fc.option(fc.nat()),
    inputTokens: fc.nat(),
    outputTokens: fc.nat(),
    facets: fc.option(fc.record({ subject: text })),
  })
  .map(makeRow);

/** What the page reads from the lines. */
function read(rows: readonly EvalRow[]): { head: RowsHead; chunks: RowChunk[] } {
  const lines = [...serializeRowLines(rows)];
  for (const line of lines) expect(line.indexOf("\n")).toBe(line.length - 1);
  const [head, ...chunks] = lines.map((line) => JSON.parse(line) as unknown);
  return { head: head as RowsHead, chunks: chunks as RowChunk[] };
}

/** A row in JSON, which has no −0. */
function toldOf(row: EvalRow, { fields }: RowsHead): unknown {
  const { system, dataset, outcome, errorCategory, exampleId, trial, scores, facets } = row;
  const { costUsd, latency, turns, inputTokens, outputTokens } = row;
  const own = fields.filter((field) => Object.hasOwn(scores, field));
  return JSON.parse(
    JSON.stringify({
      ...{ system, dataset, outcome, errorCategory, exampleId, trial },
      ...{ costUsd, latency, turns, inputTokens, outputTokens },
      tags: facets === null ? [] : [`subject=${facets.subject}`],
      scores: own.map((field) => [field, scores[field]]),
    }),
  );
}

it("restores every row from its columns", () => {
  fc.assert(
    fc.property(fc.array(anyRow, { maxLength: 20 }), (rows) => {
      const { head, chunks } = read(rows);
      const back = chunks.flatMap((chunk) =>
        chunk.id.map((exampleId, i) => ({
          system: head.systems[chunk.system[i] ?? -1],
          dataset: head.datasets[chunk.dataset[i] ?? -1],
          outcome: head.outcomes[chunk.outcome[i] ?? -1],
          errorCategory: head.categories[chunk.category[i] ?? -1],
          exampleId,
          trial: chunk.trial[i],
          costUsd: chunk.costUsd[i],
          latency: chunk.latency[i],
          turns: chunk.turns[i],
          inputTokens: chunk.inputTokens[i],
          outputTokens: chunk.outputTokens[i],
          tags: chunk.tags[i],
          scores: head.fields.flatMap((field, f) => {
            const value = chunk.scores[f]?.[i] ?? null;
            return value === null ? [] : [[field, value]];
          }),
        })),
      );
      expect(back).toEqual(rows.map((row) => toldOf(row, head)));
    }),
    { numRuns: 100 },
  );
});

it("splits rows into chunks, in the given order", () => {
  const rows = Array.from({ length: 4001 }, (_, i) => makeRow({ system: "s", exampleId: i, outcome: "pass" }));
  const { head, chunks } = read(rows);
  expect(head).toMatchObject({ schema: "assay.rows/1", total: 4001, systems: ["s"], datasets: [""], fields: [] });
  expect(chunks.map(({ start, id }) => [start, id.length])).toEqual([
    [0, 2000],
    [2000, 2000],
    [4000, 1],
  ]);
  expect(chunks.flatMap(({ id }) => id)).toEqual(rows.map(({ exampleId }) => exampleId));
});

it("contains the primary score, and null for missing numbers", () => {
  const scores = { f1: 0.5, odd: Number.NaN };
  const row = makeRow({ system: "s", exampleId: 1, outcome: "fail", scores, primaryField: "f1" });
  const unscored = makeRow({ system: "s", exampleId: 2, outcome: "error", costUsd: Number.POSITIVE_INFINITY });
  const { chunks } = read([row, unscored]);
  expect(chunks[0]).toMatchObject({
    score: [0.5, null],
    scores: [
      [0.5, null],
      [null, null],
    ],
    costUsd: [null, null],
  });
});

it("has only a head when there are no rows", () => {
  expect(read([])).toMatchObject({ head: { total: 0, systems: [] }, chunks: [] });
});
