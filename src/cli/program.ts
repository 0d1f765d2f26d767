import { Command } from "commander";
import { UsageError } from "../core/errors.js";
import { didYouMean } from "../core/suggest.js";
import { VERSION } from "../core/version.js";
import { addDatasets } from "./dataset-commands.js";
import { collect, count, dollars, header, integer, json, number, pair, pairs } from "./flag-values.js";
import { addGrade, addJudge, addJudgeFlags } from "./grading-commands.js";
import { type JudgeFlags, splitJudgeFlags } from "./judge-flags.js";
import { addGateway, addMock, addModels, addReport } from "./model-commands.js";
import { describeModels } from "./model-flags.js";
import { addReportFlags } from "./report-flags.js";
import { DEFAULT_CACHE_DIR, DEFAULT_RUNS_DIR, type RunConfig } from "./run-config.js";

/** What the flags of `assay run` parse to: the parts of a run they override, and how to go about it. */
export interface RunFlags extends RunConfig {
  /** Headers that a stored run was started with and that are not kept. */
  secretHeaders?: readonly string[];
  config?: string;
  /** True for the latest unfinished run. */
  resume?: string | true;
  dryRun?: boolean;
  quiet?: boolean;
  verbose?: boolean;
}

export interface Program {
  run(argv: readonly string[]): Promise<number>;
}

/**
 * The command line: names, flags and help only. What a command does is imported when it runs, so that `--help` starts
 * nothing heavy.
 */
export function buildProgram(): Program {
  let exitCode = 0;
  const done = (code: number) => {
    exitCode = code;
  };
  const program = new Command("assay")
    .description("Measures what an LLM system is worth: how good, how dear, how fast, how dependable.")
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError("Run with --help for usage and examples.")
    .version(VERSION, "-V, --version", "print the version");
  addRun(program, done);
  addDemo(program, done);
  addDatasets(program, done);
  addModels(program, done);
  addReport(program, done);
  addGrade(program, done);
  addJudge(program, done);
  addGateway(program, done);
  addMock(program, done);
  addDoctor(program, done);
  program.addHelpText("after", EXAMPLES);
  for (const command of program.commands)
    if (command.name() !== "mock") command.option("--verbose", "stack traces with errors");
  return {
    async run(argv) {
      await program.parseAsync([...argv]);
      return exitCode;
    },
  };
}

/** Told the exit code of the command that ran. */
export type Done = (exitCode: number) => void;

const EXAMPLES = `
Examples:
  assay demo                                                     compare context compressors, offline
  assay demo budgets                                             three simulated models with dollar budgets
  assay --model openai/gpt-5 --dataset questions.jsonl --max-cost 2
  assay --proxy http://127.0.0.1:8080 --model my-model --dataset questions.jsonl
  assay gateway --max-cost 0.30 -- my-program args               hold any program to a budget
  assay --system truncate:0.5 --system extract:0.3 --dataset needle -n 50
  assay --system ./my-system.ts --dataset questions.jsonl --trials 3 --fail-under pass_rate=0.8
  assay --replay outputs.jsonl --dataset questions.jsonl --output json
  assay run --resume                                             go on with the run that was stopped

Exit codes: 0 fine, 1 a gate failed, 2 usage or configuration, 3 infrastructure or coverage too low, 130 interrupted.`;

const RUN_EXAMPLES = `
Models:      --model NAME of models.yml, --model PROVIDER/MODEL, or --proxy URL --model NAME
Systems:     passthrough, truncate:SHARE[:head|tail|middle], extract:SHARE, dedupe, …; or a file: ./my-system.ts
Datasets:    a .jsonl, .json or .csv file, or a name from 'assay datasets'
Evaluators:  answer_quality, math_equivalence, multiple_choice_accuracy, code_execution and more (docs/evaluators.md),
             or a file; DATASET=NAME for one dataset; left out, each dataset uses its own

Examples:
  assay run --system truncate:0.5 --system extract:0.3 --dataset needle -n 50
  assay run --system ./my-system.ts --dataset data.csv --map question=prompt,answer=gold
  assay run --model openai/gpt-5 --model anthropic/claude-sonnet-4-5 --dataset data.jsonl --max-cost 5 --dry-run
  assay run --proxy http://127.0.0.1:8080 --name squeezed --model gpt-5 --dataset data.jsonl --trials 3
  assay run --replay outputs.jsonl --dataset data.jsonl --score-field contains --threshold 1
  assay run --config nightly.config.yaml --trials 5 --fail-under pass_hat_3=0.8
  assay run --resume 20261115-213334-needle`;

function addRun(program: Command, done: Done): void {
  const command = program
    .command("run", { isDefault: true })
    .description("run systems on datasets and report (the default command)")
    .option("--system <spec>", "a system to measure; repeatable", collect)
    .option("--model <name>", "a model: from models.yml, PROVIDER/MODEL, or what --proxy serves; repeatable", collect)
    .option("--proxy <url>", "the base URL of an OpenAI-compatible endpoint; repeatable, with --model each", collect)
    .option("--name <name>", "what the system behind --model or --proxy is called; repeatable", collect)
    .option("--api <dialect>", "how it is spoken to: chat, responses, anthropic, gemini; repeatable", collect)
    .option("--models <file>", "models with prices and budgets (default: models.yml when there is one)")
    .option("--system-prompt <text>", "for models: the system prompt")
    .option("--temperature <number>", "for models", number)
    .option("--max-tokens <count>", "for models: the longest answer", count)
    .option("--extra-body <json>", "for models: added to the body of every request", json)
    .option("--header <name: value>", "for models: an extra header; repeatable", header)
    .option(
      "--timeout <seconds>",
      "for models: how long one call may take (default: 30 s more than the hard timeout)",
      number,
    )
    .option("--api-key-env <variable>", "for models: the name of the variable that holds the key")
    .option("--allow-insecure", "for models: let a key go over plain http to another machine")
    .option("--max-cost <dollars>", "for the whole run: trials that might exceed it are not started", dollars)
    .option("--trial-max-cost <dollars>", "for each trial: it is stopped there and graded on what it left", number)
    .option("--max-retries <count>", "calls that fail before any output are made again (default: 5)", integer)
    .option("--replay <file>", "measure outputs recorded in a JSONL file; repeatable", collect)
    .option("--dataset <spec>", "a dataset: a file or a name; repeatable", collect)
    .option(
      "--evaluator <spec>",
      "instead of the datasets' own; NAME for every dataset, DATASET=NAME for one; repeatable",
      collect,
    )
    .option(
      "--unsafe-local-exec",
      "run generated code without a sandbox when there is none: it can do all that you can",
    );
  addReportFlags(addJudgeFlags(command))
    .option("--metric <spec>", "a metric beside the standard ones; repeatable", collect)
    .option("--plugin <file>", "a module that exports register(registry); repeatable", collect)
    .option("--config <file>", "a run description (default: assay.config.ts, .mjs, .yaml when there is one)")
    .option("-n, --max-examples <count>", "at most this many examples of each dataset, a seeded sample", count)
    .option("--head", "with -n: the first examples instead of a sample")
    .option("--shuffle-seed <number>", "for the sample alone (default: --seed)", integer)
    .option("--filter <column=value>", "keep examples whose column equals the value; repeatable", pair)
    .option("--map <field=column,…>", "which column of a file each field comes from", pairs)
    .option("--skip-bad-rows", "leave out rows that cannot be read, and count them")
    .option("--score-field <field>", "the score that decides pass or fail (default: each dataset's own)")
    .option("--threshold <share>", "passing means at least this score (default: 0.7)", number)
    .option("--trials <count>", "how often each system answers each example (default: 1)", count)
    .option("--seed <number>", "for the sample, the order and the bootstrap (default: 0)", integer)
    .option("--max-workers <count>", "trials at a time (default: 8)", count)
    .option("--tokenizer <name>", "cl100k_base or o200k_base (default: cl100k_base)")
    .option("--cache-dir [dir]", "keep outputs by content and reuse them (default folder: .assay/cache)")
    .option("--runs-dir <dir>", "where run folders go (default: .assay/runs)")
    .option("--resume [run]", "go on with a run that was stopped (default: the latest unfinished one)")
    .option("--title <text>", "the report's title")
    .option("--dry-run", "print the plan and what it can detect; run nothing")
    .addHelpText("after", RUN_EXAMPLES)
    .allowExcessArguments(true)
    .action(async (options: CommanderRunOptions, { args }: Command) => {
      if (args[0] !== undefined) throw strayArgument(program, args[0]);
      const { runCommand } = await import("./run.js");
      done(await runCommand(toRunFlags(options)));
    });
}

/** As the default command, `run` is handed every word that is no command's name. */
function strayArgument(program: Command, word: string): UsageError {
  if (program.args[0] === "run") {
    return new UsageError(`assay run takes flags only, but got "${word}". Did you mean --system or --dataset ${word}?`);
  }
  const commands = program.commands.map((command) => command.name());
  return new UsageError(`Unknown command "${word}".${didYouMean(word, commands)}`);
}

/** Commander's own names: repeatable flags are singular there. */
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
> &
  JudgeFlags & {
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
  const { system, dataset, evaluator, metric, plugin, cacheDir, model, proxy, name, api, models, header, ...same } =
    rest;
  const described = describeModels({ model, proxy, name, api });
  return {
    ...same,
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

function addDemo(program: Command, done: Done): void {
  program
    .command("demo")
    .description("compare context compressors on a synthetic long-context task: offline, a few seconds")
    .argument("[budgets]", "the word 'budgets': three simulated models, one of which runs into its cap")
    .option("--output <name>", "table or json", "table")
    .option("--runs-dir <dir>", "where the run folder goes", DEFAULT_RUNS_DIR)
    .option("--seed <number>", "for another set of examples", integer, 0)
    .addHelpText("after", "\nExamples:\n  assay demo\n  assay demo budgets\n  assay demo --output json > demo.json")
    .allowExcessArguments(false)
    .action(async (which: string | undefined, options: { output: string; runsDir: string; seed: number }) => {
      if (which !== undefined && which !== "budgets")
        throw new UsageError(
          `There is no demo "${which}".${didYouMean(which, ["budgets"])} Run assay demo, or assay demo budgets.`,
        );
      if (which === "budgets") done(await (await import("./demo-budgets.js")).demoBudgetsCommand(options));
      else done(await (await import("./demo.js")).demoCommand(options));
    });
}

function addDoctor(program: Command, done: Done): void {
  program
    .command("doctor")
    .description("check what this machine has, and say what to do about what it lacks")
    .addHelpText("after", "\nExample:\n  assay doctor")
    .action(async () => {
      const { doctorCommand } = await import("./doctor.js");
      done(await doctorCommand());
    });
}
