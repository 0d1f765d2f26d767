import type { Command } from "commander";
import type { ExportFlags } from "../export.js";
import type { Done } from "../program.js";
import { DEFAULT_RUNS_DIR } from "../run-config.js";

const EXAMPLES = `
Examples:
  assay export latest --format csv > trials.csv
  assay export latest --format parquet --out trials.parquet
  assay export latest --format csv --with-outputs --out trials.csv --force
  assay export 20261115-213334-gsm8k --format junit --out junit.xml
  assay export latest --format json | jq .summary`;

/** `assay export`. */
export function addExport(program: Command, done: Done): void {
  program
    .command("export")
    .description("write a stored run for other programs: CSV, Parquet, JSON or JUnit; runs nothing")
    .argument("<run>", "a run folder or id, or 'latest'")
    .requiredOption("--format <name>", "csv, parquet, json or junit")
    .option("--out <file>", "the file to write (default: stdout; Parquet needs one)")
    .option("--with-outputs", "CSV and Parquet: with what was asked, answered and found")
    .option("--force", "overwrite the file")
    .option("--runs-dir <dir>", "where run folders are", DEFAULT_RUNS_DIR)
    .allowExcessArguments(false)
    .addHelpText("after", EXAMPLES)
    .action(async (run: string, options: ExportFlags) => {
      const { exportCommand } = await import("../export.js");
      done(await exportCommand(run, options));
    });
}
