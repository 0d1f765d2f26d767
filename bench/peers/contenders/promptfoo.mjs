import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { overlap } from "../../work.mjs";
import { sqliteRow } from "./outcome.mjs";
import { flagsOf, writeProject } from "./project.mjs";

const ENTRY = "node_modules/promptfoo/dist/src/entrypoint.js";
const QUIETLY = ["--no-table", "--no-progress-bar"];

/**
 * A failing test would otherwise be the exit code, it would look for news and report its use, and every run would write
 * log files, which cost time and which it sometimes trips over as it ends.
 */
const ENV = {
  PROMPTFOO_DISABLE_DEBUG_LOG: "1",
  PROMPTFOO_DISABLE_ERROR_LOG: "1",
  PROMPTFOO_FAILED_TEST_EXIT_CODE: "0",
  PROMPTFOO_DISABLE_TELEMETRY: "1",
  PROMPTFOO_DISABLE_UPDATE: "1",
  PROMPTFOO_DISABLE_REMOTE_GENERATION: "true",
  OPENAI_API_KEY: "none",
};

const homeOf = (dir) => join(dir, "home");
const databaseOf = (dir) => join(homeOf(dir), "promptfoo.db");

function configOf({ dir, url }) {
  const model = { id: "openai:chat:m", config: { apiBaseUrl: url } };
  return {
    prompts: ["{{question}}"],
    providers: [url === undefined ? "echo" : model],
    defaultTest: {
      assert: [
        { type: "equals", value: "{{answer}}" },
        {
          type: "javascript",
          value: `const overlap = ${overlap.toString()};\nreturn overlap(output, context.vars.answer);`,
        },
      ],
    },
    tests: `file://${join(dir, "tests.jsonl")}`,
  };
}

function testsOf(data) {
  const lines = readFileSync(data, "utf8").split("\n");
  const tests = lines.filter((line) => line !== "").map((line) => JSON.parse(line));
  return tests.map(({ question, answer }) => JSON.stringify({ vars: { question, answer } })).join("\n");
}

function evaluation(trial, more) {
  const { install, dir, data } = trial;
  mkdirSync(homeOf(dir), { recursive: true });
  writeProject(dir, { "config.json": JSON.stringify(configOf(trial)), "tests.jsonl": testsOf(data) });
  return {
    args: [join(install, ENTRY), "eval", ...more, ...QUIETLY],
    env: { ...ENV, PROMPTFOO_CONFIG_DIR: homeOf(dir) },
    results: [databaseOf(dir), `${databaseOf(dir)}-wal`],
  };
}

const started = ({ dir, workers }) => ["-c", join(dir, "config.json"), "-j", String(workers), "--no-share"];

const cached = (trial) => evaluation(trial, started(trial));

function onDisk({ install, dir }) {
  const latest = "(select id from evals order by created_at desc limit 1)";
  const sql = `select count(*) as rows, coalesce(sum(success), 0) as passes from eval_results where eval_id = ${latest}`;
  return sqliteRow({ install, driver: "libsql", file: databaseOf(dir), sql });
}

export const promptfoo = {
  name: "promptfoo",
  role: "command",
  packages: ["promptfoo@0.121.20"],
  pinned: "the last that runs on Node 20; 0.122 and later need Node 22.22",
  stores: "every result, in SQLite, while it runs",
  notes: "Its own provider, `equals` and a JavaScript assertion; telemetry, updates, sharing and log files are off.",
  startup: (install) => ({ ...flagsOf(join(install, ENTRY)), imports: ["promptfoo"], env: ENV }),
  echo: (trial) => evaluation(trial, [...started(trial), "--no-cache"]),
  requests: (trial) => evaluation(trial, [...started(trial), "--no-cache"]),
  outcome: onDisk,
  onDisk,
  goesOn: { by: "`--resume` and its disk cache", first: cached, command: (trial) => evaluation(trial, ["--resume"]) },
  cache: { by: "its disk cache, on by default", command: cached },
};
