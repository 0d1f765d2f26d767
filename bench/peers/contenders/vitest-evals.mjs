import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { countRows } from "./outcome.mjs";
import { flagsOf, projectEnv, TASK, writeProject } from "./project.mjs";

const ENTRY = "node_modules/vitest/vitest.mjs";
const RESULTS = "results.json";

const EVAL = `
import { createHarness, createJudge, describeEval } from "vitest-evals";
import { answer, exact, examples, overlap } from ${TASK};

const said = (role, content) => ({ type: "message", role, content });
const harness = createHarness({
  name: "echo",
  async run({ input }) {
    const output = await answer(input.question);
    return { output, events: [said("user", input.question), said("assistant", output)], usage: {} };
  },
});
const judge = (name, score) => createJudge(name, async ({ input, output }) => ({ score: score(output, input.answer) }));

describeEval("bench", { harness, judges: [judge("exact", exact), judge("overlap", overlap)], judgeThreshold: null }, (it) => {
  for (const example of examples()) it.concurrent(example.id, ({ run }) => run(example));
});
`;

/** Threads are the faster of its pools. */
const configOf = (workers) => `
const test = { include: ["bench.eval.js"], exclude: [], pool: "threads", isolate: false, maxConcurrency: ${workers}, testTimeout: 600_000 };
export default { test };
`;

function evaluation(trial) {
  const { install, dir, workers } = trial;
  writeProject(dir, { "bench.eval.js": EVAL, "vitest.config.js": configOf(workers) });
  return {
    args: [join(install, ENTRY), "run", "--reporter=json", `--outputFile.json=${RESULTS}`],
    env: projectEnv(trial),
    results: [join(dir, RESULTS)],
  };
}

function onDisk({ dir }) {
  const file = join(dir, RESULTS);
  if (!existsSync(file)) return { rows: 0, passes: 0 };
  const tests = JSON.parse(readFileSync(file, "utf8")).testResults.flatMap(({ assertionResults }) => assertionResults);
  const scored = tests.filter(({ meta }) => meta.eval !== undefined);
  return countRows(scored, ({ meta }) => meta.eval.scores.find(({ name }) => name === "exact")?.score);
}

export const vitestEvals = {
  name: "vitest-evals",
  role: "command",
  packages: ["vitest-evals@0.16.1", "vitest@4.1.12"],
  pinned: "the newest",
  stores: "one JSON report, at the end",
  notes: "Tests of Vitest; the documented JSON report is what it keeps. Its report on the terminal is off.",
  startup: (install) => flagsOf(join(install, ENTRY)),
  echo: evaluation,
  requests: evaluation,
  outcome: onDisk,
  onDisk,
};
