import type { Command } from "commander";
import { getExampleModelName } from "../../core/index.js";
import type { ExperimentRunFlags } from "../experiment.js";
import type { ExperimentReportFlags } from "../experiment-report.js";
import {
  collectValues,
  parseCountFlag,
  parseIntegerFlag,
  parseListFlag,
  parseNumberFlag,
  parseOutageAction,
} from "../flag-values.js";
import type { SetExitCode } from "../program.js";
import { DEFAULT_RUNS_DIR } from "../run-config.js";
import { UNTIL_SETTINGS } from "../run-settings.js";
import { addEvalProjectFlags, addEvalRunFlags, addSettings } from "../shared-flags.js";

const { until, margin, quality, population, confidence } = UNTIL_SETTINGS;
/** Of test cases, in all variants. */
const UNTIL = {
  until: {
    ...until,
    help: "stop when this is decided: decided (each variant against the baseline) or best; none resumes to the end",
  },
  margin: {
    ...margin,
    help: "with --until decided, test that no variant loses more than this against the baseline",
  },
  quality,
  population,
  confidence,
};

const EXAMPLES = `
An experiment file:
  name: does-the-skill-help
  eval: eval.yaml                              # or a list
  baseline: without-skill
  vary: [/skill, /environment/skills]          # JSON pointers: variants may differ only here
  variants:
    without-skill: { /skill: null, /environment/skills: [] }      # null removes a key
    with-skill: {}
  # or, every combination: matrix: { /defaults/model: [${getExampleModelName("openai")}, ${getExampleModelName("openaiSmall")}], /environment/skills: [[], [./]] }
  runs: 5

Examples:
  assay experiment run experiment.yaml --dry-run
  assay experiment run experiment.yaml --max-cost 20 --output markdown > comment.md
  assay experiment run experiment.yaml --until decided --max-cost 20        stop when each variant is known to be better or worse
  assay experiment run experiment.yaml --shard 1/4 --max-cost 5           one of four machines
  assay experiment merge shard-1 shard-2 shard-3 shard-4 --output json
  assay experiment report latest`;

export function addExperimentCommand(program: Command, done: SetExitCode): void {
  const experiment = program
    .command("experiment")
    .description("run evals in several variants and compare each with the baseline")
    .addHelpText("after", EXAMPLES);
  addExperimentRun(experiment, done);
  addExperimentMerge(experiment, done);
  addExperimentReport(experiment, done);
}

function addExperimentRun(experiment: Command, done: SetExitCode): void {
  const command = experiment
    .command("run")
    .description("run all variants in one run and report their differences from the baseline, test case by test case")
    .argument("<file>", "the experiment file")
    .option(
      "--shard <i/n>",
      "run only this part of the test cases, such as 1/4; combine the runs with experiment merge",
    )
    .option(
      "--runs <count>",
      "run each test case this many times (default: set by the experiment or the evals)",
      parseCountFlag,
    )
    .option("--tag <filter>", "run only test cases with this tag: area=js, !slow; repeatable", collectValues)
    .option("--executor <agent>", "for evals that name no agent: the agent, or a command with {prompt}")
    .option("--model <names>", "for evals that name no model: models of the agent, separated by commas", parseListFlag)
    .option("--max-retries <count>", "retry trials that fail before any output (default: 5)", parseIntegerFlag)
    .option(
      "--on-outage <action>",
      "if an endpoint is down: stop (after 60 s) or wait (default: stop)",
      parseOutageAction,
    )
    .option(
      "--min-coverage <share>",
      "exit 3 if a smaller share of a variant's trials was scored (default: 0.95)",
      parseNumberFlag,
    )
    .option("--resume <run>", "resume a stopped run of this experiment and shard")
    .option("--dry-run", "print the variants and the plan; run nothing");
  addReportOptions(addEvalProjectFlags(addEvalRunFlags(addSettings(command, UNTIL))))
    .option("--quiet", "print no progress")
    .action(async (file: string, options: ExperimentRunFlags) => {
      const { executeExperimentRun } = await import("../experiment.js");
      done(await executeExperimentRun(file, options));
    });
}

function addExperimentMerge(experiment: Command, done: SetExitCode): void {
  const command = experiment
    .command("merge")
    .description("merge the runs of all shards of an experiment into one report; runs nothing")
    .argument("<runs...>", "run folders or ids, one per shard");
  addReportOptions(command).action(async (runs: readonly string[], options: ExperimentReportFlags) => {
    const { executeExperimentMerge } = await import("../experiment-report.js");
    done(await executeExperimentMerge(runs, options));
  });
}

function addExperimentReport(experiment: Command, done: SetExitCode): void {
  const command = experiment
    .command("report")
    .description("report a stored experiment again; runs nothing")
    .argument("[run]", "a run folder or id, 'latest', a tag or a title (default: the latest experiment)");
  addReportOptions(command).action(async (run: string | undefined, options: ExperimentReportFlags) => {
    const { executeExperimentReport } = await import("../experiment-report.js");
    done(await executeExperimentReport(run, options));
  });
}

function addReportOptions(command: Command): Command {
  return command
    .option("--output <name>", "print table, markdown or json", "table")
    .option("--level <share>", "set the confidence level of differences", parseNumberFlag, 0.95)
    .option("--seed <number>", "seed the order and the permutation tests that sample", parseIntegerFlag, 0)
    .option("--runs-dir <dir>", "read and write run folders here", DEFAULT_RUNS_DIR)
    .option("--verbose", "print stack traces with errors")
    .allowExcessArguments(false);
}
