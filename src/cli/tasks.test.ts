import { describe, expect, it } from "vitest";
import type { Evaluator } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { System } from "../core/system.js";
import { evaluate } from "../evaluate.js";
import { captureOutput } from "../testing/capture-output.js";
import { TempProject } from "../testing/temp-project.js";
import { executeQuarantine } from "./quarantine.js";
import { executeTasks, type TasksFlags } from "./tasks.js";

const EXACT: Evaluator = {
  name: "exact",
  fields: ["em"],
  score: ({ answer }, { response }) => ({ em: response === answer ? 1 : 0 }),
};
/** `q0` to `q9` are of rising difficulty. */
const GRADED = Array.from({ length: 10 }, (_, i) => `q${i}`);
const EXAMPLES: Example[] = [...GRADED, "easy", "hard", "swapped", "coin"].map((id) => ({
  id,
  question: id,
  answer: id,
}));

/** Passes the tasks up to its level; `swapped` only if it is weak, and `coin` in every second trial. */
function makeSystem(level: number): System {
  let tosses = 0;
  return {
    name: `level-${level}`,
    process: ({ id, answer = "" }) => {
      const isRight =
        id === "easy" ||
        (id === "swapped" && level < 5) ||
        (id === "coin" && tosses++ % 2 === 0) ||
        (/^q\d$/.test(String(id)) && Number(String(id).slice(1)) < level);
      return { response: isRight ? answer : "no idea" };
    },
  };
}

async function storeRuns(...runs: { levels: readonly number[]; trials: number }[]): Promise<string> {
  const runsDir = new TempProject().path("runs");
  for (const { levels, trials } of runs) {
    const systems = levels.map(makeSystem);
    await evaluate({
      systems,
      dataset: EXAMPLES,
      evaluators: [EXACT],
      trials,
      runsDir,
      title: levels.join(" "),
      maxWorkers: 1,
    });
  }
  return runsDir;
}

describe("assay tasks", () => {
  it("finds each kind of odd task in one run, and in the same trials of several runs", async () => {
    const levels = [1, 2, 3, 7, 8, 9];
    const runsDir = await storeRuns(
      { levels, trials: 4 },
      { levels: levels.slice(0, 3), trials: 4 },
      { levels: levels.slice(3), trials: 4 },
    );
    const list = async (runs: string[], flags: Partial<TasksFlags> = {}) => {
      const { stdout, code } = await captureOutput(() => executeTasks(runs, { output: "json", runsDir, ...flags }));
      expect(code).toBe(0);
      return JSON.parse(stdout);
    };
    const one = await list(["1 2 3 7 8 9"]);
    expect(one).toMatchObject({ schema: "assay.tasks/1", total: 14, notes: [] });
    const flags = Object.fromEntries(
      one.tasks.map(({ exampleId, flags }: { exampleId: string; flags: string[] }) => [exampleId, flags]),
    );
    expect(flags).toEqual({
      swapped: ["suspicious"],
      coin: ["noisy"],
      hard: ["dead"],
      q9: ["dead"],
      easy: ["saturated"],
      q0: ["saturated"],
    });
    expect(one.tasks[0]).toMatchObject({ exampleId: "swapped", passes: 12, trials: 24 });
    expect(one.tasks[0].negativeP).toBeLessThan(0.01);
    expect(one.tasks[0].systems[0]).toMatchObject({ passes: 4, trials: 4 });
    const abilities = one.systems.map(({ ability }: { ability: number }) => ability);
    expect(abilities).toEqual(abilities.toSorted((a: number, b: number) => a - b));

    const several = await list(["1 2 3", "7 8 9"]);
    expect(several.tasks.map(({ why: _, ...task }: { why: string }) => task)).toEqual(
      one.tasks.map(({ why: _, ...task }: { why: string }) => task),
    );

    const table = await captureOutput(() =>
      executeTasks(["1 2 3 7 8 9"], { output: "table", only: ["dead", "suspicious"], limit: 2, runsDir }),
    );
    expect(table.stdout).toMatch(/\| swapped \| suspicious \| +12 of 24 \| correlation with ability -?−?0\.\d+/);
    expect(table.stdout).toContain("1 more: list them with -n 3");
    expect(table.stdout).not.toContain("saturated");

    await captureOutput(() => executeQuarantine("1 2 3 7 8 9", ["swapped"], { runsDir, reason: "wrong key" }));
    const without = await list(["1 2 3 7 8 9"]);
    expect(without.total).toBe(13);
    expect(without.notes[0]).toContain('put aside, not counted: 24 of 336 trials (24 because "wrong key")');
  });

  it("says what is missing when there are too few trials, and rejects wrong flags", async () => {
    const runsDir = await storeRuns({ levels: [3], trials: 1 });
    const few = await captureOutput(() => executeTasks(["latest"], { output: "table", runsDir }));
    expect(few.code).toBe(3);
    expect(few.stdout).toContain("No task is flagged.");
    expect(few.stdout).toContain("noisy: not judged, which takes 3 systems with 2 trials each on a task");
    expect(few.stderr).toContain("Name more runs on the same tasks: assay tasks RUN RUN …");
    const wrong: [Partial<TasksFlags>, string][] = [
      [{ only: ["noisey"] }, '--only: unknown kind "noisey". Did you mean "noisy"?'],
      [{ output: "tabel" }, 'Unknown output format "tabel". Did you mean "table"?'],
    ];
    for (const [flags, message] of wrong)
      await expect(executeTasks(["latest"], { output: "table", runsDir, ...flags })).rejects.toThrow(message);
    await expect(executeTasks(["lattest"], { output: "table", runsDir })).rejects.toThrow("no run folder lattest");
  });
});
