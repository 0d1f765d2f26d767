import type { Command } from "commander";
import { parseCountFlag } from "../flag-values.js";
import type { SetExitCode } from "../program.js";
import type { QueryFlags } from "../query.js";
import { DEFAULT_RUNS_DIR } from "../run-config.js";

const EXAMPLES = `
Views: runs, rows, trials, usage, summary. assay query --schema lists their columns.

Examples:
  assay query --schema
  assay query "select run, status, cost_usd from runs order by created_at limit 9"
  assay query "select system, avg(score), sum(cost_usd) from rows group by system" --output csv
  assay query "select question, response from trials where outcome = 'fail'" --output jsonl
  assay query --file trend.sql --output json
  echo "from summary where metric = 'pass_rate'" | assay query -`;

export function addQueryCommand(program: Command, done: SetExitCode): void {
  program
    .command("query")
    .description("query all stored runs with SQL; reads only")
    .argument("[statement]", "one read-only statement, or - for stdin (default: list the views)")
    .option("--schema", "list the views and their columns")
    .option("--file <path>", "read the statement from a file")
    .option("--output <name>", "print table, json, csv or jsonl", "table")
    .option("--limit <count>", "print at most this many lines of the table (default: 100)", parseCountFlag)
    .option("--runs-dir <dir>", "read run folders from here", DEFAULT_RUNS_DIR)
    .allowExcessArguments(false)
    .addHelpText("after", EXAMPLES)
    .action(async (statement: string | undefined, options: QueryFlags) => {
      const { executeQuery } = await import("../query.js");
      done(await executeQuery({ ...options, ...(statement === undefined ? {} : { statement }) }));
    });
}
