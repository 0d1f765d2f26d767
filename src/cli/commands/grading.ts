import type { Command } from "commander";
import { collect, count, dollars, number, pairs } from "../flag-values.js";
import type { GradeFlags } from "../grade.js";
import type { CalibrateFlags } from "../judge.js";
import { type JudgeFlags, splitJudgeFlags } from "../judge-flags.js";
import type { Done } from "../program.js";
import { addReportFlags } from "../report-flags.js";
import { TRUST_FLAG } from "../trust.js";

/** Commander's own names: repeatable flags are singular there. */
type GradeOptions = Omit<
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

/** The flags of every command that takes a judge. */
export function addJudgeFlags(command: Command): Command {
  return command
    .option(
      "--judge-model <name>",
      "a model that judges: from models.yml or PROVIDER/MODEL; several are a panel",
      collect,
    )
    .option("--judge-url <url>", "the base URL of whatever answers for the judge; repeatable", collect)
    .option(
      "--judge-api <dialect>",
      "how the judge is spoken to: chat, responses, anthropic, gemini; repeatable",
      collect,
    )
    .option("--judge-api-key-env <variable>", "the name of the variable that holds the judge's key")
    .option("--judge-scale <name>", "what it answers on: binary, 1-5 or 1-10 (default: binary)")
    .option("--judge-rubric <file>", "a text that says what a good answer is")
    .option("--judge-panel <rule>", "how several judges become one: mean, median, majority, min (default: mean)")
    .option("--judge-pairwise", "compare two answers, in both orders, instead of scoring one")
    .option("--judge-per-turn", "judge each turn of a conversation with what was said before, and take the mean");
}

export function addGrade(program: Command, done: Done): void {
  const command = program
    .command("grade")
    .description("score the outputs of a stored run again, by other evaluators if you like; calls no system")
    .argument("[run]", "a run folder or id (default: the latest that was not graded from another)")
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
    .option("-e, --eval <path>", "an eval file to grade by, such as a corrected one; repeatable", collect)
    .option("--map <field=column,…>", "which column of a file each field comes from", pairs)
    .option(
      "--unsafe-local-exec",
      "run generated code without a sandbox when there is none: it can do all that you can",
    )
    .option("--metric <spec>", "a metric beside the standard ones; repeatable", collect)
    .option("--plugin <file>", "a module that exports register(registry); repeatable", collect)
    .option(...TRUST_FLAG)
    .option("--score-field <field>", "the score that decides pass or fail (default: each dataset's own)")
    .option("--threshold <share>", "passing means at least this score (default: that of the run)", number)
    .option("--max-workers <count>", "outputs at a time (default: 8)", count)
    .option("--max-cost <dollars>", "for judging: no more outputs are judged when it is spent", dollars)
    .option("--runs-dir <dir>", "where run folders are, and where the new one goes (default: .assay/runs)")
    .option("--resume <run>", "a graded run that was stopped: what it has is kept")
    .option("--dry-run", "print what would be scored and what judging it costs; score nothing");
  addReportFlags(addJudgeFlags(command))
    .option("--models <file>", "models with prices, for the judge (default: models.yml when there is one)")
    .addHelpText(
      "after",
      "\nExamples:\n  assay grade\n  assay grade 20261115-213334-gsm8k --evaluator math_equivalence\n  assay grade --dataset corrected.jsonl --fail-under pass_rate=0.8\n  assay grade latest -e eval.yaml",
    )
    .action(async (run: string | undefined, options: GradeOptions) => {
      const { gradeCommand } = await import("../grade.js");
      done(await gradeCommand(run, toGradeFlags(options)));
    });
}

export function addJudge(program: Command, done: Done): void {
  const command = program
    .command("judge")
    .description("say how far a judge model agrees with people, and what it leans to")
    .argument("<calibrate>", "the word 'calibrate'")
    .option(
      "--labels <file>",
      "a JSONL of answers that people have judged: { question, response, label }, or with --judge-pairwise { response_a, response_b, label: a, b or tie }",
    );
  addJudgeFlags(command)
    .option("--models <file>", "models with prices (default: models.yml when there is one)")
    .option("--max-workers <count>", "calls at a time (default: 8)", count)
    .option("--max-cost <dollars>", "no further row is judged that might exceed it", dollars)
    .option("--allow-insecure", "let a key go over plain http to another machine")
    .option("--output <name>", "table or json", "table")
    .addHelpText(
      "after",
      "\nExamples:\n  assay judge calibrate --labels labels.jsonl --judge-model openai/gpt-5\n  assay judge calibrate --labels pairs.jsonl --judge-pairwise --judge-url http://127.0.0.1:8080 --judge-model my-judge",
    )
    .action(async (action: string, options: CalibrateFlags) => {
      const { judgeCommand } = await import("../judge.js");
      done(await judgeCommand(action, options));
    });
}

function toGradeFlags(options: GradeOptions): GradeFlags {
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
