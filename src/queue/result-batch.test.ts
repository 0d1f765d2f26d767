import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeBatch, encodeBatch, type TrialUpdate } from "./result-batch.js";

describe("a result batch", () => {
  const text = fc.string({ unit: "binary" }).map((value) => JSON.stringify({ value }));
  const news: fc.Arbitrary<TrialUpdate> = fc.oneof(
    fc.record({ kind: fc.constant("refused" as const), index: fc.nat() }),
    fc.record({ kind: fc.constant("output" as const), index: fc.nat(), line: text }),
    fc.record({
      kind: fc.constantFrom("fault" as const, "stopped" as const),
      index: fc.nat(),
      message: fc.string({ unit: "binary" }),
    }),
    fc.record({
      kind: fc.constant("finished" as const),
      index: fc.nat(),
      lines: fc.oneof(
        fc.record({ row: text, output: fc.option(text) }),
        fc.record({ row: text, output: fc.constant(null), outputFile: fc.string({ minLength: 1, unit: "binary" }) }),
      ),
    }),
  );

  it("decodes to what was encoded", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(news), async (sent) => {
        expect(decodeBatch(await encodeBatch({ worker: "box-1", news: sent }))).toEqual({
          worker: "box-1",
          news: sent,
        });
      }),
    );
  });

  it("is much smaller than its lines, also when they are long", async () => {
    const row = JSON.stringify({ system: "a", exampleId: 1, text: "the same words again and again ".repeat(10_000) });
    const sent: TrialUpdate[] = [{ kind: "finished", index: 1, lines: { row, output: null } }];
    const data = await encodeBatch({ worker: "w", news: sent });
    expect(data.length).toBeLessThan(row.length / 20);
    expect(decodeBatch(data).news).toEqual(sent);
  });
});
