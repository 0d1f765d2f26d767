import type { Command } from "commander";
import { didYouMean, UsageError } from "../../core/index.js";
import {
  collectHeader,
  collectPair,
  collectPairs,
  collectValues,
  parseCountFlag,
  parseDollarsFlag,
  parseIntegerFlag,
  parseNumberFlag,
  parseObjectFlag,
  parseOutageAction,
} from "../flag-values.js";
import type { SetExitCode } from "../program.js";
import { DEFAULT_CACHE_DIR } from "../run-config.js";
import type { RunFlags } from "../run-flags.js";
import {
  type AgentFlags,
  addAgentFlags,
  addQueueFlags,
  addReportFlags,
  describeModels,
  describeQueue,
  type JudgeFlags,
  type QueueFlags,
  splitJudgeFlags,
  toAgentConfigs,
} from "../shared-flags.js";
import { TRUST_FLAG } from "../trust.js";
import { addJudgeFlags } from "./grading.js";

const RUN_EXAMPLES = `
Models:      --model NAME of models.yml, --model PROVIDER/MODEL, or --proxy URL --model NAME
Systems:     passthrough, truncate:SHARE[:head|tail|middle], extract:SHARE, dedupe, …; or a file: ./my-system.ts
Datasets:    a .jsonl, .json, .csv, .tsv or .parquet file (also .gz), or a name from 'assay datasets': gsm8k, mmlu:anatomy;
             NAME@REVISION pins a hub revision, NAME=FILE reads a local file like that dataset
Evaluators:  answer_quality, math_equivalence, multiple_choice_accuracy, code_execution and more (docs/reference/evaluators.md),
             or a file; DATASET=NAME for one dataset (default: each dataset's own)
Queue:       with --queue, this command plans and records, and every assay worker on that Redis runs trials. Only workers
             need keys; --max-workers limits the concurrent calls per endpoint of all workers together

Examples:
  assay run --system truncate:0.5 --system extract:0.3 --dataset needle -n 50
  assay run --model openai/gpt-5 --dataset gsm8k --dataset mmlu:anatomy -n 50 --max-cost 2
  assay run --system ./my-system.ts --dataset data.csv --map question=prompt,answer=gold
  assay run --model openai/gpt-5 --model anthropic/claude-sonnet-4-5 --dataset data.jsonl --max-cost 5 --dry-run
  assay run --proxy http://127.0.0.1:8080 --name squeezed --model gpt-5 --dataset data.jsonl --trials 3
  assay run --agent claude --agent codex:gpt-5.5 --dataset agent-tasks --trials 3 --max-cost 5
  assay run --agent-command 'my-agent {prompt}' --dataset tasks.jsonl --trial-max-cost 0.30
  assay run --replay outputs.jsonl --dataset data.jsonl --score-field contains --threshold 1
  assay run --config nightly.config.yaml --trials 5 --fail-under pass_hat_3=0.8
  assay run --resume 20261115-213334-needle
  assay run --queue redis://queue:6379 --model openai/gpt-5 --dataset gsm8k --max-cost 2      run on all machines with assay worker`;

const MEMORY_EXAMPLES = `
Memories:    full-history, last-n:20 (the last turns), bm25:10 (the best-matching turns), or a file: ./my-memory.ts
Datasets:    locomo, longmemeval:s, longmemeval:m, longmemeval:oracle; NAME=FILE reads a local copy
Reader:      the model that answers from what a built-in memory retrieves: --model or --proxy, or --reader ./reader.ts

Examples:
  assay memory --system full-history --system bm25:10 --dataset locomo --model openai/gpt-5-mini -n 100 --max-cost 2
  assay memory --system ./my-memory.ts --system last-n:40 --model openai/gpt-5-mini --dataset longmemeval:s -n 50
  assay memory --system bm25:20 --dataset locomo=./locomo10.json --model openai/gpt-5-mini --judge-model openai/gpt-5
  assay memory --system bm25:5 --reader ./reader.ts --dataset locomo --filter question_type=temporal
  assay memory --resume`;

export function addRunCommand(program: Command, done: SetExitCode): void {
  const command = program
    .command("run", { isDefault: true })
    .description("run systems on datasets and report (the default command)")
    .option("--system <spec>", "measure this system; repeatable", collectValues)
    .option("--replay <file>", "measure outputs recorded in a JSONL file; repeatable", collectValues)
    .option("--dataset <spec>", "run this dataset: a name, a file, or NAME=FILE; repeatable", collectValues)
    .option("--map <field=column,…>", "read each field from this column of a file", collectPairs)
    .option("--skip-bad-rows", "skip rows that cannot be read, and count them")
    .option("--cache-dir [dir]", "cache outputs by content and reuse them (default folder: .assay/cache)")
    .option(
      "--unsafe-local-exec",
      "run generated code without a sandbox if there is none: it can do everything you can",
    );
  addQueueFlags(addRunFlags(addAgentFlags(command)))
    .addHelpText("after", RUN_EXAMPLES)
    .allowExcessArguments(true)
    .action(async (options: CommanderRunOptions, { args }: Command) => {
      if (args[0] !== undefined) throw explainStrayArgument(program, args[0]);
      const { executeRun } = await import("../run.js");
      done(await executeRun(toRunFlags(options)));
    });
}

export function addMemoryCommand(program: Command, done: SetExitCode): void {
  const command = program
    .command("memory")
    .description("measure memory systems on long conversations: recall and cost")
    .option("--system <spec>", "measure this memory; repeatable", collectValues)
    .option("--dataset <spec>", "run locomo, longmemeval:s, …, or NAME=FILE for a local copy", collectValues)
    .option("--reader <file>", "answer from retrieved memories with this system instead of a model");
  addRunFlags(command)
    .addHelpText("after", MEMORY_EXAMPLES)
    .allowExcessArguments(false)
    .action(async (options: CommanderRunOptions) => {
      const { executeMemory } = await import("../memory.js");
      done(await executeMemory(toRunFlags(options)));
    });
}

function addRunFlags(command: Command): Command {
  addModelFlags(command)
    .option(
      "--max-cost <dollars>",
      "limit the cost of the whole run: trials that might exceed it are not started",
      parseDollarsFlag,
    )
    .option(
      "--trial-max-cost <dollars>",
      "limit the cost of each trial: it is stopped there and graded on what it has produced",
      parseNumberFlag,
    )
    .option("--max-retries <count>", "retry calls that fail before any output (default: 5)", parseIntegerFlag)
    .option(
      "--on-outage <action>",
      "if an endpoint is down: stop (after 60 s) or wait (default: stop)",
      parseOutageAction,
    )
    .option(
      "--evaluator <spec>",
      "replace the datasets' evaluators: NAME for every dataset, DATASET=NAME for one; repeatable",
      collectValues,
    );
  return addReportFlags(addJudgeFlags(command))
    .option("--metric <spec>", "add a metric to the standard ones; repeatable", collectValues)
    .option("--plugin <file>", "load a module that exports register(registry); repeatable", collectValues)
    .option(...TRUST_FLAG)
    .option("--config <file>", "read the run from this file (default: assay.config.ts, .mjs, .yaml if present)")
    .option(
      "-n, --max-examples <count>",
      "run at most this many examples of each dataset, a seeded sample",
      parseCountFlag,
    )
    .option("--head", "with -n: take the first examples instead of a sample")
    .option("--shuffle-seed <number>", "seed only the sample (default: --seed)", parseIntegerFlag)
    .option("--filter <column=value>", "keep only examples whose column equals the value; repeatable", collectPair)
    .option("--score-field <field>", "use this score to decide pass or fail (default: each dataset's own)")
    .option("--threshold <share>", "pass if the score is at least this (default: 0.7)", parseNumberFlag)
    .option("--trials <count>", "run each example this many times with each system (default: 1)", parseCountFlag)
    .option("--seed <number>", "seed the sample, the order and the bootstrap (default: 0)", parseIntegerFlag)
    .option("--max-workers <count>", "run this many trials at a time (default: 8)", parseCountFlag)
    .option("--tokenizer <name>", "count tokens with cl100k_base or o200k_base (default: cl100k_base)")
    .option("--runs-dir <dir>", "write run folders here (default: .assay/runs)")
    .option("--resume [run]", "resume a stopped run (default: the latest unfinished one)")
    .option("--title <text>", "set the title of the report")
    .option("--dry-run", "print the plan and the differences it can detect; run nothing");
}

function addModelFlags(command: Command): Command {
  return command
    .option(
      "--model <name>",
      "measure this model: from models.yml, PROVIDER/MODEL, or served by --proxy; repeatable",
      collectValues,
    )
    .option(
      "--proxy <url>",
      "call an OpenAI-compatible endpoint at this base URL; repeatable, each with a --model",
      collectValues,
    )
    .option("--name <name>", "name the system of a --model or --proxy; repeatable", collectValues)
    .option("--api <dialect>", "API format: chat, responses, anthropic, gemini; repeatable", collectValues)
    .option("--models <file>", "read models, prices and budgets from this file (default: models.yml if present)")
    .option("--system-prompt <text>", "for models: set the system prompt")
    .option("--temperature <number>", "for models: set the temperature", parseNumberFlag)
    .option("--max-tokens <count>", "for models: limit the length of answers", parseCountFlag)
    .option("--extra-body <json>", "for models: merge this into the body of every request", parseObjectFlag)
    .option("--header <name: value>", "for models: send an extra header; repeatable", collectHeader)
    .option(
      "--timeout <seconds>",
      "for models: limit the time of one call (default: 30 s more than the hard timeout)",
      parseNumberFlag,
    )
    .option("--api-key-env <variable>", "for models: read the key from this environment variable")
    .option("--allow-insecure", "for models: allow sending a key over plain http to another machine");
}

/** `run` is the default command, so it receives every word that is not a command. */
function explainStrayArgument(program: Command, word: string): UsageError {
  if (program.args[0] === "run") {
    return new UsageError(`assay run takes only flags, got "${word}". Did you mean --system or --dataset ${word}?`);
  }
  const commands = program.commands.map((command) => command.name());
  return new UsageError(`Unknown command "${word}".${didYouMean(word, commands)}`);
}

/** Option names as commander parses them: repeatable flags are singular. */
type CommanderRunOptions = Omit<
  RunFlags,
  | "systems"
  | "datasets"
  | "evaluators"
  | "judge"
  | "metrics"
  | "plugins"
  | "cacheDir"
  | "models"
  | "modelsFile"
  | "headers"
  | "agents"
  | "agentEnv"
  | "queue"
> &
  AgentFlags &
  JudgeFlags &
  QueueFlags & {
    model?: string[];
    proxy?: string[];
    name?: string[];
    api?: string[];
    models?: string;
    header?: Record<string, string>;
    system?: string[];
    dataset?: string[];
    evaluator?: string[];
    metric?: string[];
    plugin?: string[];
    cacheDir?: string | true;
  };

function toRunFlags(options: CommanderRunOptions): RunFlags {
  const { judge, rest } = splitJudgeFlags(options);
  const { agent, agentCommand, agentName, agentModel, agentEnv, queue, ...others } = rest;
  const { system, dataset, evaluator, metric, plugin, cacheDir, model, proxy, name, api, models, header, ...same } =
    others;
  const described = describeModels({ model, proxy, name, api });
  return {
    ...same,
    ...describeQueue(queue),
    ...toAgentConfigs({
      ...(agent === undefined ? {} : { agent }),
      ...(agentCommand === undefined ? {} : { agentCommand }),
      ...(agentName === undefined ? {} : { agentName }),
      ...(agentModel === undefined ? {} : { agentModel }),
      ...(agentEnv === undefined ? {} : { agentEnv }),
    }),
    ...(judge === undefined ? {} : { judge }),
    ...(described === undefined ? {} : { models: described }),
    ...(models === undefined ? {} : { modelsFile: models }),
    ...(header === undefined ? {} : { headers: header }),
    ...(system === undefined ? {} : { systems: system }),
    ...(dataset === undefined ? {} : { datasets: dataset }),
    ...(evaluator === undefined ? {} : { evaluators: evaluator }),
    ...(metric === undefined ? {} : { metrics: metric }),
    ...(plugin === undefined ? {} : { plugins: plugin }),
    ...(cacheDir === undefined ? {} : { cacheDir: cacheDir === true ? DEFAULT_CACHE_DIR : cacheDir }),
  };
}
