import type { Command } from "commander";
import { collect, count, list, number, pairs, thresholds } from "./flag-values.js";
import type { GradeFlags } from "./grade.js";
import type { Done } from "./program.js";

/** Commander's own names: repeatable flags are singular there. */
type GradeOptions = Omit<GradeFlags, "datasets" | "evaluators" | "metrics" | "plugins"> & {
  dataset?: string[];
  evaluator?: string[];
  metric?: string[];
  plugin?: string[];
};

export function addGrade(program: Command, done: Done): void {
  program
    .command("grade")
    .description("score the outputs of a stored run again, by other evaluators if you like; calls no system")
    .argument("[run]", "a run folder or id (default: the latest)")
    .option(
      "--evaluator <spec>",
      "instead of the run's own; NAME for every dataset, DATASET=NAME for one; repeatable",
      collect,
    )
    .option(
      "--dataset <spec>",
      "examples to grade by instead of the run's own, such as corrected ones; repeatable",
      collect,
    )
    .option("--map <field=column,…>", "which column of a file each field comes from", pairs)
    .option(
      "--unsafe-local-exec",
      "run generated code without a sandbox when there is none: it can do all that you can",
    )
    .option("--metric <spec>", "a metric beside the standard ones; repeatable", collect)
    .option("--plugin <file>", "a module that exports register(registry); repeatable", collect)
    .option("--score-field <field>", "the score that decides pass or fail (default: each dataset's own)")
    .option("--threshold <share>", "passing means at least this score (default: that of the run)", number)
    .option("--max-workers <count>", "outputs at a time (default: 8)", count)
    .option("--runs-dir <dir>", "where run folders are, and where the new one goes (default: .assay/runs)")
    .option("--resume <run>", "a graded run that was stopped: what it has is kept")
    .option("--output <name>", "table or json, or a plugin's reporter (default: table)")
    .option("--columns <groups>", "of the table: quality, tokens, cost, speed, trials, datasets, other", list)
    .option("--min-coverage <share>", "exit 3 when fewer of the planned trials were scored (default: 0.95)", number)
    .option("--fail-under <metric=value>", "exit 1 when a system's metric is lower; repeatable", thresholds)
    .option("--fail-over <metric=value>", "exit 1 when a system's metric is higher; repeatable", thresholds)
    .option("--quiet", "no progress")
    .addHelpText(
      "after",
      "\nExamples:\n  assay grade\n  assay grade 20261115-213334-gsm8k --evaluator math_equivalence\n  assay grade --dataset corrected.jsonl --fail-under pass_rate=0.8",
    )
    .action(async (run: string | undefined, options: GradeOptions) => {
      const { gradeCommand } = await import("./grade.js");
      done(await gradeCommand(run, toGradeFlags(options)));
    });
}

function toGradeFlags({ dataset, evaluator, metric, plugin, ...same }: GradeOptions): GradeFlags {
  return {
    ...same,
    ...(dataset === undefined ? {} : { datasets: dataset }),
    ...(evaluator === undefined ? {} : { evaluators: evaluator }),
    ...(metric === undefined ? {} : { metrics: metric }),
    ...(plugin === undefined ? {} : { plugins: plugin }),
  };
}
