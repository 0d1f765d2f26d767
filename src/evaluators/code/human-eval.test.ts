import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScoredWithEvidence, Scores } from "../../core/evaluator.js";
import { lacksIsolation } from "../../testing/isolation.js";
import { CodeExecution } from "../code-execution.js";

interface Problem {
  task_id: string;
  prompt: string;
  entry_point: string;
  canonical_solution: string;
  test: string;
}

const PATH = fileURLToPath(new URL("../../../../shared/data/HumanEval.jsonl.gz", import.meta.url));
const PATIENCE = 240_000;

function problems(): Problem[] {
  if (!existsSync(PATH)) {
    console.warn(`skipped: ${PATH} is not there`);
    return [];
  }
  const lines = gunzipSync(readFileSync(PATH)).toString("utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Problem);
}

const PROBLEMS = problems();

describe.skipIf(PROBLEMS.length === 0 || (await lacksIsolation()))("HumanEval", () => {
  let evaluator: CodeExecution;
  beforeAll(() => {
    evaluator = new CodeExecution();
  });
  afterAll(() => evaluator?.close());

  /** The ids of the problems that a kind of response solves, and the reasons for failures. */
  async function solved(kind: (problem: Problem) => string, some: readonly Problem[] = PROBLEMS) {
    const outcomes = await Promise.all(
      some.map(async (problem) => {
        const scored = await evaluator.score({ id: problem.task_id, ...problem }, { response: kind(problem) });
        const { scores, evidence } =
          "scores" in scored ? (scored as ScoredWithEvidence) : { scores: scored as Scores, evidence: {} };
        return { id: problem.task_id, score: scores.pass_at_1, reason: evidence?.pass_at_1 };
      }),
    );
    return { passed: outcomes.filter(({ score }) => score === 1), failed: outcomes.filter(({ score }) => score !== 1) };
  }

  it("passes all canonical solutions unchanged", { timeout: PATIENCE }, async () => {
    const { passed, failed } = await solved(({ canonical_solution: solution }) => solution);
    expect(failed).toEqual([]);
    expect(passed).toHaveLength(164);
  });

  it("passes all canonical solutions as whole functions in prose", { timeout: PATIENCE }, async () => {
    const { passed, failed } = await solved(({ prompt, canonical_solution: solution }) => {
      return `Certainly! Here is the function:\n\n\`\`\`python\n${prompt}${solution}\`\`\`\n\nIt does what is asked.`;
    });
    expect(failed).toEqual([]);
    expect(passed).toHaveLength(164);
  });

  it("fails all empty bodies", { timeout: PATIENCE }, async () => {
    const { passed, failed } = await solved(() => "    pass\n");
    expect(passed).toEqual([]);
    expect(failed).toHaveLength(164);
  });

  it("reads solutions that were trimmed, use tabs, or lack their prompt", { timeout: PATIENCE }, async () => {
    const some = PROBLEMS.filter((_, index) => index % 20 === 0);
    const tabs = (text: string) => text.replace(/^(?: {4})+/gm, (spaces) => "\t".repeat(spaces.length / 4));
    expect((await solved(({ canonical_solution: solution }) => solution.trim(), some)).failed).toEqual([]);
    expect((await solved(({ canonical_solution: solution }) => tabs(solution), some)).failed).toEqual([]);
    const bare = ({ prompt, entry_point: name, canonical_solution: solution }: Problem) => {
      const signature = prompt.split("\n").find((line) => line.startsWith(`def ${name}`));
      return `\`\`\`python\r\n${`${signature}\n${solution}`.replaceAll("\n", "\r\n")}\`\`\``;
    };
    expect((await solved(bare, some)).failed).toEqual([]);
  });

  it("fails programs that end early, kill, patch, or claim to have passed", { timeout: PATIENCE }, async () => {
    const some = PROBLEMS.filter((_, index) => index % 41 === 0);
    const cheats = [
      "import os; os._exit(0)",
      "import sys; sys.exit()",
      "import os; os.kill(os.getppid(), 9)",
      "import builtins\n    builtins.check = lambda c: None\n    print('passed')",
      "return type('Yes', (), {'__eq__': lambda *a: True, '__hash__': None})()",
    ];
    for (const cheat of cheats) expect((await solved(() => `    ${cheat}\n`, some)).passed).toEqual([]);
  });
});
