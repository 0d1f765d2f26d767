import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Example } from "../core/example.js";
import { EXAMPLES_FILE, isShortenedText, readExamples, writeExamples } from "./examples.js";

let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-examples-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const stored = () => [...readExamples(dir)];

describe("writeExamples", () => {
  it("restores examples unchanged and in order", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom('"', "\\", "\n", "\u2028", "</script>"));
    const example = fc.record({
      id: fc.oneof(text, fc.integer()),
      dataset: text,
      question: text,
      answers: fc.array(text),
    });
    fc.assert(
      fc.property(fc.array(example), (examples) => {
        writeExamples(dir, examples);
        expect(stored()).toEqual(examples);
      }),
      { numRuns: 50 },
    );
  });

  it("stores many examples of any content", () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const examples: Example[] = Array.from({ length: 100 }, (_, i) => ({
      id: `e${i}`,
      question: `q{"${i}`,
      dataset: "d",
    }));
    examples[40] = { dataset: "d", id: "e40", question: "in another order" };
    examples[70] = { id: "e70", question: "not to be written", circle, dataset: "d" } as Example;
    writeExamples(dir, examples);
    const notRecorded = { id: "e70", dataset: "d", notRecorded: expect.stringContaining("circular") };
    expect(stored()).toEqual(examples.map((example) => (example.id === "e70" ? notRecorded : example)));
  });

  it("writes many as it writes each, whatever they contain", () => {
    const inner = fc.constantFrom<unknown>(
      "q",
      '"dataset":"d"},{"id":',
      [{ id: 1, dataset: "d" }, { id: 2 }],
      [{ a: 1, dataset: "d" }, { id: 2, dataset: "d" }, { id: 3 }],
      undefined,
      { toJSON: () => [{ dataset: "d" }] },
    );
    const id = fc.constantFrom<string | number>(1, "1", 'a","dataset":"d"},{"id":');
    const none = fc.constantFrom<unknown>(undefined, () => 1, "", null);
    const example = fc.oneof(
      fc.record({ id: none, question: inner, dataset: fc.constant("d") }),
      fc.record({ id, question: inner, dataset: fc.constantFrom("d", "e") }),
      fc.record({ id, dataset: fc.constant("d"), question: inner }),
      fc.record({ id, toJSON: fc.constant(() => ({ id: 9, dataset: "d" })), dataset: fc.constant("d") }),
    ) as fc.Arbitrary<Example>;
    const file = () => readFileSync(join(dir, EXAMPLES_FILE), "utf8");
    fc.assert(
      fc.property(fc.array(example, { maxLength: 20 }), (examples) => {
        const alone = examples.map((each) => {
          writeExamples(dir, [each]);
          return file();
        });
        writeExamples(dir, examples);
        expect(file()).toBe(alone.join(""));
      }),
    );
  });

  it("shortens very long examples, and says so", () => {
    const context = `start ${"x".repeat(100_000)} end`;
    const turns = Array.from({ length: 500 }, (_, i) => ({ role: "user", content: `turn ${i}` }));
    writeExamples(dir, [{ id: 1, question: "short", context, turns }]);
    const [kept] = stored();
    expect(kept?.question).toBe("short");
    expect(kept?.context).toMatch(/^start x+\n… 92010 characters are not kept with the run …\nx+ end$/);
    expect(kept?.turns).toHaveLength(40);
    expect(kept?.turns?.at(-1)).toEqual({ role: "user", content: "turn 499" });
    expect(statSync(join(dir, "examples.jsonl")).size).toBeLessThan(12_000);
  });

  it("keeps a long text if the whole example is not large", () => {
    const context = "y".repeat(60_000);
    writeExamples(dir, [{ id: 1, context }]);
    expect(stored()).toEqual([{ dataset: "", id: 1, context }]);
  });

  it("writes the key first, whatever the field names", () => {
    const odd = JSON.parse('{"question":"a","__proto__":{"b":1},"id":7,"dataset":"d","1":2}') as Example;
    writeExamples(dir, [odd, { id: 8, question: "c" }, { id: 9 }]);
    expect(readFileSync(join(dir, EXAMPLES_FILE), "utf8").split("\n")).toEqual([
      '{"dataset":"d","id":7,"1":2,"question":"a","__proto__":{"b":1}}',
      '{"dataset":"","id":8,"question":"c"}',
      '{"dataset":"","id":9}',
      "",
    ]);
  });

  it("is independent of the order and form of the fields", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom('"', "d", '"dataset":"d"}', ',"dataset":"d"}'),
    );
    const field = fc.oneof(text, fc.record({ dataset: text }), fc.constant([{ dataset: "d" }]));
    const example = fc.record({ id: fc.oneof(text, fc.integer()), dataset: text, question: field, more: field });
    const order = fc.shuffledSubarray(["id", "dataset", "question", "more"], { minLength: 4 });
    fc.assert(
      fc.property(example, order, (fields, keys) => {
        const asked = Object.fromEntries(keys.map((key) => [key, fields[key as keyof typeof fields]])) as Example;
        writeExamples(dir, [asked]);
        expect(readFileSync(join(dir, EXAMPLES_FILE), "utf8")).toBe(
          `${JSON.stringify(Object.assign({ dataset: fields.dataset, id: fields.id }, asked))}\n`,
        );
      }),
    );
  });

  it("keeps an example of exactly the maximum size, and shortens a longer one", () => {
    const bare = '{"context":""}'.length;
    const texts = [65_536 - bare, 65_536 - bare + 1].map((length) => "y".repeat(length));
    writeExamples(
      dir,
      texts.map((context, id) => ({ id, context })),
    );
    expect(stored().map(({ context }) => isShortenedText(context ?? ""))).toEqual([false, true]);
  });

  it("loses only the fields of an example that JSON cannot hold", () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    writeExamples(dir, [{ id: 1, question: "a", circle } as Example, { id: 2, question: "b" }]);
    expect(stored()).toEqual([
      { dataset: "", id: 1, notRecorded: expect.stringContaining("circular") },
      { dataset: "", id: 2, question: "b" },
    ]);
  });
});

describe("readExamples", () => {
  it("returns none for runs without stored examples, and skips a torn last line", () => {
    expect(stored()).toEqual([]);
    writeExamples(dir, [{ id: 1, question: "a" }]);
    appendFileSync(join(dir, "examples.jsonl"), '{"dataset":"","id":2,"ques');
    expect(stored()).toHaveLength(1);
  });

  it("names the damaged line", () => {
    writeExamples(dir, [{ id: 1, question: "a" }]);
    const line = readFileSync(join(dir, "examples.jsonl"), "utf8");
    writeFileSync(join(dir, "examples.jsonl"), `${line}{"broken\n`);
    expect(() => stored()).toThrow(/examples\.jsonl:2 is not an example/);
  });
});
