import type { Command } from "commander";
import type { SetExitCode } from "../program.js";
import { DEFAULT_RUNS_DIR } from "../run-config.js";
import type { ShowFlags } from "../show.js";

const EXAMPLES = `
Examples:
  assay show                                         the trials of the latest run
  assay show latest --outcome fail
  assay show 20261115-213334-fixes add-tests
  assay show latest 'add-tests#2' --system claude --full
  assay show latest add-tests --output json`;

export function addShowCommand(program: Command, done: SetExitCode): void {
  program
    .command("show")
    .description("show a stored trial: its result and why, and an agent's work event by event; runs nothing")
    .argument("[run]", "a run folder or id, 'latest', a tag or a title (default: the latest)")
    .argument("[trial]", "an example id, or ID#N for its trial N, counted from 0 (default: list all trials)")
    .option("--system <name>", "only trials of this system")
    .option("--dataset <name>", "only trials on this dataset")
    .option("--outcome <name>", "only trials with this outcome: pass, fail, error, unscored, skipped")
    .option("--all", "list every trial, not only the first 50")
    .option("--full", "do not shorten texts")
    .option("--output <name>", "print text or json", "text")
    .option("--runs-dir <dir>", "read run folders from here", DEFAULT_RUNS_DIR)
    .allowExcessArguments(false)
    .addHelpText("after", EXAMPLES)
    .action(async (run: string | undefined, trial: string | undefined, options: ShowFlags) => {
      const { executeShow } = await import("../show.js");
      const named = { ...(run === undefined ? {} : { run }), ...(trial === undefined ? {} : { trial }) };
      done(await executeShow({ ...options, ...named }));
    });
}
