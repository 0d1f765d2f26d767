import { join } from "node:path";
import { sqliteRow } from "./outcome.mjs";
import { flagsOf, projectEnv, TASK, writeProject } from "./project.mjs";

const ENTRY = "node_modules/evalite/dist/bin.js";

const EVAL = `
import { evalite } from "evalite";
import { answer, exact, examples, overlap } from ${TASK};

evalite("bench", {
  data: () => examples().map(({ question, answer }) => ({ input: question, expected: answer })),
  task: answer,
  scorers: [
    { name: "exact", scorer: ({ output, expected }) => exact(output, expected) },
    { name: "overlap", scorer: ({ output, expected }) => overlap(output, expected) },
  ],
});
`;

const configOf = (workers) => `
export default { maxConcurrency: ${workers}, testTimeout: 600_000, hideTable: true };
`;

/** Vitest leaves out everything below a folder called node_modules, where the cache folder may be. */
const VITEST = `
export default { test: { exclude: [] } };
`;

function evaluation(trial) {
  const { install, dir, workers } = trial;
  writeProject(dir, { "bench.eval.ts": EVAL, "evalite.config.ts": configOf(workers), "vitest.config.ts": VITEST });
  return {
    args: [join(install, ENTRY), "run", "bench.eval.ts"],
    env: projectEnv(trial),
    results: [join(dir, "node_modules", ".evalite")],
  };
}

function onDisk({ install, dir }) {
  const rows = `
    from results join evals on evals.id = results.eval_id
    where results.status = 'success' and evals.run_id = (select max(id) from runs)`;
  const exact = "select result_id from scores where name = 'exact' and score = 1";
  const sql = `select count(*) as rows, coalesce(sum(results.id in (${exact})), 0) as passes ${rows}`;
  return sqliteRow({ install, driver: "better-sqlite3", file: join(dir, "node_modules/.evalite/cache.sqlite"), sql });
}

export const evalite = {
  name: "evalite",
  role: "command",
  packages: ["evalite@0.19.0", "vitest@4.1.12"],
  pinned: "the newest that is not a beta",
  stores: "every result, in SQLite, while it runs",
  notes: "Its table is off. Each result makes it look at all that came before.",
  startup: (install) => flagsOf(join(install, ENTRY)),
  echo: evaluation,
  requests: evaluation,
  outcome: onDisk,
  onDisk,
};
