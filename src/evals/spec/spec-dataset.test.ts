import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadSpec } from "./read-spec.js";
import { toDataset } from "./spec-dataset.js";
import { createJudgingRegistry, createSpecFolder, TIDY_SKILL } from "./spec-testing.js";

const registry = createJudgingRegistry();

describe("toDataset", () => {
  it("builds examples with files and skills, and terms from defaults", async () => {
    using folder = createSpecFolder("", {
      "shared/schema.md": "all",
      "evals/app/a.js": "1",
      "evals/golden.diff": "diff",
      "skill/SKILL.md": TIDY_SKILL,
      "evals/eval.yaml": `name: e
skill: ../skill
defaults: { runs: 3, timeout: 30s, max_cost_usd: 0.1 }
environment:
  skills: [../skill]
  files: [{ src: ../shared/schema.md, dest: SCHEMA.md }, { src: app, dest: . }]
stimuli:
  - name: s
    turns: [Hello, Go on]
    tags: { area: js }
    golden_patch: golden.diff
    threshold: 0.4
    graders: [{ type: completed }]
triggers: { should: [Tidy up] }
`,
    });
    const spec = await loadSpec(join(folder.path, "evals/eval.yaml"), { registry });
    const dataset = await toDataset(spec, registry);
    expect(dataset).toMatchObject({
      name: "e",
      skill: "tidy",
      gates: [{ metric: "pass_at_3", op: ">=", value: 1 }],
      terms: { trials: 3, hardTimeoutMs: 30_000, maxCostUsd: 0.1 },
      facets: ["trigger"],
      primaryField: "verdict",
      evaluators: [{ name: "graders" }],
    });
    const environment = {
      skills: [{ name: "tidy", files: [{ dest: "SKILL.md", content: TIDY_SKILL }] }],
      files: [
        { dest: "SCHEMA.md", content: "all" },
        { dest: "a.js", content: "1" },
      ],
    };
    expect(dataset.examples).toEqual([
      {
        id: "s",
        question: "Go on",
        turns: [{ role: "user", content: "Hello" }],
        dataset: "e",
        environment,
        graders: [{ type: "completed" }],
        threshold: 0.4,
      },
      {
        id: "should: Tidy up",
        question: "Tidy up",
        dataset: "e",
        environment,
        graders: [{ type: "skill-invocation", config: { required: ["tidy"] } }],
        trigger: "should",
      },
    ]);
  });

  it("lists what single test cases override", async () => {
    using folder = createSpecFolder(`defaults: { runs: 5, timeout: 1m }
type: regression
stimuli:
  - { name: usual, prompt: p, graders: [{ type: completed }] }
  - { name: own, prompt: p, runs: 2, timeout: 10m, max_cost_usd: 2, graders: [{ type: completed }] }
  - { name: vally, prompt: p, config: { runs: 3, timeout: 90 }, graders: [{ type: completed }] }
`);
    const spec = await loadSpec(folder.file, { registry });
    expect(spec.notes).toEqual(["stimuli.config: its keys are read as keys beside it"]);
    const { limits, terms, gates } = await toDataset(spec, registry);
    expect(terms).toEqual({ trials: 5, hardTimeoutMs: 60_000 });
    expect([...(limits ?? [])]).toEqual([
      ["own", { trials: 2, maxCostUsd: 2, hardTimeoutMs: 600_000 }],
      ["vally", { trials: 3, hardTimeoutMs: 90_000 }],
    ]);
    // Of the test case with the fewest trials.
    expect(gates).toEqual([{ metric: "pass_hat_2", op: ">=", value: 1 }]);
    const asked = await toDataset(await loadSpec(folder.file, { registry, runs: 1 }), registry);
    expect([...(asked.limits ?? [])]).toEqual([
      ["own", { maxCostUsd: 2, hardTimeoutMs: 600_000 }],
      ["vally", { hardTimeoutMs: 90_000 }],
    ]);
  });

  it("reports a config of a test case that says something twice", async () => {
    using folder = createSpecFolder(
      "stimuli: [{ name: a, prompt: p, runs: 2, config: { runs: 3 }, graders: [{ type: completed }] }]\n",
    );
    await expect(loadSpec(folder.file, { registry })).rejects.toThrow(/1:42: .*unknown key "config"/);
  });

  it("builds a usable dataset from unchecked test cases: their trials are unscored", async () => {
    using folder = createSpecFolder("stimuli: [{ name: s, prompt: p }]\n");
    const dataset = await toDataset(await loadSpec(folder.file, { registry }), registry);
    const [evaluator] = dataset.evaluators ?? [];
    const [example] = dataset.examples;
    if (evaluator === undefined || example === undefined) throw new Error("There is nothing to score.");
    evaluator.checkExample?.(example);
    expect(await evaluator.score(example, { response: "x" })).toMatchObject({
      unscored: { verdict: expect.any(String) },
    });
    expect(dataset.notes).toEqual([
      `${folder.file}: test case "s": neither graders nor constraints: the trials are unscored`,
    ]);
  });

  it("follows no link out of the common folder", async () => {
    using outside = createSpecFolder("", { "secret.txt": "x" });
    using folder = createSpecFolder(
      "environment: { files: [{ src: app, dest: . }] }\nstimuli: [{ name: s, prompt: p, graders: [{ type: completed }] }]\n",
      { "app/a.js": "1" },
    );
    symlinkSync(join(outside.path, "secret.txt"), join(folder.path, "app/link.txt"));
    const spec = await loadSpec(folder.file, { registry });
    await expect(toDataset(spec, registry)).rejects.toThrow(/test case "s": .*is a link to a target outside/);
  });
});
