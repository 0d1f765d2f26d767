import { Command } from "commander";
import { didYouMean, UsageError, VERSION } from "../core/index.js";
import { addCompareCommand } from "./commands/compare.js";
import { addDatasetsCommand } from "./commands/datasets.js";
import { addEvalCommand } from "./commands/eval.js";
import { addExperimentCommand } from "./commands/experiment.js";
import { addExportCommand } from "./commands/export.js";
import { addGradeCommand, addJudgeCommand } from "./commands/grading.js";
import { addImportCommand } from "./commands/import.js";
import { addInitCommand } from "./commands/init.js";
import { addLintCommand } from "./commands/lint.js";
import { addGatewayCommand, addMockCommand, addModelsCommand, addReportCommand } from "./commands/models.js";
import { addOracleCommand } from "./commands/oracle.js";
import { addQueryCommand } from "./commands/query.js";
import { addQueueCommand } from "./commands/queue.js";
import { addMemoryCommand, addRunCommand } from "./commands/run.js";
import { addServeCommand } from "./commands/serve.js";
import { addShowCommand } from "./commands/show.js";
import { addWorkerCommand } from "./commands/worker.js";
import { collectValues, parseIntegerFlag } from "./flag-values.js";
import { DEFAULT_RUNS_DIR } from "./run-config.js";

export interface CliProgram {
  run(): Promise<number>;
}

/** Only names, flags and help. The implementation of a command is imported when it runs, so that `--help` stays fast. */
export function buildProgram(argv: readonly string[]): CliProgram {
  let exitCode = 0;
  const done = (code: number) => {
    exitCode = code;
  };
  const program = new Command("assay")
    .description("Measure LLM systems: quality, cost, speed and reliability.")
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError("Run with --help for usage and examples.")
    .version(VERSION, "-V, --version", "print the version");
  for (const add of selectCommands(argv)) add(program, done);
  program.addHelpText("after", EXAMPLES);
  for (const command of program.commands)
    if (command.name() !== "mock") command.option("--verbose", "print stack traces with errors");
  return {
    async run() {
      await program.parseAsync([...argv]);
      return exitCode;
    },
  };
}

export type SetExitCode = (exitCode: number) => void;

/** In the order of the help. */
const COMMANDS: ReadonlyMap<string, (program: Command, done: SetExitCode) => void> = new Map([
  ["run", addRunCommand],
  ["memory", addMemoryCommand],
  ["eval", addEvalCommand],
  ["init", addInitCommand],
  ["lint", addLintCommand],
  ["oracle", addOracleCommand],
  ["experiment", addExperimentCommand],
  ["demo", addDemoCommand],
  ["datasets", addDatasetsCommand],
  ["models", addModelsCommand],
  ["report", addReportCommand],
  ["compare", addCompareCommand],
  ["worker", addWorkerCommand],
  ["queue", addQueueCommand],
  ["serve", addServeCommand],
  ["show", addShowCommand],
  ["query", addQueryCommand],
  ["export", addExportCommand],
  ["import", addImportCommand],
  ["grade", addGradeCommand],
  ["judge", addJudgeCommand],
  ["gateway", addGatewayCommand],
  ["mock", addMockCommand],
  ["doctor", addDoctorCommand],
]);

/** Only the named command, since building the flags of all commands takes most of the time; all if none is named. */
function selectCommands([, , name = ""]: readonly string[]): Iterable<(program: Command, done: SetExitCode) => void> {
  const named = COMMANDS.get(name);
  return named === undefined ? COMMANDS.values() : [named];
}

const EXAMPLES = `
Examples:
  assay demo                                                     compare context compressors, offline
  assay demo budgets                                             run three simulated models with dollar budgets
  assay demo agents                                              run coding agents on eight tiny tasks, with a simulated model
  assay --model openai/gpt-5 --dataset questions.jsonl --max-cost 2
  assay --agent claude --agent codex:gpt-5.5 --dataset agent-tasks --trials 3 --max-cost 5
  assay show latest off-by-one                                   see what an agent did, event by event
  assay serve                                                    view all runs in the browser
  assay --model openai/gpt-5 --dataset gsm8k --dataset mmlu:anatomy -n 50 --max-cost 2
  assay memory --system bm25:10 --dataset locomo --model openai/gpt-5-mini -n 100
  assay --proxy http://127.0.0.1:8080 --model my-model --dataset questions.jsonl
  assay gateway --max-cost 0.30 -- my-program args               limit the cost of any program
  assay --system truncate:0.5 --system extract:0.3 --dataset needle -n 50
  assay --system ./my-system.ts --dataset questions.jsonl --trials 3 --fail-under pass_rate=0.8
  assay --replay outputs.jsonl --dataset questions.jsonl --output json
  assay run --resume                                             resume the latest unfinished run
  assay worker --queue redis://queue:6379                        run trials of assay run --queue, on any machine

Exit codes: 0 success, 1 a gate failed, 2 wrong usage or configuration, 3 infrastructure or coverage too low, 130 interrupted (143 by SIGTERM, 129 by SIGHUP).`;

const DEMO_EXAMPLES = `
Examples:
  assay demo                          compare context compressors
  assay demo budgets                  run three simulated models with dollar budgets
  assay demo agents                   run every installed coding agent with a simulated model: no key, no cost
  assay demo agents --agent claude
  assay demo --output json > demo.json`;

interface DemoFlags {
  output: string;
  runsDir: string;
  seed: number;
  agent?: string[];
}

function addDemoCommand(program: Command, done: SetExitCode): void {
  program
    .command("demo")
    .description("compare context compressors on a synthetic long-context task: offline, takes a few seconds")
    .argument("[which]", "'budgets': three simulated models; 'agents': coding agents on eight tiny tasks")
    .option("--agent <name>", "for 'agents': run only this installed agent; repeatable", collectValues)
    .option("--output <name>", "print table or json", "table")
    .option("--runs-dir <dir>", "write the run folder here", DEFAULT_RUNS_DIR)
    .option("--seed <number>", "seed the examples", parseIntegerFlag, 0)
    .addHelpText("after", DEMO_EXAMPLES)
    .allowExcessArguments(false)
    .action(async (which: string | undefined, { agent, ...options }: DemoFlags) => {
      if (which !== undefined && which !== "budgets" && which !== "agents")
        throw new UsageError(
          `Unknown demo "${which}".${didYouMean(which, ["budgets", "agents"])} Run assay demo, assay demo budgets or assay demo agents.`,
        );
      if (agent !== undefined && which !== "agents")
        throw new UsageError("--agent is only for assay demo agents. Remove it.");
      const agents = agent === undefined ? {} : { agents: agent };
      if (which === "budgets") done(await (await import("./demo.js")).executeDemoBudgets(options));
      else if (which === "agents")
        done(await (await import("./demo-agents.js")).executeDemoAgents({ ...options, ...agents }));
      else done(await (await import("./demo.js")).executeDemo(options));
    });
}

function addDoctorCommand(program: Command, done: SetExitCode): void {
  program
    .command("doctor")
    .description("check what this machine has, and say how to fix what is missing")
    .addHelpText("after", "\nExample:\n  assay doctor")
    .action(async () => {
      const { executeDoctor } = await import("./doctor.js");
      done(await executeDoctor());
    });
}
