import { Command } from "commander";
import { didYouMean, EXAMPLE_MODELS, UsageError, VERSION } from "../core/index.js";
import { addCiCommand } from "./commands/ci.js";
import { addCompareCommand } from "./commands/compare.js";
import { addCostCommand } from "./commands/cost.js";
import { addDatasetsCommand } from "./commands/datasets.js";
import { addDiffCommand } from "./commands/diff.js";
import { addEvalCommand, COMMON_EVAL_FLAGS } from "./commands/eval.js";
import { addExperimentCommand } from "./commands/experiment.js";
import { addExportCommand } from "./commands/export.js";
import { addGradeCommand, addJudgeCommand } from "./commands/grading.js";
import { addImportCommand } from "./commands/import.js";
import { addInitCommand } from "./commands/init.js";
import { addLabelCommand } from "./commands/label.js";
import { addLintCommand } from "./commands/lint.js";
import { addMigrateCommand, COMMON_MIGRATE_FLAGS } from "./commands/migrate.js";
import { addGatewayCommand, addMockCommand, addModelsCommand, addReportCommand } from "./commands/models.js";
import { addOracleCommand } from "./commands/oracle.js";
import { addPricesCommand } from "./commands/prices.js";
import { addQueryCommand } from "./commands/query.js";
import { addQueueCommand } from "./commands/queue.js";
import { addMemoryCommand, addRunCommand, COMMON_RUN_FLAGS } from "./commands/run.js";
import { addBaselineCommand, addRunsCommand } from "./commands/runs.js";
import { addServeCommand } from "./commands/serve.js";
import { addShowCommand } from "./commands/show.js";
import { addStressCommand, COMMON_STRESS_FLAGS } from "./commands/stress.js";
import { addTasksCommand } from "./commands/tasks.js";
import { addWorkerCommand } from "./commands/worker.js";
import { collectValues, parseIntegerFlag } from "./flag-values.js";
import { type CommandGroup, createHelpOutput, HELP_STYLE, showOnlyFlags, wantsCommonFlags } from "./help.js";
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
    .configureHelp(HELP_STYLE)
    .configureOutput(createHelpOutput())
    .version(VERSION, "-V, --version", "print the version");
  for (const { name, group, add, commonFlags } of selectCommands(argv)) {
    add(program, done);
    const command = program.commands.find((one) => one.name() === name);
    command?.helpGroup(`${group}:`);
    if (name !== "mock") command?.option("--verbose", "print stack traces with errors");
    if (command !== undefined && commonFlags !== undefined && wantsCommonFlags(argv))
      showOnlyFlags(command, commonFlags);
  }
  program.commandsGroup("Project:").helpCommand("help [command]", "show the help of a command");
  program.addHelpText("after", EXAMPLES);
  return {
    async run() {
      await program.parseAsync([...argv]);
      return exitCode;
    },
  };
}

export type SetExitCode = (exitCode: number) => void;

interface CliCommand {
  readonly name: string;
  /** Its heading in `assay --help`. */
  readonly group: CommandGroup;
  readonly add: (program: Command, done: SetExitCode) => void;
  /** For a command with dozens of flags: those that `--help` shows. `--help all` shows the rest. */
  readonly commonFlags?: readonly string[];
}

/** In the order of the help, group by group. */
const COMMANDS: readonly CliCommand[] = [
  { name: "run", group: "Measure", add: addRunCommand, commonFlags: COMMON_RUN_FLAGS },
  { name: "memory", group: "Measure", add: addMemoryCommand, commonFlags: [...COMMON_RUN_FLAGS, "--reader"] },
  { name: "migrate", group: "Measure", add: addMigrateCommand, commonFlags: COMMON_MIGRATE_FLAGS },
  { name: "stress", group: "Measure", add: addStressCommand, commonFlags: COMMON_STRESS_FLAGS },
  { name: "ci", group: "Measure", add: addCiCommand },
  { name: "grade", group: "Measure", add: addGradeCommand },
  { name: "judge", group: "Measure", add: addJudgeCommand },
  { name: "label", group: "Measure", add: addLabelCommand },
  { name: "demo", group: "Measure", add: addDemoCommand },
  { name: "report", group: "Look", add: addReportCommand },
  { name: "show", group: "Look", add: addShowCommand },
  { name: "cost", group: "Look", add: addCostCommand },
  { name: "diff", group: "Look", add: addDiffCommand },
  { name: "compare", group: "Look", add: addCompareCommand },
  { name: "tasks", group: "Look", add: addTasksCommand },
  { name: "runs", group: "Look", add: addRunsCommand },
  { name: "baseline", group: "Look", add: addBaselineCommand },
  { name: "query", group: "Look", add: addQueryCommand },
  { name: "export", group: "Look", add: addExportCommand },
  { name: "eval", group: "Evals", add: addEvalCommand, commonFlags: COMMON_EVAL_FLAGS },
  { name: "experiment", group: "Evals", add: addExperimentCommand },
  { name: "lint", group: "Evals", add: addLintCommand },
  { name: "oracle", group: "Evals", add: addOracleCommand },
  { name: "serve", group: "Serve and scale", add: addServeCommand },
  { name: "gateway", group: "Serve and scale", add: addGatewayCommand },
  { name: "mock", group: "Serve and scale", add: addMockCommand },
  { name: "worker", group: "Serve and scale", add: addWorkerCommand },
  { name: "queue", group: "Serve and scale", add: addQueueCommand },
  { name: "init", group: "Project", add: addInitCommand },
  { name: "datasets", group: "Project", add: addDatasetsCommand },
  { name: "models", group: "Project", add: addModelsCommand },
  { name: "prices", group: "Project", add: addPricesCommand },
  { name: "import", group: "Project", add: addImportCommand },
  { name: "doctor", group: "Project", add: addDoctorCommand },
];

/** Only the named command, since building the flags of all commands takes most of the time; all if none is named. */
function selectCommands([, , name]: readonly string[]): readonly CliCommand[] {
  const named = COMMANDS.find((command) => command.name === name);
  return named === undefined ? COMMANDS : [named];
}

const EXAMPLES = `
Examples:
  assay demo                    compare context compressors, offline
  assay --model ${EXAMPLE_MODELS.openai} --dataset questions.jsonl --max-cost 2
  assay --system ./my-system.ts --dataset questions.jsonl --trials 3
  assay --agent claude --dataset agent-tasks --max-cost 5
  assay show latest             see what a system did, trial by trial
  assay serve                   view all runs in the browser

Without a command, assay runs systems: assay run --help shows the flags.
Exit codes: 0 success, 1 a gate failed, 2 wrong usage or configuration,
            3 infrastructure or coverage too low,
            130 interrupted (143 by SIGTERM, 129 by SIGHUP).`;

const DEMO_EXAMPLES = `
Examples:
  assay demo                          compare context compressors
  assay demo budgets                  run three simulated models with dollar budgets
  assay demo migrate                  judge two simulated models that may replace a third
  assay demo decide                   stop as soon as one of two simulated models is known to be better
  assay demo agents                   run every installed coding agent with a simulated model: no key, no cost
  assay demo agents --agent claude
  assay demo --output json > demo.json`;

const DEMOS = ["budgets", "migrate", "decide", "agents"];

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
    .argument(
      "[which]",
      "'budgets': three simulated models; 'migrate': which of two may replace a third; 'decide': stop when one is better; 'agents': coding agents on eight tiny tasks",
    )
    .option("--agent <name>", "for 'agents': run only this installed agent; repeatable", collectValues)
    .option("--output <name>", "print table or json", "table")
    .option("--runs-dir <dir>", "write the run folder here", DEFAULT_RUNS_DIR)
    .option("--seed <number>", "seed the examples", parseIntegerFlag, 0)
    .addHelpText("after", DEMO_EXAMPLES)
    .allowExcessArguments(false)
    .action(async (which: string | undefined, { agent, ...options }: DemoFlags) => {
      if (which !== undefined && !DEMOS.includes(which))
        throw new UsageError(
          `Unknown demo "${which}".${didYouMean(which, DEMOS)} Run assay demo, or one of: ${DEMOS.map((name) => `assay demo ${name}`).join(", ")}.`,
        );
      if (agent !== undefined && which !== "agents")
        throw new UsageError("--agent is only for assay demo agents. Remove it.");
      const agents = agent === undefined ? {} : { agents: agent };
      if (which === "budgets") done(await (await import("./demo.js")).executeDemoBudgets(options));
      else if (which === "migrate") done(await (await import("./demo-migrate.js")).executeDemoMigrate(options));
      else if (which === "decide") done(await (await import("./demo-decide.js")).executeDemoDecide(options));
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
