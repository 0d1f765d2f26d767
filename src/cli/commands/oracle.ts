import type { Command } from "commander";
import { collect, count } from "../flag-values.js";
import type { OracleFlags } from "../oracle.js";
import type { Done } from "../program.js";
import { TRUST_FLAG } from "../trust.js";

const EXAMPLES = `
Examples:
  assay oracle                                       the eval files of assay.config.*, or below this folder
  assay oracle -e eval.yaml
  assay oracle -e skills/ --strict                   a line that no grader notices fails, too
  assay oracle -e eval.yaml --stimulus fix-add --max-omissions 500
  assay oracle -e eval.yaml --output json > oracle.json

Exit codes: 0 every golden state passes and every untouched one fails, 1 not so, 2 usage or configuration,
3 nothing could be checked or a folder could not be set up, 130 interrupted.`;

/** Commander's own names: repeatable flags are singular there. */
interface OracleCommandOptions extends Omit<OracleFlags, "evals" | "stimuli" | "plugins"> {
  eval?: string[];
  stimulus?: string[];
  plugin?: string[];
}

/** `assay oracle`. */
export function addOracle(program: Command, done: Done): void {
  program
    .command("oracle")
    .description(
      "check graders against golden patches: solved passes, untouched fails, each missing line is noticed; starts no agent",
    )
    .option(
      "-e, --eval <file...>",
      "an eval file, a folder of them or a pattern; repeatable (default: those of assay.config.*, else this folder)",
    )
    .option("--stimulus <name>", "only this one; repeatable", collect)
    .option(
      "--max-omissions <count>",
      "lines of each golden patch that are left out, one at a time (default: 50)",
      atLeastZero,
    )
    .option("--workers <count>", "folders that are graded at a time (default: 2)", count)
    .option("--strict", "exit with 1 when a line can be left out and no grader notices")
    .option("--output <name>", "table or json", "table")
    .option("--config <file>", "plugins and shared environments (default: assay.config.* when there is one)")
    .option("--plugin <file>", "a module that exports register(registry), for graders of your own; repeatable", collect)
    .option(...TRUST_FLAG)
    .option("--quiet", "no progress")
    .allowExcessArguments(false)
    .addHelpText("after", EXAMPLES)
    .action(async ({ eval: evals, stimulus, plugin, ...flags }: OracleCommandOptions) => {
      const { oracleCommand } = await import("../oracle.js");
      done(await oracleCommand({ ...flags, evals: evals ?? [], stimuli: stimulus ?? [], plugins: plugin ?? [] }));
    });
}

function atLeastZero(value: string): number {
  return value.trim() === "0" ? 0 : count(value);
}
