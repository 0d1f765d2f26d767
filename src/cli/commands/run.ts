import { existsSync } from "node:fs";
import type { Command } from "commander";
import { didYouMean, EXAMPLE_MODELS, getExampleModelName, omitUndefined, UsageError } from "../../core/index.js";
import type { SetExitCode } from "../program.js";
import { DEFAULT_CACHE_DIR } from "../run-config.js";
import type { RunFlags } from "../run-flags.js";
import {
  INPUT_SETTINGS,
  listCommonFlags,
  QUEUE_SETTINGS,
  RUN_SETTINGS,
  SHARED_RUN_SETTINGS,
  TRAFFIC_SETTINGS,
  UNTIL_SETTINGS,
  USER_SETTINGS,
  WATCH_SETTINGS,
} from "../run-settings.js";
import {
  type AgentFlags,
  addAgentFlags,
  addProgramConfigs,
  addSettings,
  describeModels,
  describeQueue,
  type JudgeFlags,
  type ModelFlags,
  type ProgramFlags,
  type QueueFlags,
  splitJudgeFlags,
  toAgentConfigs,
} from "../shared-flags.js";

export const COMMON_RUN_FLAGS: readonly string[] = listCommonFlags(RUN_SETTINGS);

const RUN_EXAMPLES = `
Models:      --model NAME of models.yml, --model PROVIDER/MODEL, or --proxy URL --model NAME
Systems:     passthrough, truncate:SHARE[:head|tail|middle], extract:SHARE, dedupe, …; or a file: ./my-system.ts;
             in any other language: --system-command 'python my-system.py', or --system-url http://…
Datasets:    a .jsonl, .json, .csv, .tsv or .parquet file (also .gz), or a name from 'assay datasets': gsm8k, mmlu:anatomy;
             NAME@REVISION pins a hub revision, NAME=FILE reads a local file like that dataset
Evaluators:  answer_quality, math_equivalence, multiple_choice_accuracy, code_execution and more (docs/reference/evaluators.md),
             or a file; DATASET=NAME for one dataset (default: each dataset's own)

Examples:
  assay run --system truncate:0.5 --system extract:0.3 --dataset needle -n 50
  assay run --model ${EXAMPLE_MODELS.openai} --dataset gsm8k --dataset mmlu:anatomy -n 50 --max-cost 2
  assay run --system ./my-system.ts --dataset data.csv --map question=prompt,answer=gold
  assay run --system-command 'python compress.py' --dataset needle --evaluator-command 'python score.py'
  assay run --proxy http://127.0.0.1:8080 --model my-model --dataset data.jsonl --trials 3
  assay run --model ${EXAMPLE_MODELS.openai} --prompt prompts/*.md --dataset data.csv      compare prompts with {{question}} or any column
  assay run --agent claude --agent codex:${getExampleModelName("openai")} --dataset agent-tasks --trials 3 --max-cost 5
  assay run --model ${EXAMPLE_MODELS.openai} --dataset data.csv --mock mock.yaml           simulate the model; needs no key
  assay run --config nightly.config.yaml --trials 5 --fail-under pass_hat_3=0.8
  assay run --model NEW --model OLD --dataset data.csv --until decided --max-cost 20   stop when one is known to be better
  assay run --watch evals/      run eval files (*.eval.ts) again when they change, with cached outputs
  assay run --resume            resume the latest unfinished run`;

const MEMORY_EXAMPLES = `
Memories:    full-history, last-n:20 (the last turns), bm25:10 (the best-matching turns), or a file: ./my-memory.ts;
             in any other language: --system-command 'python memory.py'
Datasets:    locomo, longmemeval:s, longmemeval:m, longmemeval:oracle; NAME=FILE reads a local copy
Reader:      the model that answers from what a built-in memory retrieves: --model or --proxy, or --reader ./reader.ts

Examples:
  assay memory --system full-history --system bm25:10 --dataset locomo --model ${EXAMPLE_MODELS.openaiSmall} -n 100 --max-cost 2
  assay memory --system ./my-memory.ts --system last-n:40 --model ${EXAMPLE_MODELS.openaiSmall} --dataset longmemeval:s -n 50
  assay memory --system bm25:20 --dataset locomo=./locomo10.json --model ${EXAMPLE_MODELS.openaiSmall} --judge-model ${EXAMPLE_MODELS.openai}
  assay memory --system bm25:5 --reader ./reader.ts --dataset locomo --filter question_type=temporal
  assay memory --resume`;

const NOTHING_TO_RUN = `There is nothing to run: no flags, and neither assay.config.ts, .mjs or .yaml nor an *.eval.ts file in this folder.

Begin with one of these:
  assay demo                    compare context compressors, offline
  assay --model ${EXAMPLE_MODELS.openai} --dataset questions.jsonl --max-cost 2
  assay --system ./my-system.ts --dataset questions.jsonl
  assay init                    write a small project that runs
  assay --help                  list all commands`;

export function addRunCommand(program: Command, done: SetExitCode): void {
  const command = program
    .command("run", { isDefault: true })
    .description("run systems on datasets and report (the default command)");
  addAgentFlags(addSettings(command, INPUT_SETTINGS));
  addSettings(command, {
    ...SHARED_RUN_SETTINGS,
    ...UNTIL_SETTINGS,
    ...USER_SETTINGS,
    ...TRAFFIC_SETTINGS,
    ...QUEUE_SETTINGS,
    ...WATCH_SETTINGS,
  });
  const words = recordFlags(command);
  command
    .addHelpText("after", RUN_EXAMPLES)
    .argument("[evals...]", "eval files, or folders with *.eval.ts (default: assay.config.* and all eval files)")
    .action(async (evals: string[], options: CommanderRunOptions) => {
      for (const path of evals) if (!existsSync(path)) throw explainStrayArgument(program, path);
      if (program.args.length === 0 && (await isFolderEmpty())) throw new UsageError(NOTHING_TO_RUN);
      const { watch = false, ...flags } = toRunFlags(options);
      if (watch) done(await (await import("../watch.js")).executeWatch(evals, { flags, words }));
      else done(await (await import("../run.js")).executeRun(flags, evals));
    });
}

/** The flags as they were written, filled when the command line is parsed: for processes that run the same. */
function recordFlags(command: Command): readonly string[] {
  const words: string[] = [];
  for (const option of command.options)
    command.on(`option:${option.name()}`, (value: string | null | undefined) =>
      words.push(value == null ? `--${option.name()}` : `--${option.name()}=${value}`),
    );
  return words;
}

export function addMemoryCommand(program: Command, done: SetExitCode): void {
  const { systems, systemCommand, datasets, reader } = RUN_SETTINGS;
  const command = program
    .command("memory")
    .description("measure memory systems on long conversations: recall and cost");
  addSettings(command, {
    systems: { ...systems, help: "measure this memory; repeatable" },
    systemCommand: { ...systemCommand, help: "measure a memory in any language: 'python memory.py'; repeatable" },
    datasets: { ...datasets, help: "run locomo, longmemeval:s, …, or NAME=FILE for a local copy" },
    reader,
    ...SHARED_RUN_SETTINGS,
  })
    .addHelpText("after", MEMORY_EXAMPLES)
    .allowExcessArguments(false)
    .action(async (options: CommanderRunOptions) => {
      const { executeMemory } = await import("../memory.js");
      done(await executeMemory(toRunFlags(options)));
    });
}

/** True if this folder describes no run. */
async function isFolderEmpty(): Promise<boolean> {
  const { findConfig } = await import("../config-file.js");
  const { searchFolder } = await import("../find-eval-modules.js");
  return findConfig(process.cwd()) === undefined && searchFolder(".").length === 0;
}

/** `run` is the default command, so it receives every word that is not a command. */
function explainStrayArgument(program: Command, word: string): UsageError {
  if (program.args[0] === "run" || /[./\\]/.test(word)) {
    return new UsageError(
      `There is no eval file or folder ${word}. If it is a system or a dataset: --system or --dataset ${word}.`,
    );
  }
  const commands = program.commands.map((command) => command.name());
  return new UsageError(`Unknown command "${word}".${didYouMean(word, commands)}`);
}

/** As commander parses them: several flags form one key. */
export type CommanderRunOptions = Omit<RunFlags, "models" | "agents" | "judge" | "queue" | "cacheDir"> &
  ModelFlags &
  AgentFlags &
  ProgramFlags &
  JudgeFlags &
  QueueFlags & { cacheDir?: string | true };

export function toRunFlags(options: CommanderRunOptions): RunFlags {
  const { judge, rest } = splitJudgeFlags(options);
  const {
    agent,
    agentCommand,
    agentName,
    agentModel,
    agentContinue,
    model,
    proxy,
    name,
    api,
    queue,
    cacheDir,
    ...same
  } = rest;
  const { systemCommand, systemUrl, evaluatorCommand, systems, evaluators, ...plain } = same;
  const programs = { systemCommand, systemUrl, evaluatorCommand };
  // Names belong to models if there are any, otherwise to programs.
  const namesPrograms = (model ?? proxy) === undefined && (systemCommand ?? systemUrl) !== undefined;
  const models = describeModels({ model, proxy, name: namesPrograms ? undefined : name, api });
  return {
    ...plain,
    ...addProgramConfigs(omitUndefined({ systems, evaluators }), {
      ...programs,
      name: namesPrograms ? name : undefined,
    }),
    ...describeQueue(queue),
    ...toAgentConfigs({ agent, agentCommand, agentName, agentModel, agentContinue }),
    ...omitUndefined({ judge, models, cacheDir: cacheDir === true ? DEFAULT_CACHE_DIR : cacheDir }),
  };
}
