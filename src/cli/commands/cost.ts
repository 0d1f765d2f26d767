import type { Command } from "commander";
import type { CostFlags } from "../cost.js";
import type { SetExitCode } from "../program.js";
import { DEFAULT_RUNS_DIR } from "../run-config.js";

const EXAMPLES = `
Examples:
  assay cost                                         where the money of the latest run went
  assay cost latest --system claude
  assay cost 20261115-213334-fixes add-tests         all trials of one example
  assay cost latest 'add-tests#2' --output json
  assay cost latest --output markdown >> notes.md`;

export function addCostCommand(program: Command, done: SetExitCode): void {
  program
    .command("cost")
    .description(
      "show what a stored run paid for: by tool, step, class of tokens, retries and passing state; runs nothing",
    )
    .argument("[run]", "a run folder or id, 'latest', a tag or a title (default: the latest)")
    .argument("[example]", "an example id, or ID#N for its trial N, counted from 0 (default: all)")
    .option("--system <name>", "only this system")
    .option("--dataset <name>", "only trials on this dataset")
    .option("--output <name>", "print table, json or markdown", "table")
    .option("--runs-dir <dir>", "read run folders from here", DEFAULT_RUNS_DIR)
    .allowExcessArguments(false)
    .addHelpText("after", EXAMPLES)
    .action(async (run: string | undefined, example: string | undefined, options: CostFlags) => {
      const { executeCost } = await import("../cost.js");
      const named = { ...(run === undefined ? {} : { run }), ...(example === undefined ? {} : { example }) };
      done(await executeCost({ ...options, ...named }));
    });
}
