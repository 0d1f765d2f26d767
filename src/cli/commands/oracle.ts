import type { Command } from "commander";
import { collectValues, parseCountFlag } from "../flag-values.js";
import type { OracleFlags } from "../oracle.js";
import type { SetExitCode } from "../program.js";
import { BOX_SETTINGS } from "../run-settings.js";
import { addSettings } from "../shared-flags.js";
import { TRUST_FLAG } from "../trust.js";

const EXAMPLES = `
Examples:
  assay oracle                                       the eval files of assay.config.*, or below this folder
  assay oracle -e eval.yaml
  assay oracle -e skills/ --strict                   fail, too, if no grader notices a missing line
  assay oracle -e eval.yaml --stimulus fix-add --max-omissions 500
  assay oracle -e eval.yaml --output json > oracle.json
  assay oracle -e eval.yaml --isolation box          run its commands in a box
  assay oracle -e eval.yaml --isolation container:podman   run them in containers of its image
  assay oracle --dataset harbor:tasks --isolation container:podman   run the solutions of task folders of Harbor

Exit codes: 0 every golden state passes and every untouched one fails, 1 otherwise, 2 wrong usage or configuration,
3 nothing could be checked or a folder could not be set up, 130 interrupted.`;

/** Option names as commander parses them: repeatable flags are singular. */
interface OracleCommandOptions extends Omit<OracleFlags, "evals" | "stimuli" | "plugins"> {
  eval?: string[];
  stimulus?: string[];
  plugin?: string[];
}

export function addOracleCommand(program: Command, done: SetExitCode): void {
  const command = program
    .command("oracle")
    .description(
      "check graders against golden patches: solved passes, untouched fails, each missing line is noticed; starts no agent",
    )
    .option(
      "-e, --eval <file...>",
      "check this eval file, folder or pattern; repeatable (default: those of assay.config.*, else this folder)",
    )
    .option("--dataset <spec>", "check task folders of Harbor instead: harbor:DIR; their solution/solve.sh is run")
    .option("--stimulus <name>", "check only this test case; repeatable", collectValues)
    .option(
      "--max-omissions <count>",
      "leave out up to this many lines of each golden patch, one at a time (default: 50)",
      parseNonNegativeInteger,
    )
    .option("--workers <count>", "grade this many folders at a time (default: 2)", parseCountFlag)
    .option("--strict", "exit 1 if a line can be left out and no grader notices")
    .option("--output <name>", "print table or json", "table")
    .option(
      "--config <file>",
      "read plugins and shared environments from this file (default: assay.config.* if present)",
    )
    .option(
      "--plugin <file>",
      "load a module that exports register(registry), for your own graders; repeatable",
      collectValues,
    )
    .option(...TRUST_FLAG)
    .option("--quiet", "print no progress");
  addSettings(command, BOX_SETTINGS)
    .allowExcessArguments(false)
    .addHelpText("after", EXAMPLES)
    .action(async ({ eval: evals, stimulus, plugin, ...flags }: OracleCommandOptions) => {
      const { executeOracle } = await import("../oracle.js");
      done(await executeOracle({ ...flags, evals: evals ?? [], stimuli: stimulus ?? [], plugins: plugin ?? [] }));
    });
}

function parseNonNegativeInteger(value: string): number {
  return value.trim() === "0" ? 0 : parseCountFlag(value);
}
