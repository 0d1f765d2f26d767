import type { Command } from "commander";
import { EXAMPLE_MODELS } from "../../core/index.js";
import { collectPairs, collectValues, parseCountFlag, parseDollarsFlag, parseNumberFlag } from "../flag-values.js";
import type { GradeFlags } from "../grade.js";
import type { CalibrateFlags } from "../judge.js";
import type { SetExitCode } from "../program.js";
import { DEFAULT_RUNS_DIR } from "../run-config.js";
import { JUDGE_SETTINGS } from "../run-settings.js";
import { addReportFlags, addSettings, type JudgeFlags, splitJudgeFlags } from "../shared-flags.js";
import { TRUST_FLAG } from "../trust.js";

/** Option names as commander parses them: repeatable flags are singular. */
type GradeCommandOptions = Omit<
  GradeFlags,
  "eval" | "datasets" | "evaluators" | "metrics" | "plugins" | "judge" | "modelsFile"
> &
  JudgeFlags & {
    models?: string;
    eval?: string[];
    dataset?: string[];
    evaluator?: string[];
    metric?: string[];
    plugin?: string[];
  };

export function addGradeCommand(program: Command, done: SetExitCode): void {
  const command = program
    .command("grade")
    .description("score the outputs of a stored run again, optionally with other evaluators; calls no system")
    .argument("[run]", "a run folder or id, a tag or a title (default: the latest run that is not itself a grading)")
    .option(
      "--evaluator <spec>",
      "replace the run's evaluators: NAME for every dataset, DATASET=NAME for one; repeatable",
      collectValues,
    )
    .option(
      "--dataset <spec>",
      "grade with these examples instead of the run's own, such as corrected ones; repeatable",
      collectValues,
    )
    .option("-e, --eval <path>", "grade with this eval file, such as a corrected one; repeatable", collectValues)
    .option("--map <field=column,…>", "read each field from this column of a file", collectPairs)
    .option(
      "--unsafe-local-exec",
      "run generated code without a sandbox if there is none: it can do everything you can",
    )
    .option("--metric <spec>", "add a metric to the standard ones; repeatable", collectValues)
    .option("--plugin <file>", "load a module that exports register(registry); repeatable", collectValues)
    .option(...TRUST_FLAG)
    .option("--score-field <field>", "use this score to decide pass or fail (default: each dataset's own)")
    .option("--threshold <share>", "pass if the score is at least this (default: set by the run)", parseNumberFlag)
    .option("--max-workers <count>", "score this many outputs at a time (default: 8)", parseCountFlag)
    .option(
      "--max-cost <dollars>",
      "limit the cost of judging: no more outputs are judged once it is spent",
      parseDollarsFlag,
    )
    .option("--runs-dir <dir>", "read run folders, and write the new one, here (default: .assay/runs)")
    .option("--resume <run>", "resume a stopped grading and keep its results")
    .option("--dry-run", "print what would be scored and what judging costs; score nothing");
  addReportFlags(addSettings(command, JUDGE_SETTINGS))
    .option("--models <file>", "read models and prices for the judge from this file (default: models.yml if present)")
    .addHelpText(
      "after",
      "\nExamples:\n  assay grade\n  assay grade 20261115-213334-gsm8k --evaluator math_equivalence\n  assay grade --dataset corrected.jsonl --fail-under pass_rate=0.8\n  assay grade latest -e eval.yaml",
    )
    .action(async (run: string | undefined, options: GradeCommandOptions) => {
      const { executeGrade } = await import("../grade.js");
      done(await executeGrade(run, toGradeFlags(options)));
    });
}

export function addJudgeCommand(program: Command, done: SetExitCode): void {
  const command = program
    .command("judge")
    .description("measure a judge model's agreement with human labels, and its biases")
    .argument("<calibrate>", "the word 'calibrate'")
    .argument("[run]", "a run labeled with assay serve --label: its folder or id, 'latest', a tag or a title")
    .option(
      "--labels <file>",
      "read human-labeled answers from this file instead: { question, response, label }, or with --judge-pairwise { response_a, response_b, label: a, b or tie }",
    )
    .option("--runs-dir <dir>", "read run folders from here", DEFAULT_RUNS_DIR)
    .allowExcessArguments(false);
  addSettings(command, JUDGE_SETTINGS)
    .option("--models <file>", "read models and prices from this file (default: models.yml if present)")
    .option("--max-workers <count>", "make this many calls at a time (default: 8)", parseCountFlag)
    .option("--max-cost <dollars>", "stop before a row that might exceed this cost", parseDollarsFlag)
    .option("--allow-insecure", "allow sending a key over plain http to another machine")
    .option("--output <name>", "print table or json", "table")
    .addHelpText(
      "after",
      `\nExamples:\n  assay judge calibrate --labels labels.jsonl --judge-model ${EXAMPLE_MODELS.openai}\n  assay judge calibrate latest --judge-model ${EXAMPLE_MODELS.openai}\n  assay judge calibrate --labels pairs.jsonl --judge-pairwise --judge-url http://127.0.0.1:8080 --judge-model my-judge`,
    )
    .action(async (action: string, run: string | undefined, options: CalibrateFlags) => {
      const { executeJudge } = await import("../judge.js");
      done(await executeJudge({ ...options, action, ...(run === undefined ? {} : { run }) }));
    });
}

function toGradeFlags(options: GradeCommandOptions): GradeFlags {
  const { judge, rest } = splitJudgeFlags(options);
  const { eval: files, dataset, evaluator, metric, plugin, models, ...same } = rest;
  return {
    ...(files === undefined ? {} : { eval: { files } }),
    ...same,
    ...(judge === undefined ? {} : { judge }),
    ...(models === undefined ? {} : { modelsFile: models }),
    ...(dataset === undefined ? {} : { datasets: dataset }),
    ...(evaluator === undefined ? {} : { evaluators: evaluator }),
    ...(metric === undefined ? {} : { metrics: metric }),
    ...(plugin === undefined ? {} : { plugins: plugin }),
  };
}
