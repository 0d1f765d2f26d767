import { describe, expect, it } from "vitest";
import type { Evaluator } from "../core/evaluator.js";
import type { System } from "../core/system.js";
import { evaluate } from "../evaluate.js";
import { makePlan } from "../runner/plan.js";
import { captureOutput } from "../testing/capture-output.js";
import { TempProject } from "../testing/temp-project.js";
import { describePlanHeadroom } from "./plan-headroom.js";
import { executeReport } from "./report.js";

const EXACT: Evaluator = {
  name: "exact",
  fields: ["em", "tone"],
  score: ({ answer }, { response }) => ({ em: response === answer ? 1 : 0, tone: 0.5 }),
};

function makeSystem(name: string, knows: number): System {
  return { name, process: ({ id, answer = "" }) => ({ response: Number(id) < knows ? answer : "" }) };
}

const makeExamples = (n: number) => Array.from({ length: n }, (_, i) => ({ id: i, question: `${i}?`, answer: `${i}` }));

const makePlanOf = (n: number, systems = [makeSystem("old", 0), makeSystem("new", 0)], trials = 1) =>
  makePlan({ systems, datasets: [makeExamples(n)], evaluators: [EXACT], metrics: [], trials });

describe("headroom in --dry-run", () => {
  const runsDir = "no such folder";

  it("is missing if all tasks cannot show the margin", async () => {
    const told = await describePlanHeadroom(await makePlanOf(100), { margin: 0.05, runsDir });
    expect(told).toEqual([
      "all 100 tasks can tell a loss of 0.166 at 80 % power, not the margin of 0.05 that is asked for: about 1100 tasks could, or more trials of each",
    ]);
    expect(await describePlanHeadroom(await makePlanOf(100), { margin: 0.2, runsDir })).toEqual([]);
    expect(await describePlanHeadroom(await makePlanOf(1100), { margin: 0.05, runsDir })).toEqual([]);
  });

  it("is missing if all tasks cannot give the precision", async () => {
    const plan = await makePlanOf(50, [makeSystem("old", 0)]);
    expect(await describePlanHeadroom(plan, { until: "precision<=0.05", runsDir })).toEqual([
      "all 50 tasks tell a pass rate of one half to ±0.134, not to the ±0.05 that is asked for: about 357 tasks could",
    ]);
    expect(await describePlanHeadroom(plan, { until: "precision<=0.2", runsDir })).toEqual([]);
    expect(await describePlanHeadroom(plan, { until: "pass_rate>=0.9", runsDir })).toEqual([]);
  });

  it("is what the latest run of the first system on the same dataset had", async () => {
    const space = new TempProject();
    const stored = space.path("runs");
    const store = (title: string, systems: System[]) =>
      evaluate({ title, systems, dataset: makeExamples(30), evaluators: [EXACT], runsDir: stored });
    await store("low", [makeSystem("old", 3)]);
    await store("high", [makeSystem("old", 29), makeSystem("new", 2)]);
    await store("other", [makeSystem("new", 30)]);
    const told = await describePlanHeadroom(await makePlanOf(30), { runsDir: stored });
    expect(told).toHaveLength(2);
    expect(told[0]).toMatch(/^in \S+-high, old passes 96 %: a better system can hardly show it/);
    expect(told[1]).toMatch(/^in \S+-high, tone is 0\.5 in all 60 scored trials/);
    const report = await captureOutput(() => executeReport("high", { runsDir: stored, output: "json" }));
    expect(JSON.parse(report.stdout).notes).toEqual(told.map((words) => words.replace(/^in \S+, /, "")));
    expect(await describePlanHeadroom(await makePlanOf(30, [makeSystem("third", 1)]), { runsDir: stored })).toEqual([]);
  });
});
