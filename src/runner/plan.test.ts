import { describe, expect, it } from "vitest";
import type { Dataset } from "../core/dataset.js";
import { DatasetError, ScoreFieldError, UsageError } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { System } from "../core/system.js";
import { MeanScore } from "../metrics/index.js";
import { describePlanDatasets, makePlan, type PlanOptions } from "./plan.js";

const echo: System = { name: "echo", process: (example) => ({ response: example.question ?? "" }) };
const exact: Evaluator = { name: "exact", fields: ["em"], score: () => ({ em: 1 }) };
const EXAMPLES: Example[] = [
  { id: 1, question: "one" },
  { id: 2, question: "two" },
];

function plan(more: Partial<PlanOptions> = {}) {
  return makePlan({ systems: [echo], datasets: [EXAMPLES], evaluators: [exact], metrics: [], ...more });
}

function named(name: string, examples: Example[], more: Partial<Dataset> = {}): Dataset {
  return { name, examples, [Symbol.iterator]: () => examples[Symbol.iterator](), ...more };
}

describe("makePlan", () => {
  it("plans systems × examples × trials", async () => {
    const laid = await plan({ trials: 3, systems: [echo, { ...echo, name: "other" }] });
    expect(laid).toMatchObject({ total: 12, trials: 3, seed: 0, threshold: 0.7, scoreField: "score" });
  });

  it("accepts any iterable, sync or async, and reads it once", async () => {
    let reads = 0;
    function* sync() {
      reads += 1;
      yield* EXAMPLES;
    }
    async function* async() {
      reads += 1;
      for (const { id, question } of EXAMPLES) yield { id: `async-${id}`, question: question ?? "" };
    }
    const laid = await plan({ datasets: [sync(), async()] });
    expect(laid.examples.map((example) => example?.id)).toEqual([1, 2, "async-1", "async-2"]);
    expect(reads).toBe(2);
  });

  it.each([0, -1, 1.5, Number.NaN, "3"])("rejects %o trials", async (trials) => {
    await expect(plan({ trials: trials as number })).rejects.toThrow(/trials must be a whole number of at least 1/);
  });

  it.each([-0.01, 1.01, 70, Number.NaN, "0.7"])("rejects the threshold %o", async (threshold) => {
    await expect(plan({ threshold: threshold as number })).rejects.toThrow(UsageError);
    await expect(plan({ threshold: threshold as number })).rejects.toThrow(String(threshold));
  });

  it("accepts thresholds of 0 and 1", async () => {
    expect((await plan({ threshold: 0 })).threshold).toBe(0);
    expect((await plan({ threshold: 1 })).threshold).toBe(1);
  });

  it("rejects an empty list of systems, a system without process, and duplicate names", async () => {
    await expect(plan({ systems: [] })).rejects.toThrow("no system to measure");
    await expect(plan({ systems: undefined as never })).rejects.toThrow("no system to measure");
    await expect(plan({ systems: [{ name: "x" } as never] })).rejects.toThrow('"x" has no method process()');
    await expect(plan({ systems: [echo, echo] })).rejects.toThrow(/Two systems have the name "echo" \(the same system/);
    const other: System = { name: "echo", process: () => ({}) };
    await expect(plan({ systems: [echo, other] })).rejects.toThrow(/\(two different systems\)/);
  });

  it("rejects an invalid or empty dataset", async () => {
    await expect(plan({ datasets: ["path" as never] })).rejects.toThrow('but is the string "path"');
    await expect(plan({ datasets: [null as never] })).rejects.toThrow("but is null");
    await expect(plan({ datasets: [[]] })).rejects.toThrow(DatasetError);
  });

  const bad: [string, unknown][] = [
    ["is null, not an object", null],
    ["is an array, not an object", []],
    ["has neither context nor question", { id: 1, answer: "x" }],
    ["has a context that is the number 7, not a string", { id: 1, context: 7 }],
    ["has a question that is an object, not a string", { id: 1, question: {} }],
    ['has turns that are not a list of { "role", "content" } strings', { id: 1, question: "q", turns: null }],
    ['has turns that are not a list of { "role", "content" } strings', { id: 1, turns: 7 }],
    ['has turns that are not a list of { "role", "content" } strings', { id: 1, turns: [null] }],
    ["has neither context nor question", { id: 1, turns: [] }],
    ["has an id that is an object, not a string or number", { id: {}, question: "q" }],
    ["has an id that is the number NaN, not a string or number", { id: Number.NaN, question: "q" }],
    ["has an id that is the bigint 5, not a string or number", { id: 5n, question: "q" }],
  ];

  it.each(bad)("rejects an example that %s, or skips it", async (problem, example) => {
    const datasets = [[EXAMPLES[0], example, EXAMPLES[1]] as Example[]];
    await expect(plan({ datasets })).rejects.toThrow(`Example 2 ${problem}`);
    const laid = await plan({ datasets, skipBadRows: true });
    expect(laid.examples.map((kept) => kept?.id)).toEqual([1, 2]);
    expect(laid.notes).toEqual([`1 bad row skipped (first: Example 2 ${problem})`]);
  });

  it("rejects duplicate ids, whether written as number or text", async () => {
    const twice = [...EXAMPLES, { id: "2", question: "again" }];
    await expect(plan({ datasets: [twice] })).rejects.toThrow(/Examples 2 and 3 have the same id "2"/);
  });

  it("rejects the same id in two datasets with the same name", async () => {
    await expect(plan({ datasets: [EXAMPLES, EXAMPLES] })).rejects.toThrow(/the same id "1"/);
    const laid = await plan({ datasets: [named("a", EXAMPLES), named("b", EXAMPLES)] });
    expect(laid.total).toBe(4);
  });

  it("generates an id from the content of an example that has none", async () => {
    const nameless = [{ question: "a" }, { question: "b" }, { id: null, question: "c" }] as unknown as Example[];
    const [first, second] = [await plan({ datasets: [nameless] }), await plan({ datasets: [nameless.toReversed()] })];
    const ids = first.examples.map((example) => example?.id);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(second.examples.map((example) => example?.id)).toEqual(ids.toReversed());
  });

  it.each([{}, { dataset: "tag" }])("numbers repeated content (%o)", async (tag) => {
    const same = Array.from({ length: 3 }, () => ({ question: "same", ...tag }) as unknown as Example);
    const laid = await plan({ datasets: [same] });
    const [first] = laid.examples.map((example) => String(example?.id));
    expect(laid.examples.map((example) => example?.id)).toEqual([first, `${first}-2`, `${first}-3`]);
  });

  it("does not change the given examples", async () => {
    const examples: Example[] = [{ question: "a" } as Example];
    await plan({ datasets: [named("d", examples)] });
    expect(examples).toEqual([{ question: "a" }]);
  });

  it("passes on the notes of a dataset", async () => {
    const laid = await plan({ datasets: [named("d", EXAMPLES, { notes: ["3 rows left out"] })] });
    expect(laid.notes).toEqual(["3 rows left out"]);
    expect(laid.examples[0]).toEqual({ id: 1, question: "one", dataset: "d" });
  });

  it("uses each dataset's own evaluators unless the run names some", async () => {
    const own: Evaluator = { name: "own", score: () => ({ own: 1 }) };
    const datasets = [named("a", EXAMPLES, { evaluators: [own] }), named("b", EXAMPLES)];
    const names = (laid: Awaited<ReturnType<typeof plan>>) =>
      laid.datasetPlans.map((datasetPlan) => datasetPlan.evaluators.map(({ name }) => name));
    expect(names(await plan({ datasets }))).toEqual([["exact"], ["exact"]]);
    const { evaluators: _, ...rest } = { evaluators: [], systems: [echo], datasets, metrics: [] };
    expect(names(await makePlan(rest))).toEqual([["own"], []]);
  });

  it("rejects a field that no declared evaluator produces, and suggests a similar one", async () => {
    await expect(plan({ scoreField: "me" })).rejects.toThrow(
      new ScoreFieldError('No evaluator produces the score field "me". Did you mean "em"? Known: em.'),
    );
    await expect(plan({ metrics: [new MeanScore({ scoreField: "f1" })] })).rejects.toThrow(/score field "f1"/);
    await expect(plan({ datasets: [named("d", EXAMPLES)], scoreField: "f1" })).rejects.toThrow("No evaluator for d");
    await expect(plan({ evaluators: [], scoreField: "f1" })).rejects.toThrow(ScoreFieldError);
    await expect(plan({ scoreField: "em", metrics: [new MeanScore()] })).resolves.toBeDefined();
  });

  it("rejects evaluators without score, with duplicate names, or with duplicate fields", async () => {
    await expect(plan({ evaluators: [{ name: "x" } as never] })).rejects.toThrow('"x" has no method score()');
    await expect(plan({ evaluators: [exact, { ...exact, fields: ["f1"] }] })).rejects.toThrow(
      'Two evaluators have the name "exact"',
    );
    await expect(plan({ evaluators: [exact, { ...exact, name: "other" }] })).rejects.toThrow(/both produce "em"/);
  });
});

describe("describePlanDatasets", () => {
  const print = async (examples: Example[]) => describePlanDatasets(await plan({ datasets: [named("d", examples)] }));

  it("identifies examples by content", async () => {
    const [one] = await print(EXAMPLES);
    expect(one).toMatchObject({ name: "d", examples: 2, fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect((await print([...EXAMPLES]))[0]).toEqual(one);
    const changed = await print([
      { id: 1, question: "one" },
      { id: 2, question: "two!" },
    ]);
    expect(changed[0]?.fingerprint).not.toBe(one?.fingerprint);
  });

  it("accepts content beyond plain JSON, and rejects what cannot be serialized", async () => {
    const [one, two] = [
      await print([{ id: 1, question: "q", size: 1n }]),
      await print([{ id: 1, question: "q", size: 2n }]),
    ];
    expect(one[0]?.fingerprint).not.toBe(two[0]?.fingerprint);
    const circle: Example = { id: "round", question: "q" };
    circle.self = circle;
    await expect(print([circle])).rejects.toThrow(/Example "round" cannot be written as JSON/);
  });
});
