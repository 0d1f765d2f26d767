import type { Command } from "commander";
import type { ExportFlags } from "../export.js";
import type { SetExitCode } from "../program.js";
import { DEFAULT_RUNS_DIR } from "../run-config.js";

const EXAMPLES = `
Examples:
  assay export latest --format csv > trials.csv
  assay export latest --format parquet --out trials.parquet
  assay export latest --format csv --with-outputs --out trials.csv --force
  assay export 20261115-213334-gsm8k --format junit --out junit.xml
  assay export latest --format atif --out trajectories.jsonl
  assay export latest --format json | jq .summary`;

export function addExportCommand(program: Command, done: SetExitCode): void {
  program
    .command("export")
    .description("export a stored run as CSV, Parquet, JSON, JUnit or ATIF trajectories; runs nothing")
    .argument("<run>", "a run folder or id, 'latest', a tag or a title")
    .requiredOption("--format <name>", "write csv, parquet, json, junit or atif")
    .option("--out <file>", "write to this file (default: stdout; required for Parquet)")
    .option("--with-outputs", "CSV and Parquet: include questions, answers and evidence")
    .option("--force", "overwrite the file")
    .option("--runs-dir <dir>", "read run folders from here", DEFAULT_RUNS_DIR)
    .allowExcessArguments(false)
    .addHelpText("after", EXAMPLES)
    .action(async (run: string, options: ExportFlags) => {
      const { executeExport } = await import("../export.js");
      done(await executeExport(run, options));
    });
}
