import { mkdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { UsageError } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { System } from "../core/system.js";
import { type EvaluateOptions, evaluate } from "../evaluate.js";
import { createRandom } from "../stats/random.js";
import { captureOutput } from "../testing/capture-output.js";
import { TempProject } from "../testing/temp-project.js";
import { executeCompare } from "./compare.js";
import { executeQuarantine } from "./quarantine.js";
import { executeReport, type ReportFlags } from "./report.js";

const EXACT: Evaluator = {
  name: "exact",
  fields: ["em"],
  score: ({ answer }, { response }) => ({ em: response === answer ? 1 : 0 }),
};

const EXAMPLES: Example[] = Array.from({ length: 300 }, (_, i) => ({ id: i, question: `${i}?`, answer: `${i}` }));
/** Every third example, in no order that difficulty follows. */
const SAMPLE = EXAMPLES.filter((_, i) => i % 5 === 2);

/** Some examples are easy for every system, others hard. */
function makeSystem(name: string): System {
  return {
    name,
    process: ({ id, answer = "" }) => {
      const isEasy = createRandom(`task ${id}`).next() < 0.5;
      const isRight = createRandom(`${name} ${id}`).next() < (isEasy ? 0.92 : 0.12);
      return { response: isRight ? answer : "no idea" };
    },
  };
}

type Run = Partial<Omit<EvaluateOptions, "title">> & { title: string };

/** A stored run of 300 examples, and one of sixty of them, and others. */
async function store(...others: Run[]): Promise<{ runsDir: string; dirs: Record<string, string> }> {
  const runsDir = new TempProject().path("runs");
  mkdirSync(runsDir);
  const dirs: Record<string, string> = {};
  const runs: Run[] = [
    { title: "all", systems: [makeSystem("old"), makeSystem("other")] },
    { title: "few", systems: [makeSystem("new")], dataset: SAMPLE },
    ...others,
  ];
  for (const run of runs) {
    const { runDir } = await evaluate({ systems: [], dataset: EXAMPLES, evaluators: [EXACT], runsDir, ...run });
    dirs[run.title] = runDir ?? "";
  }
  return { runsDir, dirs };
}

const report = (run: string, flags: ReportFlags) => captureOutput(() => executeReport(run, flags));
const compare = (a: string, b: string, flags: { runsDir: string; output: string }) =>
  captureOutput(() => executeCompare({ a, b, systemA: "old", seed: 0, useHistory: true, ...flags }));

describe("--use-history", () => {
  it("narrows the interval of a report, and says how much and from which runs", async () => {
    const { runsDir, dirs } = await store();
    const json = await report("few", { runsDir, useHistory: true, output: "json" });
    const { history } = JSON.parse(json.stdout);
    expect(history).toMatchObject({
      systems: [{ system: "new", dataset: "", metric: "pass_rate", tasks: 60, matched: 60, frame: 300, reason: null }],
      notes: [],
    });
    const [{ plain, adjusted, narrower, worthTasks, runs }] = history.systems;
    expect(adjusted.high - adjusted.low).toBeLessThan(0.9 * (plain.high - plain.low));
    expect(narrower).toBeCloseTo(1 - (adjusted.high - adjusted.low) / (plain.high - plain.low), 10);
    expect(worthTasks).toBeGreaterThan(70);
    expect(dirs.all).toContain(runs[0]);

    const { stdout } = await report("few", { runsDir, useHistory: ["all"], output: "table" });
    expect(stdout).toContain("## Narrowed by history");
    expect(stdout).toMatch(
      new RegExp(
        `- new, pass rate: interval ${Math.round(narrower * 100)} % narrower, as ${Math.round(worthTasks)} tasks without history would be; 60 of its 60 tasks are among the 300 of \\S+-all\\n`,
      ),
    );
    expect((await report("few", { runsDir, output: "json" })).stdout).not.toContain("narrower");
  });

  it("narrows the difference to a system that was run on more tasks by its own results there", async () => {
    const { runsDir } = await store();
    const { stdout } = await compare("all", "few", { runsDir, output: "json" });
    const [found] = JSON.parse(stdout).history.systems;
    expect(found).toMatchObject({ system: "new − old", tasks: 60, matched: 60, frame: 300, reason: null });
    expect(found.narrower).toBeGreaterThan(0.02);
    const table = await compare("all", "few", { runsDir, output: "markdown" });
    expect(table.stdout).toContain("## Narrowed by history");
  });

  it("counts no trials that were put aside", async () => {
    const { runsDir } = await store();
    const ids = EXAMPLES.slice(0, 50).map(({ id }) => String(id));
    await captureOutput(() => executeQuarantine("all", ids, { runsDir, reason: 'it\'s "wrong"' }));
    const { stdout } = await report("few", { runsDir, useHistory: true, output: "json" });
    expect(JSON.parse(stdout).history.systems[0]).toMatchObject({ matched: 50, frame: 250 });
  });

  it("says what is missing", async () => {
    const { runsDir } = await store(
      {
        title: "same ids",
        systems: [makeSystem("old")],
        dataset: EXAMPLES.map((one) => ({ ...one, question: "Why?" })),
      },
      { title: "alone", systems: [makeSystem("old")], dataset: EXAMPLES.map((one) => ({ ...one, dataset: "b" })) },
    );
    const tell = async (run: string, useHistory: string[] | true) =>
      (await report(run, { runsDir, useHistory })).stdout;
    expect(await tell("alone", true)).toContain(
      "- old, pass rate: not narrowed: no other stored run has scored trials on b",
    );
    expect(await tell("few", ["same ids"])).toContain(
      "left out of the history: 1 stored run in which the same ids are other questions",
    );
    expect(await tell("all", ["few"])).toContain("no stored run has many more tasks of the dataset than the 300");
  });

  it("refuses runs whose tasks are no random sample", async () => {
    const { runsDir, dirs } = await store(
      {
        title: "first",
        systems: [makeSystem("new")],
        dataset: SAMPLE,
        invocation: { flags: { head: true, maxExamples: 9 } },
      },
      { title: "some", systems: [makeSystem("new")], dataset: SAMPLE, invocation: { flags: { filter: { a: "b" } } } },
      { title: "early", systems: [makeSystem("new"), makeSystem("old")], dataset: SAMPLE, until: "decided" },
    );
    const refuse = (run: string, useHistory: string[] | true = true) => report(run, { runsDir, useHistory });
    await expect(refuse("first")).rejects.toThrow(/has the first examples of its dataset \(--head\)/);
    await expect(refuse("early")).rejects.toThrow(/was run with --until.* Remove --use-history/);
    await expect(refuse("few", ["few"])).rejects.toThrow(UsageError);
    await expect(refuse("few", ["few"])).rejects.toThrow(/names only the run itself: few/);
    await expect(refuse("few", ["nothing"])).rejects.toThrow(/There is no run folder nothing/);
    const { stdout } = await report("some", { runsDir, useHistory: [dirs.all ?? ""] });
    expect(stdout).toContain("left out of the history: 1 stored run with another --filter");
  });
});
