import type { Command } from "commander";
import type { ImportFlags } from "../import.js";
import type { SetExitCode } from "../program.js";
import { DEFAULT_RUNS_DIR } from "../run-config.js";

const EXAMPLES = `
Examples:
  assay import eval_results/agent                    a folder of AILANG results, one JSON file per trial
  assay import results.jsonl --title "skills in May" results of Vally, or of assay eval
  assay import promptfoo.json --output json
  assay import a.json b.json --format context-bench
  assay import jobs/nightly                          a folder of Harbor with trajectories (ATIF)
  assay report latest                                the same figures again; show, compare and serve work as well

How each field is mapped, and which figures change: docs/guides/migrating.md`;

export function addImportCommand(program: Command, done: SetExitCode): void {
  program
    .command("import")
    .description(
      "import results of AILANG, Vally, context-bench or promptfoo, or ATIF trajectories, as a run; runs and grades nothing",
    )
    .argument("<files...>", "result files of one format, or folders of them")
    .option("--format <name>", "ailang, vally, context-bench, promptfoo or atif (default: detected)")
    .option("--title <text>", "set the title of the run")
    .option("--output <name>", "print table or json", "table")
    .option("--runs-dir <dir>", "write the run folder here", DEFAULT_RUNS_DIR)
    .addHelpText("after", EXAMPLES)
    .action(async (files: string[], options: ImportFlags) => {
      const { executeImport } = await import("../import.js");
      done(await executeImport(files, options));
    });
}
