import { describe, expect, it } from "vitest";
import type { Evaluator } from "../core/evaluator.js";
import type { System } from "../core/system.js";
import { evaluate } from "../evaluate.js";
import { resolveUntil, type UntilOptions } from "../metrics/sequential/question.js";
import { makePlan, type Plan } from "../runner/plan.js";
import { ConfidenceSequence, createRandom } from "../stats/index.js";
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

  const tell = async (plan: Promise<Plan>, config: { margin?: number } = {}, asked?: UntilOptions) => {
    const made = await plan;
    const names = made.systems.map(({ name }) => name);
    const until = asked === undefined ? null : resolveUntil({ ...config, ...asked }, names);
    return describePlanHeadroom(made, { until, config: { ...config, runsDir } });
  };

  it("is missing if all tasks cannot show the margin", async () => {
    expect(await tell(makePlanOf(100), { margin: 0.05 })).toEqual([
      "all 100 tasks can tell a loss of 0.166 at 80 % power, not the margin of 0.05 that is asked for: about 1100 tasks could, or more trials of each",
    ]);
    expect(await tell(makePlanOf(100), { margin: 0.2 })).toEqual([]);
    expect(await tell(makePlanOf(1100), { margin: 0.05 })).toEqual([]);
    // Looking early takes half of the error of the test of all tasks.
    expect(await tell(makePlanOf(100), { margin: 0.18 }, { question: "decided" })).toEqual([
      expect.stringContaining("all 100 tasks can tell a loss of 0.187 at 80 % power, not the margin of 0.18"),
    ]);
    const sure = { question: "decided", confidence: 0.99 };
    expect((await tell(makePlanOf(100), { margin: 0.2 }, sure))[0]).toContain("a loss of 0.228");
    expect(await tell(makePlanOf(100), { margin: 0.01 }, { ...sure, population: "dataset" })).toEqual([]);
  });

  it("is missing if the interval that holds at any time cannot be as narrow after all tasks", async () => {
    const alone = () => makePlanOf(50, [makeSystem("old", 0)]);
    const [told = ""] = await tell(alone(), {}, { question: "precision<=0.05" });
    const [, least, enough] =
      /to about ±(\S+) at any time, not to the ±0\.05 .*about (\d+) tasks could/.exec(told) ?? [];
    const random = createRandom(1);
    const sequence = new ConfidenceSequence({ horizon: 50 });
    for (let i = 0; i < 50; i++) sequence.add(random.int(2));
    const { low, high } = sequence.interval;
    expect(Number(least) / ((high - low) / 2)).toBeCloseTo(1, 0.8);
    expect(Number(least)).toBeGreaterThan(0.16);
    // As many tasks are enough, and the next question has nothing to add.
    const more = makePlanOf(Number(enough), [makeSystem("old", 0)]);
    expect(await tell(more, {}, { question: "precision<=0.055" })).toEqual([]);
    expect(await tell(alone(), {}, { question: "precision<=0.25" })).toEqual([]);
    expect(await tell(alone(), {}, { question: "pass_rate>=0.9" })).toEqual([]);
    expect(await tell(alone(), {}, { question: "precision<=0.05", population: "dataset" })).toEqual([]);
  });

  it("is told before a run spends anything", async () => {
    const notes: string[] = [];
    await evaluate({
      systems: [makeSystem("old", 3)],
      dataset: makeExamples(5),
      evaluators: [EXACT],
      until: "precision<=0.05",
      onNote: (note) => notes.push(note),
    });
    expect(notes).toEqual([expect.stringMatching(/^all 5 tasks tell a pass rate of one half to about ±/)]);
  });

  it("is what the latest run of the first system on the same dataset had", async () => {
    const space = new TempProject();
    const stored = space.path("runs");
    const store = (title: string, systems: System[]) =>
      evaluate({ title, systems, dataset: makeExamples(30), evaluators: [EXACT], runsDir: stored });
    await store("low", [makeSystem("old", 3)]);
    await store("high", [makeSystem("old", 29), makeSystem("new", 2)]);
    await store("other", [makeSystem("new", 30)]);
    const told = describePlanHeadroom(await makePlanOf(30), { until: null, config: { runsDir: stored } });
    expect(told).toHaveLength(2);
    expect(told[0]).toMatch(/^in \S+-high, old passes 96 %: a better system can hardly show it/);
    expect(told[1]).toMatch(/^in \S+-high, tone is 0\.5 in all 60 scored trials/);
    const report = await captureOutput(() => executeReport("high", { runsDir: stored, output: "json" }));
    expect(JSON.parse(report.stdout).notes).toEqual(told.map((words) => words.replace(/^in \S+, /, "")));
    const third = await makePlanOf(30, [makeSystem("third", 1)]);
    expect(describePlanHeadroom(third, { until: null, config: { runsDir: stored } })).toEqual([]);
  });
});
