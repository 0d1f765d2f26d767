import { expect, it } from "vitest";
import { makeRow } from "../../core/row.js";
import { standardMetrics } from "../../metrics/index.js";
import { makeConfig, makeManifest, makeTiming } from "../../testing/make-run.js";
import { buildExperimentReport } from "../experiment.js";
import { RunResult } from "../result.js";
import { createRunCard } from "./card-testing.js";
import { buildEvalsView, readGraderDetails } from "./evals-view.js";

const VARIANTS = ["without", "with"];

/** `with` passes both test cases, `without` only the first. */
const ROWS = VARIANTS.flatMap((system) =>
  ["first", "second"].flatMap((exampleId) =>
    [0, 1].map((trial) => {
      const passed = system === "with" || exampleId === "first";
      const scores = { verdict: Number(passed), weighted_score: passed ? 1 : 0.5, tests: Number(passed), style: 1 };
      const outcome = passed ? "pass" : "fail";
      return makeRow({
        system,
        dataset: `${system}/skill`,
        exampleId,
        trial,
        outcome,
        passed,
        scores,
        primaryField: "verdict",
      });
    }),
  ),
);

const CONFIG = makeConfig({
  systems: VARIANTS,
  datasets: VARIANTS.map((name) => ({
    ...{ name: `${name}/skill`, examples: 2, fingerprint: name, tags: [`${name}/skill`], evaluators: {} },
    ...{ primaryField: "verdict", terms: { systems: [name] } },
  })),
});

const RECORD = {
  ...{ name: "does-it-help", description: null, fingerprint: "f", baseline: "without", vary: [], stimuli: 2 },
  variants: VARIANTS.map((name) => ({ name, systems: [name], settings: {}, planned: { all: 4, here: 4 } })),
  order: [
    ["skill", "second"],
    ["skill", "first"],
  ],
  ...{ shard: null, notes: [] },
};

function build(experiment: unknown = RECORD, config = CONFIG) {
  const result = new RunResult({
    rows: ROWS,
    config,
    timing: makeTiming(),
    runDir: null,
    notes: [],
    metrics: standardMetrics(3, 2),
  });
  const manifest = makeManifest({ config, invocation: { command: "experiment", experiment } });
  return buildEvalsView({ result, manifest, card: createRunCard("r") });
}

it("has a line for each test case with a cell for each variant, in the order of the files", () => {
  const view = build();
  expect(view?.cases.map((line) => [line.eval, line.stimulus])).toEqual([
    ["skill", "second"],
    ["skill", "first"],
  ]);
  expect(view?.cases[0]?.cells.map(({ system, passRate, trials }) => [system, passRate, trials])).toEqual([
    ["without", 0, 2],
    ["with", 1, 2],
  ]);
});

it("has the report of the experiment", () => {
  const { lifts, stimuli } = buildExperimentReport(RECORD as never, ROWS);
  expect(build()?.experiment).toMatchObject({ lifts, stimuli });
});

it("lists the graders that fail most first", () => {
  expect(build()?.graders.map(({ grader, failed, ran }) => [grader, failed, ran])).toEqual([
    ["tests", 2, 8],
    ["style", 0, 8],
  ]);
});

it("is null for a run that is neither", () => {
  const config = { ...CONFIG, datasets: CONFIG.datasets.map(({ terms: _, ...dataset }) => dataset) };
  expect(build(RECORD, config)).not.toBeNull();
  expect(build(null, config)).toBeNull();
});

it("reads what a grader found from a failed trial", async () => {
  const grade = { name: "tests", type: "run-command", kind: "code", passed: false, evidence: "exit code 1" };
  const asked: unknown[] = [];
  const readOutput = async (_dir: string, { system, exampleId }: { system: string; exampleId: unknown }) => {
    asked.push([system, exampleId]);
    return { grades: [grade] } as never;
  };
  const details = await readGraderDetails({ rows: ROWS, runDir: "/r" }, { readOutput });
  expect(details.get("tests")).toEqual({ type: "run-command", kind: "code", evidence: "exit code 1" });
  expect(asked).toContainEqual(["without", "second"]);
});
