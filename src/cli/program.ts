import { Command, InvalidArgumentError } from "commander";
import { UsageError } from "../core/errors.js";
import { didYouMean } from "../core/suggest.js";
import { VERSION } from "../core/version.js";
import { DEFAULT_CACHE_DIR, DEFAULT_RUNS_DIR, type RunConfig } from "./run-config.js";

/** What the flags of `assay run` parse to: the parts of a run they override, and how to go about it. */
export interface RunFlags extends RunConfig {
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
  addDoctor(program, done);
  program.addHelpText("after", EXAMPLES);
  for (const command of program.commands) command.option("--verbose", "stack traces with errors");
  return {
    async run(argv) {
      await program.parseAsync([...argv]);
      return exitCode;
    },
  };
}

type Done = (exitCode: number) => void;

const EXAMPLES = `
Examples:
  assay demo                                                     compare context compressors, offline
  assay --system truncate:0.5 --system extract:0.3 --dataset needle -n 50
  assay --system ./my-system.ts --dataset questions.jsonl --trials 3 --fail-under pass_rate=0.8
  assay --replay outputs.jsonl --dataset questions.jsonl --output json
  assay run --resume                                             go on with the run that was stopped

Exit codes: 0 fine, 1 a gate failed, 2 usage or configuration, 3 infrastructure or coverage too low, 130 interrupted.`;

const RUN_EXAMPLES = `
Systems:     passthrough, truncate:SHARE[:head|tail|middle], extract:SHARE, dedupe, …; or a file: ./my-system.ts
Datasets:    a .jsonl, .json or .csv file, or a name from 'assay datasets'
Evaluators:  answer_quality, or a file; left out, each dataset uses its own

Examples:
  assay run --system truncate:0.5 --system extract:0.3 --dataset needle -n 50
  assay run --system ./my-system.ts --dataset data.csv --map question=prompt,answer=gold
  assay run --replay outputs.jsonl --dataset data.jsonl --score-field contains --threshold 1
  assay run --config nightly.config.yaml --trials 5 --fail-under pass_hat_3=0.8
  assay run --resume 20261115-213334-needle`;

function addRun(program: Command, done: Done): void {
  program
    .command("run", { isDefault: true })
    .description("run systems on datasets and report (the default command)")
    .option("--system <spec>", "a system to measure; repeatable", collect)
    .option("--replay <file>", "measure outputs recorded in a JSONL file; repeatable", collect)
    .option("--dataset <spec>", "a dataset: a file or a name; repeatable", collect)
    .option("--evaluator <spec>", "an evaluator instead of the datasets' own; repeatable", collect)
    .option("--metric <spec>", "a metric beside the standard ones; repeatable", collect)
    .option("--plugin <file>", "a module that exports register(registry); repeatable", collect)
    .option("--config <file>", "a run description (default: assay.config.ts, .mjs, .yaml when there is one)")
    .option("-n, --max-examples <count>", "at most this many examples of each dataset, a seeded sample", count)
    .option("--head", "with -n: the first examples instead of a sample")
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
    .option("--output <name>", "table or json, or a plugin's reporter (default: table)")
    .option("--columns <groups>", "of the table: quality, tokens, cost, speed, trials, datasets, other", list)
    .option("--dry-run", "print the plan and what it can detect; run nothing")
    .option("--min-coverage <share>", "exit 3 when fewer of the planned trials were scored (default: 0.95)", number)
    .option("--fail-under <metric=value>", "exit 1 when a system's metric is lower; repeatable", thresholds)
    .option("--fail-over <metric=value>", "exit 1 when a system's metric is higher; repeatable", thresholds)
    .option("--quiet", "no progress")
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
  "systems" | "datasets" | "evaluators" | "metrics" | "plugins" | "cacheDir"
> & {
  system?: string[];
  dataset?: string[];
  evaluator?: string[];
  metric?: string[];
  plugin?: string[];
  cacheDir?: string | true;
};

function toRunFlags({ system, dataset, evaluator, metric, plugin, cacheDir, ...same }: CommanderRunOptions): RunFlags {
  return {
    ...same,
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
    .option("--output <name>", "table or json", "table")
    .option("--runs-dir <dir>", "where the run folder goes", DEFAULT_RUNS_DIR)
    .option("--seed <number>", "for another set of examples", integer, 0)
    .addHelpText("after", "\nExamples:\n  assay demo\n  assay demo --output json > demo.json")
    .allowExcessArguments(false)
    .action(async (options: { output: string; runsDir: string; seed: number }) => {
      const { demoCommand } = await import("./demo.js");
      done(await demoCommand(options));
    });
}

function addDatasets(program: Command, done: Done): void {
  program
    .command("datasets")
    .description("list the datasets that have a name, or show one")
    .argument("[show]", "the word 'show'")
    .argument("[name]", "the dataset, or a file")
    .option("--plugin <file>", "a module that exports register(registry); repeatable", collect)
    .option("--map <field=column,…>", "which column of a file each field comes from", pairs)
    .option("--seed <number>", "for the example that is shown", integer, 0)
    .addHelpText(
      "after",
      "\nExamples:\n  assay datasets\n  assay datasets show needle\n  assay datasets show questions.jsonl",
    )
    .action(async (action: string | undefined, name: string | undefined, options: DatasetsOptions) => {
      const { datasetsCommand } = await import("./datasets.js");
      done(await datasetsCommand(action, name, options));
    });
}

export interface DatasetsOptions {
  plugin?: readonly string[];
  map?: Readonly<Record<string, string>>;
  seed: number;
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

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

function list(value: string): string[] {
  return value.split(",").map((item) => item.trim());
}

function number(value: string): number {
  const parsed = Number(value);
  if (value.trim() === "" || !Number.isFinite(parsed)) throw new InvalidArgumentError("It must be a number.");
  return parsed;
}

function integer(value: string): number {
  const parsed = number(value);
  if (!Number.isSafeInteger(parsed)) throw new InvalidArgumentError("It must be a whole number.");
  return parsed;
}

function count(value: string): number {
  const parsed = integer(value);
  if (parsed < 1) throw new InvalidArgumentError("It must be at least 1.");
  return parsed;
}

/** `a=b`, given once or several times. The value may hold commas. */
function pair(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It must look like name=value.");
  return { ...before, [text.slice(0, at).trim()]: text.slice(at + 1).trim() };
}

/** `a=b,c=d`, given once or several times. */
function pairs(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  return text.split(",").reduce<Record<string, string>>((parsed, one) => pair(one, parsed), { ...before });
}

function thresholds(value: string, before: Readonly<Record<string, number>> = {}): Record<string, number> {
  const parsed = Object.entries(pairs(value)).map(([key, least]) => [key, number(least)] as const);
  return { ...before, ...Object.fromEntries(parsed) };
}
