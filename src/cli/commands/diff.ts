import type { Command } from "commander";
import type { DiffFlags } from "../diff.js";
import type { SetExitCode } from "../program.js";
import { DEFAULT_RUNS_DIR } from "../run-config.js";

const EXAMPLES = `
Examples:
  assay diff latest add-tests#0 add-tests#1                two trials of one example
  assay diff latest claude:add-tests#0 codex:add-tests#0   two systems on one example
  assay diff before add-tests#0 --run-b after              the same trial in two runs
  assay diff latest add-tests#0 add-tests#1 --full --output json`;

export function addDiffCommand(program: Command, done: SetExitCode): void {
  program
    .command("diff")
    .description("align two stored trials step by step, with the first divergence and its cost; runs nothing")
    .argument("<run>", "a run folder or id, 'latest', a tag or a title")
    .argument("<a>", "a trial: ID#N, or SYSTEM:ID#N; an example id if it has one trial")
    .argument("[b]", "the trial to compare with it (default, with --run-b: the same)")
    .option("--run-b <run>", "take trial B from this run")
    .option("--full", "show every step, and whole texts")
    .option("--output <name>", "print table or json", "table")
    .option("--runs-dir <dir>", "read run folders from here", DEFAULT_RUNS_DIR)
    .allowExcessArguments(false)
    .addHelpText("after", EXAMPLES)
    .action(async (run: string, a: string, b: string | undefined, options: DiffFlags) => {
      const { executeDiff } = await import("../diff.js");
      done(await executeDiff({ ...options, run, a, ...(b === undefined ? {} : { b }) }));
    });
}
