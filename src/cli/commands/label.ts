import type { Command } from "commander";
import { collectValues, parseCountFlag, parseIntegerFlag } from "../flag-values.js";
import type { LabelFlags } from "../label.js";
import type { SetExitCode } from "../program.js";
import { DEFAULT_RUNS_DIR } from "../run-config.js";

const EXAMPLES = `
Trials are chosen at random, more of those whose verdict is doubtful, and all systems on the same examples. The system and
its verdict are hidden. Every label is stored at once in labels.jsonl of the run, so the command may end at any time.

Examples:
  assay label latest -n 60
  assay label latest                            go on
  assay label after --like before               label the same examples of another run, to compare both
  assay report latest --labels                  pass rates corrected by the labels
  assay compare before after --labels`;

export function addLabelCommand(program: Command, done: SetExitCode): void {
  program
    .command("label")
    .description("mark answers of a stored run right or wrong, blind, to correct what its judge says")
    .argument("<run>", "a run folder or id, 'latest', a tag or a title")
    .option("-n, --count <number>", "about how many trials to choose (default: 60)", parseCountFlag)
    .option("--system <name>", "only trials of this system; repeatable", collectValues)
    .option("--like <run>", "choose the same examples as in this run")
    .option("--labeler <name>", "who labels, written into each label")
    .option("--seed <number>", "seed of the choice", parseIntegerFlag, 0)
    .option("--runs-dir <dir>", "read run folders from here", DEFAULT_RUNS_DIR)
    .allowExcessArguments(false)
    .addHelpText("after", EXAMPLES)
    .action(async (run: string, options: LabelFlags) => {
      const { executeLabel } = await import("../label.js");
      done(await executeLabel(run, options));
    });
}
