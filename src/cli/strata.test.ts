import { describe, expect, it } from "vitest";
import { makeDataset } from "../core/dataset.js";
import type { Evaluator } from "../core/evaluator.js";
import type { System } from "../core/system.js";
import { evaluate } from "../evaluate.js";
import { createRandom } from "../stats/random.js";
import { captureOutput } from "../testing/capture-output.js";
import { TempProject } from "../testing/temp-project.js";
import { executeCompare } from "./compare.js";
import { executeReport } from "./report.js";

const EXACT: Evaluator = {
  name: "exact",
  fields: ["em"],
  score: ({ answer }, { response }) => ({ em: response === answer ? 1 : 0 }),
};

const SUBJECTS = { math: 0.1, law: 0.5, art: 0.95 };
const NAMES = Object.keys(SUBJECTS) as (keyof typeof SUBJECTS)[];
const EXAMPLES = Array.from({ length: 90 }, (_, id) => ({
  id,
  question: `${id}?`,
  answer: `${id}`,
  subject: NAMES[id % 3] ?? "math",
  pair: id >> 1,
}));

/** Good at some subjects. `only` is the subject at which it is better. */
function makeSystem(name: string, only?: string): System {
  return {
    name,
    process: ({ id, answer = "", subject }) => {
      const rate = SUBJECTS[subject as keyof typeof SUBJECTS] ?? 0;
      const isRight = createRandom(`${name} ${id}`).next() < (subject === only ? 1 : rate);
      return { response: isRight ? answer : "no idea" };
    },
  };
}

async function store(groupBy?: string): Promise<string> {
  const runsDir = new TempProject().path("runs");
  const systems = [makeSystem("old"), makeSystem("new", "math")];
  const dataset = makeDataset({
    ...{ name: "qa", examples: EXAMPLES, evaluators: [EXACT], facets: ["subject"] },
    ...(groupBy === undefined ? {} : { groupBy }),
  });
  await evaluate({ systems, dataset, evaluators: [EXACT], runsDir });
  return runsDir;
}

const report = (runsDir: string, strata: string, output = "json") =>
  captureOutput(() => executeReport("latest", { runsDir, strata, output }));

describe("--strata", () => {
  it("keeps the value and narrows the interval of a report, for the same mix of subjects", async () => {
    const runsDir = await store();
    const { strata, summary } = JSON.parse((await report(runsDir, "subject")).stdout);
    expect(strata).toMatchObject({ facet: "subject", systems: [{ system: "old", reason: null }, { system: "new" }] });
    const [{ plain, stratified, narrower, strata: parts }] = strata.systems;
    expect(stratified.value).toBeCloseTo(summary.old.pass_rate, 12);
    expect(plain.value).toBeCloseTo(summary.old.pass_rate, 12);
    expect(narrower).toBeGreaterThan(0.2);
    expect(stratified.high - stratified.low).toBeCloseTo((1 - narrower) * (plain.high - plain.low), 12);
    expect(parts.map(({ value, tasks }: { value: string; tasks: number }) => [value, tasks])).toEqual([
      ["math", 30],
      ["law", 30],
      ["art", 30],
    ]);
    const { stdout } = await report(runsDir, "subject", "table");
    expect(stdout).toContain("## By subject");
    expect(stdout).toMatch(/\| old +\| pass rate .* % narrower \|/);
    expect(stdout).toContain("- for tasks in the same mix of 3 values of subject as the 90 of the run\n");
  });

  it("narrows differences", async () => {
    const runsDir = await store();
    const { stdout } = await captureOutput(() =>
      executeCompare({
        ...{ a: "latest", systemA: "old", systemB: "new", seed: 0, output: "json", runsDir },
        strata: "subject",
      }),
    );
    const { strata, comparisons } = JSON.parse(stdout);
    const [found] = strata.systems;
    expect(found.system).toBe("new − old");
    expect(found.stratified.value).toBeCloseTo(comparisons[0].metrics[0].difference, 12);
    expect(found.narrower).toBeGreaterThan(0.05);
  });

  it("says what it cannot do", async () => {
    const runsDir = await store();
    await expect(report(runsDir, "subjct")).rejects.toThrow('No task has the facet "subjct". Did you mean "subject"?');
    const grouped = await store("pair");
    expect((await report(grouped, "subject", "table")).stdout).toContain(
      "- old, pass rate: not stratified: its tasks belong to groups, which are the independent units",
    );
  });
});
