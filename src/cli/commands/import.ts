import type { Command } from "commander";
import type { ImportFlags } from "../import.js";
import type { Done } from "../program.js";
import { DEFAULT_RUNS_DIR } from "../run-config.js";

const EXAMPLES = `
Examples:
  assay import eval_results/agent                    a folder of AILANG results, one JSON file for each trial
  assay import results.jsonl --title "skills in May" results of Vally, or of assay eval
  assay import promptfoo.json --output json
  assay import a.json b.json --format context-bench
  assay report latest                                the same figures again; show, compare and serve work as well

What becomes of each field, and which figures change: docs/migrating.md`;

/** `assay import`. */
export function addImport(program: Command, done: Done): void {
  program
    .command("import")
    .description("make a run of the results of AILANG, Vally, context-bench or promptfoo; runs and grades nothing")
    .argument("<files...>", "results files of one format, or folders of them")
    .option("--format <name>", "ailang, vally, context-bench or promptfoo (default: recognised)")
    .option("--title <text>", "what the run is called")
    .option("--output <name>", "table or json", "table")
    .option("--runs-dir <dir>", "where the run folder goes", DEFAULT_RUNS_DIR)
    .addHelpText("after", EXAMPLES)
    .action(async (files: string[], options: ImportFlags) => {
      const { importCommand } = await import("../import.js");
      done(await importCommand(files, options));
    });
}
