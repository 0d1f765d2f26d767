import { type Command, InvalidArgumentError } from "commander";
import { ALL_AGENT_NAMES } from "../../budget/index.js";
import { type Effort, getExampleModelName, omitUndefined, parseDuration } from "../../core/index.js";
import {
  collectValues,
  parseCountFlag,
  parseEffortsFlag,
  parseIntegerFlag,
  parseListFlag,
  parseNumberFlag,
  parseOutageAction,
} from "../flag-values.js";
import type { SetExitCode } from "../program.js";
import { DEFAULT_CACHE_DIR } from "../run-config.js";
import type { EvalSelection, RunFlags } from "../run-flags.js";
import { PUBLISH_SETTINGS, QUEUE_SETTINGS, TRAFFIC_SETTINGS } from "../run-settings.js";
import {
  addEvalProjectFlags,
  addEvalRunFlags,
  addReportFlags,
  addSettings,
  describeQueue,
  type QueueFlags,
} from "../shared-flags.js";

/** Those that `--help` shows. */
export const COMMON_EVAL_FLAGS = [
  "--eval",
  "--tag",
  "--runs",
  "--executor",
  "--model",
  "--mock",
  "--judge-model",
  "--max-cost",
  "--output",
  "--require-pass",
  "--junit",
  "--markdown",
  "--github",
  "--resume",
  "--dry-run",
] as const;

const EXAMPLES = `
Executors:   ${ALL_AGENT_NAMES.join(", ")}, or your own command: 'my-agent {prompt} {skills}'
Tags:        --tag area=js, --tag '!slow', --tag area=js,area=ts (either); several --tag flags must all match

Examples:
  assay init                                          write a skill with an eval that runs
  assay eval                                          run every eval.yaml below this folder
  assay eval -e skills/tidy/eval.yaml --executor claude --model ${getExampleModelName("anthropicSmall")} --runs 5 --max-cost 5
  assay eval -e evals/ --tag area=js --tag '!slow' --model ${getExampleModelName("openai")},${getExampleModelName("openaiSmall")} --executor codex
  assay eval --suite nightly --output-dir reports --junit reports/junit.xml --markdown comment.md
  assay eval --mock evals/changelog/mock.yaml         simulate the model; needs no API key
  assay eval -e eval.yaml --dry-run                   print the plan and its maximum cost
  assay eval --resume                                 resume the latest unfinished eval
  assay eval --queue redis://queue:6379               run on all machines with assay worker

Exit codes: 1 if a gate of an eval file fails, 3 if no trial ran or too few have a verdict.`;

export function addEvalCommand(program: Command, done: SetExitCode): void {
  const command = program
    .command("eval")
    .description("run eval files: agent test cases with skills, graders and gates")
    .optionsGroup("Test cases:")
    .option("-e, --eval <paths...>", "run these eval files, folders with eval.yaml, or patterns (default: this folder)")
    .option("--suite <name>", "run a suite of the config file")
    .option("--tag <filter>", "run test cases whose tags match: area=js, !slow; repeatable", collectValues)
    .option("--stimulus <name>", "run one test case by name; repeatable", collectValues)
    .option("--runs <count>", "run each test case this many times (default: set by the file)", parseCountFlag)
    .option("--executor <agent>", "run this agent, or a command with {prompt}; repeatable", collectValues)
    .option("--model <names>", "run these models of the agent, separated by commas", parseListFlag)
    .option("--effort <list>", "let the models think this much: low,high or a number of tokens", parseEffortsFlag)
    .option("--threshold <share>", "pass a trial if its weighted score is at least this", parseNumberFlag)
    .option("--timeout <duration>", "limit each trial, such as 90s or 5m", parseDurationFlag)
    .optionsGroup("Output:")
    .option("--require-pass", "exit 1 unless every trial passed")
    .option("--output-dir <dir>", "write results.jsonl, report.md, junit.xml and report.json to this folder");
  addEvalRunFlags(command.optionsGroup("Models, judges and costs:"));
  addEvalProjectFlags(command.optionsGroup("Project:"));
  addSettings(addReportFlags(command, "eval"), { ...PUBLISH_SETTINGS, ...TRAFFIC_SETTINGS, ...QUEUE_SETTINGS })
    .optionsGroup("Execution:")
    .option("--cache-dir [dir]", "cache outputs by content and reuse them (default folder: .assay/cache)")
    .option("--runs-dir <dir>", "write run folders here (default: .assay/runs)")
    .option("--seed <number>", "seed the order and the bootstrap (default: 0)", parseIntegerFlag)
    .option("--max-retries <count>", "retry trials that fail before any output (default: 5)", parseIntegerFlag)
    .option(
      "--on-outage <action>",
      "if an endpoint is down: stop (after 60 s) or wait (default: stop)",
      parseOutageAction,
    )
    .option("--title <text>", "set the title of the report")
    .option(
      "--run-tag <name>",
      "tag the run; other commands can name it by its tag (see: assay runs); repeatable",
      collectValues,
    )
    .option("--resume [run]", "resume a stopped eval (default: the latest unfinished one)")
    .option("--dry-run", "print the plan and the differences it can detect; run nothing")
    .addHelpText("after", EXAMPLES)
    .allowExcessArguments(false)
    .action(async (options: EvalCommandOptions) => {
      const { executeEval } = await import("../eval.js");
      done(await executeEval(toEvalFlags(options)));
    });
}

/** A number without a unit is ambiguous, so a unit is required. */
function parseDurationFlag(value: string): number {
  const ms = parseDuration(value);
  if (ms === null) throw new InvalidArgumentError("Use a duration with a unit, such as 500ms, 90s, 5m or 1h.");
  return ms;
}

/** Option names as commander parses them. */
type EvalCommandOptions = Omit<
  RunFlags,
  "eval" | "models" | "effort" | "modelsFile" | "plugins" | "cacheDir" | "threshold" | "queue"
> &
  QueueFlags &
  Pick<
    EvalSelection,
    "mock" | "suite" | "runs" | "threshold" | "judgeModel" | "judgeUrl" | "judgeApiKeyEnv" | "requirePass" | "outputDir"
  > & {
    eval?: string[];
    tag?: string[];
    runTag?: string[];
    stimulus?: string[];
    executor?: string[];
    model?: string[];
    effort?: Effort[];
    timeout?: number;
    workers?: number;
    models?: string;
    plugin?: string[];
    cacheDir?: string | true;
  };

function toEvalFlags(options: EvalCommandOptions): RunFlags {
  const {
    eval: files,
    suite,
    tag,
    runTag,
    stimulus,
    runs,
    executor,
    model,
    effort,
    judgeModel,
    judgeUrl,
    judgeApiKeyEnv,
    threshold,
    timeout,
    ...others
  } = options;
  const { mock, requirePass, outputDir, workers, models, plugin, cacheDir, ...settings } = others;
  const { queue, ...same } = settings;
  const choice = {
    files,
    suite,
    tags: tag,
    stimuli: stimulus,
    runs,
    executors: executor,
    models: model,
    efforts: effort,
    judgeModel,
    judgeUrl,
    judgeApiKeyEnv,
    threshold,
    timeoutMs: timeout,
    mock,
    requirePass,
    outputDir,
  };
  return {
    ...same,
    ...describeQueue(queue),
    eval: omitUndefined(choice),
    ...(runTag === undefined ? {} : { tags: runTag }),
    ...(workers === undefined ? {} : { agentParallel: workers }),
    ...(models === undefined ? {} : { modelsFile: models }),
    ...(plugin === undefined ? {} : { plugins: plugin }),
    ...(cacheDir === undefined ? {} : { cacheDir: cacheDir === true ? DEFAULT_CACHE_DIR : cacheDir }),
  };
}
