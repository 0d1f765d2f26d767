import { writeFileSync } from "node:fs";
import { Ajv } from "ajv";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { stringify } from "yaml";
import { checkGraders } from "../../graders/make-grader.js";
import { buildEvalJsonSchema } from "./json-schema.js";
import { loadSpec, readSpec } from "./read-spec.js";
import type { EvalSpec } from "./spec.js";
import { createJudgingRegistry, createSpecFolder } from "./spec-testing.js";

const registry = createJudgingRegistry();
const folder = createSpecFolder("");
afterAll(() => folder[Symbol.dispose]());
const validate = new Ajv({ strict: false }).compile(buildEvalJsonSchema());

const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 ]{0,8}$/).filter((text) => text.trim() !== "");
const count = fc.nat({ max: 50 });
const weight = fc.option(fc.constantFrom(0, 0.5, 1, 2), { nil: undefined });
const names = fc.array(fc.stringMatching(/^[a-z]{1,5}$/), { maxLength: 2 });

const kind = fc.oneof(
  fc.constant({ type: "completed" }),
  fc.record({ type: fc.constant("output-contains"), config: fc.record({ substring: word }) }),
  fc.record({ type: fc.constantFrom("file-exists", "file_not_exists"), path: fc.constant("a.js") }),
  fc.record({ type: fc.constant("prompt"), config: fc.record({ prompt: word }) }),
  fc.record({
    type: fc.constant("not"),
    config: fc.constant({ grader: { type: "prompt", config: { prompt: "Is it bad?" } } }),
  }),
);
const grader = fc
  .record({ entry: kind, weight, required: fc.option(fc.boolean(), { nil: undefined }) })
  .map(({ entry, ...rest }) => ({ ...entry, ...given(rest) }));
const constraints = fc
  .record(
    {
      max_turns: count,
      maxTokens: count,
      max_duration: fc.constantFrom("5s", "1.5m"),
      expect_tools: names,
      reject_skills: names,
    },
    { requiredKeys: [] },
  )
  .map(given);
const stimulus = fc
  .record({
    prompt: word,
    graders: fc.option(fc.array(grader, { maxLength: 3 }), { nil: undefined }),
    rubric: fc.option(fc.array(word, { minLength: 1, maxLength: 2 }), { nil: undefined }),
    constraints: fc.option(constraints, { nil: undefined }),
    threshold: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
  })
  .map(given);
const document = fc
  .record({
    block: fc.constantFrom("defaults", "config"),
    runs: fc.integer({ min: 1, max: 9 }),
    weights: fc.option(fc.record({ completed: fc.constantFrom(0, 2) }), { nil: undefined }),
    stimuli: fc.array(stimulus, { minLength: 1, maxLength: 3 }),
  })
  .map(({ block, runs, weights, stimuli }) => ({
    [block]: { runs, judge_model: "j" },
    ...(weights !== undefined && { scoring: { weights } }),
    stimuli: stimuli.map((one, index) => ({ name: `s${index}`, ...one })),
  }));

function given<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Partial<T>;
}

function checkAll({ stimuli }: EvalSpec): void {
  for (const { name, prompt, graders, threshold } of stimuli)
    checkGraders({ id: name, question: prompt, graders, ...(threshold !== null && { threshold }) }, registry);
}

it("a spec that loads has graders that load, and is valid for editors", async () => {
  let loaded = 0;
  await fc.assert(
    fc.asyncProperty(document, async (raw) => {
      writeFileSync(folder.file, stringify(raw));
      const { problems, spec } = await readSpec(folder.file, { registry });
      expect(validate(raw)).toBe(true);
      // All weights may be 0, which is the only possible problem here.
      if (problems.length > 0) expect(problems.map(({ text }) => text).join()).toContain("have the weight 0");
      else if (spec !== null) {
        loaded += 1;
        checkAll(spec);
      }
    }),
    { numRuns: 60 },
  );
  expect(loaded).toBeGreaterThan(20);
});

const KEYS = [
  "name",
  "type",
  "skill",
  "defaults",
  "config",
  "environment",
  "graders",
  "stimuli",
  "triggers",
  "gate",
  "id",
  "prompt",
  "files",
  "use",
  "turns",
  "tags",
  "should",
  "weight",
];
const { any } = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, 0, -1, 1.5, "", "x", "2m", "completed", "capability"),
    fc.array(tie("any"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie("any"), { maxKeys: 4 }),
  ),
}));

it("reports a problem with a location, whatever a file contains", async () => {
  await fc.assert(
    fc.asyncProperty(any, async (raw) => {
      writeFileSync(folder.file, stringify(raw));
      const { problems, spec } = await readSpec(folder.file, { registry });
      for (const { line, column, text } of problems)
        expect([line > 0, column > 0, text.length > 0]).toEqual([true, true, true]);
      if (problems.length === 0) expect(spec).not.toBeNull();
      else await expect(loadSpec(folder.file, { registry })).rejects.toMatchObject({ code: "SPEC" });
    }),
    { numRuns: 150 },
  );
});
