import { existsSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Mock, startMock } from "../src/testing/mock/index.js";
import { type FinishedCommand, parseReport, runAssay, startAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const QUESTIONS = Array.from({ length: 12 }, (_, i) => ({ id: i, question: `question ${i}?`, answer: "Paris" }));

/** Grades at once if there is a file "go"; before that, it grades four and then waits to be stopped. */
const SLOW_JUDGE = `import { existsSync } from "node:fs";
  let graded = 0;
  export default { name: "slow_judge", fields: ["right"], async score(example, { response }, { signal }) {
    if (!existsSync("go") && ++graded > 4)
      await new Promise((_, reject) => {
        const alive = setInterval(() => {}, 1000);
        signal.addEventListener("abort", () => { clearInterval(alive); reject(signal.reason); });
      });
    return { right: response.includes("Paris") ? 1 : 0 };
  } };`;

const MODELS = `small:
  base_url: URL/v1
  pricing: { input_per_1k: 0.001, output_per_1k: 0.002 }
`;

async function bench(): Promise<{ space: TempProject; mock: Mock; args: string[] }> {
  const mock = await startMock({ reply: "It is Paris." });
  onTestFinished(() => mock.close());
  const models = MODELS.replace("URL", mock.url);
  const space = new TempProject({ "q.jsonl": QUESTIONS, "slow.mjs": SLOW_JUDGE, "models.yml": models });
  const args = ["--model", "small", "--dataset", "q.jsonl", "--evaluator", "./slow.mjs", "--max-workers", "3"];
  return { space, mock, args: [...args, "--output", "json"] };
}

function linesOf(space: TempProject, file: string): Record<string, unknown>[] {
  const [run] = space.runs();
  if (run === undefined || !existsSync(space.path(run, file))) return [];
  const whole = space.read(run, file).split("\n").slice(0, -1);
  return whole.map((line) => JSON.parse(line) as Record<string, unknown>);
}

const TIMES = /^(?:latency|durationMs|ttftMs|firstAttemptMs|tokensPerSec)$/;

const timeless = (finished: FinishedCommand) =>
  parseReport(finished).rows.map((row) => Object.entries(row).filter(([field]) => !TIMES.test(field)));

describe("a run that is stopped during grading", () => {
  it.each([
    ["SIGKILL", null],
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("by %s pays for each output once, and reports the same as an uninterrupted run", async (signal, code) => {
    const whole = await bench();
    whole.space.write("go", "");
    const uninterrupted = await runAssay(whole.space.dir, ...whole.args);

    const { space, mock, args } = await bench();
    const running = startAssay(space.dir, args);
    const stored = () => [linesOf(space, "rows.jsonl").length, linesOf(space, "outputs.jsonl").length];
    await expect.poll(stored).toEqual([4, 7]);
    running.child.kill(signal);
    expect((await running.finished).code).toBe(code);
    expect(mock.counts.requests).toBe(7);

    space.write("go", "");
    const resumed = await runAssay(space.dir, "--resume");
    expect(resumed.stderr).toContain("stored outputs that are graded now: 3");
    expect(resumed.code).toBe(0);
    expect(mock.counts.requests).toBe(QUESTIONS.length);
    expect(timeless(resumed)).toEqual(timeless(uninterrupted));
  });
});
