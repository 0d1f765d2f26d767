import type { Command } from "commander";
import { parseCountFlag, parseListFlag } from "../flag-values.js";
import type { SetExitCode } from "../program.js";
import { DEFAULT_RUNS_DIR } from "../run-config.js";
import type { TasksFlags } from "../tasks.js";

const EXAMPLES = `
  saturated    every trial passed: the task tells systems apart no more
  dead         no trial passed: too hard, or its answer key is wrong
  noisy        the same system passes and fails at random, whatever its ability
  suspicious   weak systems pass and strong ones fail, more than by chance: check the answer key

Examples:
  assay tasks latest
  assay tasks baseline nightly 20261115-213334-gsm8k
  assay tasks latest --only suspicious,noisy -n 10
  assay tasks latest --output json | jq -r '.tasks[] | select(.flags[0] == "dead").exampleId'`;

export function addTasksCommand(program: Command, done: SetExitCode): void {
  program
    .command("tasks")
    .description("list tasks of stored runs that say little or look wrong; runs nothing")
    .argument("<runs...>", "run folders or ids, 'latest', tags or titles; trials of the same system count together")
    .option("--only <kinds>", "list only these: saturated, dead, noisy, suspicious", parseListFlag)
    .option("-n, --limit <count>", "list at most this many tasks (default: 30; json: all)", parseCountFlag)
    .option("--output <name>", "print table or json", "table")
    .option("--runs-dir <dir>", "read run folders from here", DEFAULT_RUNS_DIR)
    .addHelpText("after", EXAMPLES)
    .action(async (runs: string[], options: TasksFlags) => {
      const { executeTasks } = await import("../tasks.js");
      done(await executeTasks(runs, options));
    });
}
