import { join } from "node:path";
import { printedOutcome } from "./outcome.mjs";
import { flagsOf, projectEnv, TASK, writeProject } from "./project.mjs";

const PROGRAM = `
import { Eval } from "braintrust";
import { answer, exact, examples, overlap, printOutcome, workers } from ${TASK};

const reporter = { name: "none", reportEval: () => true, reportRun: () => true };
const nothing = () => {};
const progress = { start: nothing, stop: nothing, increment: nothing, setTotal: nothing };
const scorer = (name, score) => ({ output, expected }) => ({ name, score: score(output, expected) });
const { results } = await Eval(
  "bench",
  {
    data: () => examples().map(({ question, answer }) => ({ input: question, expected: answer })),
    task: answer,
    scores: [scorer("exact", exact), scorer("overlap", overlap)],
    maxConcurrency: workers,
  },
  { noSendLogs: true, enableCache: false, reporter, progress },
);
printOutcome(results.map(({ scores }) => scores.exact));
`;

function evaluation(trial) {
  writeProject(trial.dir, { "bench.mjs": PROGRAM });
  return { args: [join(trial.dir, "bench.mjs")], env: projectEnv(trial), results: [] };
}

export const braintrust = {
  name: "braintrust",
  role: "library",
  packages: ["braintrust@3.35.0", "zod@4.6.7"],
  pinned: "the newest",
  stores: null,
  notes:
    "`Eval()` with `noSendLogs`, without report and progress bar: it keeps results in memory alone, since they belong in its service.",
  startup: (install) => ({ ...flagsOf(join(install, "node_modules/braintrust/dist/cli.js")), imports: ["braintrust"] }),
  echo: evaluation,
  requests: evaluation,
  outcome: printedOutcome,
};
