import { type Command, InvalidArgumentError } from "commander";
import { AGENT_NAMES } from "../../budget/rules.js";
import { durationMs } from "../../core/duration.js";
import { given } from "../../core/shape.js";
import { describeAgents } from "../agent-flags.js";
import type { EvalChoice } from "../eval-choice.js";
import { addEvalProjectFlags, addEvalRunFlags } from "../eval-flags.js";
import { collect, count, integer, list, number, onOutage } from "../flag-values.js";
import type { Done } from "../program.js";
import { addQueueFlags, describeQueue, type QueueFlags } from "../queue-flags.js";
import { addReportFlags } from "../report-flags.js";
import { DEFAULT_CACHE_DIR } from "../run-config.js";
import type { RunFlags } from "../run-flags.js";

const EXAMPLES = `
Executors:   ${AGENT_NAMES.join(", ")}, or a command of your own: 'my-agent {prompt} {skills}'
Tags:        --tag area=js, --tag '!slow', --tag area=js,area=ts (either); several must all hold

Examples:
  assay init                                          write an eval, with a skill, that can be run
  assay eval                                          every eval.yaml below this folder
  assay eval -e skills/tidy/eval.yaml --executor claude --model claude-sonnet-4-5 --runs 5 --max-cost 5
  assay eval -e evals/ --tag area=js --tag '!slow' --model gpt-5.5,gpt-5.5-mini --executor codex
  assay eval --suite nightly --output-dir reports --junit reports/junit.xml --markdown comment.md
  assay eval --mock evals/changelog/mock.yaml         without a key: the model is simulated
  assay eval -e eval.yaml --dry-run                   what would be run, and what it costs at most
  assay eval --resume                                 go on with the eval that was stopped
  assay eval --queue redis://queue:6379               on all machines with assay worker

A gate of an eval file that is not passed makes the exit code 1; no trial at all, or too few with a verdict, 3.`;

export function addEval(program: Command, done: Done): void {
  const command = program
    .command("eval")
    .description("run eval files: what agents make of stimuli, with which skills, how dependably")
    .option("-e, --eval <paths...>", "eval files, folders that hold eval.yaml, or patterns (default: this folder)")
    .option("--suite <name>", "a suite of the config file")
    .option("--tag <filter>", "stimuli whose tags match: area=js, !slow; repeatable", collect)
    .option("--stimulus <name>", "one stimulus by its name; repeatable", collect)
    .option("--runs <count>", "trials of each stimulus (default: as the file says)", count)
    .option("--executor <agent>", "the agent, or a command with {prompt}; repeatable", collect)
    .option("--model <names>", "models of the agent, with commas between them", list)
    .option("--threshold <share>", "what the weighted score of a trial must reach", number)
    .option("--timeout <duration>", "for each trial, such as 90s or 5m", duration)
    .option("--require-pass", "exit 1 unless every trial passed")
    .option("--output-dir <dir>", "write results.jsonl, report.md, junit.xml and report.json there")
    .option("--junit <file>", "write JUnit XML there")
    .option("--markdown <file>", "write a comment for a pull request there");
  addQueueFlags(addReportFlags(addEvalProjectFlags(addEvalRunFlags(command)), "eval"))
    .option("--cache-dir [dir]", "keep outputs by content and reuse them (default folder: .assay/cache)")
    .option("--runs-dir <dir>", "where run folders go (default: .assay/runs)")
    .option("--seed <number>", "for the order and the bootstrap (default: 0)", integer)
    .option("--max-retries <count>", "trials that fail before any output are made again (default: 5)", integer)
    .option("--on-outage <action>", "an endpoint that is down: stop (after 60 s) or wait (default: stop)", onOutage)
    .option("--title <text>", "the report's title")
    .option("--resume [run]", "go on with an eval that was stopped (default: the latest unfinished one)")
    .option("--dry-run", "print the plan and what it can detect; run nothing")
    .addHelpText("after", EXAMPLES)
    .allowExcessArguments(false)
    .action(async (options: EvalOptions) => {
      const { evalCommand } = await import("../eval.js");
      done(await evalCommand(toFlags(options)));
    });
}

/** A number without a unit could be seconds as well as minutes. */
function duration(value: string): number {
  const ms = durationMs(value);
  if (ms === null) throw new InvalidArgumentError("It must be a time with its unit, such as 500ms, 90s, 5m or 1h.");
  return ms;
}

/** Commander's own names. */
type EvalOptions = Omit<
  RunFlags,
  "eval" | "models" | "modelsFile" | "plugins" | "cacheDir" | "threshold" | "agentEnv" | "queue"
> &
  QueueFlags &
  Pick<
    EvalChoice,
    | "mock"
    | "suite"
    | "runs"
    | "threshold"
    | "judgeModel"
    | "judgeUrl"
    | "judgeApiKeyEnv"
    | "requirePass"
    | "junit"
    | "markdown"
    | "outputDir"
  > & {
    eval?: string[];
    tag?: string[];
    stimulus?: string[];
    executor?: string[];
    model?: string[];
    timeout?: number;
    workers?: number;
    models?: string;
    plugin?: string[];
    cacheDir?: string | true;
    agentEnv?: string;
  };

function toFlags(options: EvalOptions): RunFlags {
  const {
    eval: files,
    suite,
    tag,
    stimulus,
    runs,
    executor,
    model,
    judgeModel,
    judgeUrl,
    judgeApiKeyEnv,
    threshold,
    timeout,
    ...others
  } = options;
  const { mock, requirePass, junit, markdown, outputDir, workers, models, plugin, cacheDir, ...settings } = others;
  const { agentEnv, queue, ...same } = settings;
  const choice = {
    files,
    suite,
    tags: tag,
    stimuli: stimulus,
    runs,
    executors: executor,
    models: model,
    judgeModel,
    judgeUrl,
    judgeApiKeyEnv,
    threshold,
    timeoutMs: timeout,
    mock,
    requirePass,
    junit,
    markdown,
    outputDir,
  };
  return {
    ...same,
    ...describeQueue(queue),
    ...describeAgents(agentEnv === undefined ? {} : { agentEnv }),
    eval: given(choice),
    ...(workers === undefined ? {} : { agentParallel: workers }),
    ...(models === undefined ? {} : { modelsFile: models }),
    ...(plugin === undefined ? {} : { plugins: plugin }),
    ...(cacheDir === undefined ? {} : { cacheDir: cacheDir === true ? DEFAULT_CACHE_DIR : cacheDir }),
  };
}
