import type { Command } from "commander";
import { EXAMPLE_MODELS } from "../../core/index.js";
import {
  collectExpertCosts,
  collectPairs,
  collectValues,
  parseCountFlag,
  parseDollarsFlag,
  parseIntegerFlag,
  parseListFlag,
  parseNumberFlag,
  parsePortFlag,
} from "../flag-values.js";
import type { GatewayFlags } from "../gateway.js";
import type { MockFlags } from "../mock.js";
import type { ModelsFlags } from "../models.js";
import type { ModelsShowFlags } from "../models-show.js";
import type { SetExitCode } from "../program.js";
import type { ReportFlags } from "../report.js";
import { DEFAULT_RUNS_DIR } from "../run-config.js";
import { TRUST_FLAG } from "../trust.js";

export function addModelsCommand(program: Command, done: SetExitCode): void {
  const models = program
    .command("models")
    .description("print the models of a models file: every price and limit, and the rule that set it")
    .argument("[file]", "the models file (default: models.yml)")
    .option("--check", "only report problems, and models in config and eval files that ended or end soon")
    .option("--output <name>", "print table or json", "table")
    .addHelpText(
      "after",
      "\nExamples:\n  assay models\n  assay models team.yml --check\n  assay models --output json\n  assay models show NAME",
    )
    .action(async (file: string | undefined, options: Omit<ModelsFlags, "file">) => {
      const { executeModels } = await import("../models.js");
      done(await executeModels({ ...options, ...(file === undefined ? {} : { file }) }));
    });
  models
    .command("show")
    .description("print what is known about one model: endpoint, key, capabilities, price and how it was found")
    .argument("<name>", "PROVIDER/MODEL, or a name of the models file")
    .option("--models <file>", "the models file (default: models.yml)")
    .option("--output <name>", "print table or json", "table")
    .addHelpText(
      "after",
      `\nExamples:\n  assay models show ${EXAMPLE_MODELS.openai}\n  assay models show small --output json`,
    )
    .action(async (name: string, _: unknown, command: Command) => {
      const { executeModelsShow } = await import("../models-show.js");
      // The command above has the same --output.
      done(await executeModelsShow(name, command.optsWithGlobals<ModelsShowFlags>()));
    });
}

export function addReportCommand(program: Command, done: SetExitCode): void {
  program
    .command("report")
    .description("report a stored run again, optionally with other prices; runs nothing")
    .argument("[run]", "a run folder or id, 'latest', a tag or a title (default: the latest)")
    .option("--prices <file>", "recompute costs from the used tokens with the prices of this models file")
    .option(
      "--expert-cost <usd>",
      "set what an expert charges for one example, part of the frontier cost of a pass: 3.5, or gsm8k=3.5,math=12",
      collectExpertCosts,
    )
    .option(
      "--output <name>",
      "print table, json, eval, markdown, junit or html, or a plugin's format (default: the run's own)",
    )
    .option(
      "--columns <groups>",
      "select columns of the table: quality, tokens, cost, speed, trials, datasets, facets, other",
      parseListFlag,
    )
    .option("--labels [file]", "correct pass rates by the labels of the run, or of a JSONL or CSV file")
    .option(
      "--half-width <share>",
      "with --labels: say how many labels give this precision (default: 0.05)",
      parseNumberFlag,
    )
    .option(
      "--strata <facet>",
      "narrow intervals by holding the mix of a facet fixed, such as subject, or of datasets: dataset",
    )
    .option(
      "--use-history [runs]",
      "narrow intervals by how hard the tasks are in other stored runs, all or these, separated by commas",
      parseListFlag,
    )
    .option("--runs-dir <dir>", "read run folders from here", DEFAULT_RUNS_DIR)
    .option("--plugin <file>", "load a module that exports register(registry); repeatable", collectValues)
    .option(...TRUST_FLAG)
    .addHelpText(
      "after",
      "\nExamples:\n  assay report\n  assay report 20261115-213334-needle --output json\n  assay report --prices new-prices.yml\n  assay report --expert-cost 3.5\n  assay report latest --labels\n  assay report latest --use-history\n  assay report latest --strata subject\n  assay report --output junit > junit.xml\n  assay report latest --output html > report.html",
    )
    .action(async (run: string | undefined, options: ReportFlags) => {
      const { executeReport } = await import("../report.js");
      done(await executeReport(run, options));
    });
}

export function addGatewayCommand(program: Command, done: SetExitCode): void {
  program
    .command("gateway")
    .description("run any program with its model calls metered, and stop it when its budget is spent")
    .argument("[command...]", "the program and its arguments, after --")
    .option("--max-cost <dollars>", "stop the program when its calls have cost more than this", parseDollarsFlag)
    .option("--max-tokens <count>", "stop the program when its calls have used more tokens than this", parseCountFlag)
    .option("--model-map <name=name,…>", "send calls for one model to another", collectPairs)
    .option("--models <file>", "read prices from this file (default: models.yml if present, then the bundled table)")
    .option("--upstream <provider=url,…>", "forward calls of openai, anthropic or google to this URL", collectPairs)
    .option("--timeout <seconds>", "stop the program after this time", parseNumberFlag)
    .option("--allow-insecure", "allow sending a key over plain http to another machine")
    .option("--allow-unmetered", "with --max-cost, allow calls that cannot be metered: images, audio, files, batches")
    .option("--output <name>", "print the receipt as table (to stderr) or json (to stdout)", "table")
    .addHelpText("after", GATEWAY_EXAMPLES)
    .action(async (command: string[], options: GatewayFlags) => {
      const { executeGateway } = await import("../gateway.js");
      done(await executeGateway(options, command));
    });
}

const GATEWAY_EXAMPLES = `
Examples:
  assay gateway --max-cost 0.30 -- python my_agent.py
  assay gateway --max-cost 1 -- claude -p "fix the tests"
  assay gateway --upstream openai=http://127.0.0.1:8080/v1 -- node app.js
  assay gateway                                      print the variables and meter until Ctrl-C`;

export function addMockCommand(program: Command, done: SetExitCode): void {
  program
    .command("mock")
    .description("serve a scripted model endpoint with five API formats")
    .option("--port <number>", "listen on this port; 0 for a free one", parsePortFlag, 0)
    .option("--host <name>", "listen on this address", "127.0.0.1")
    .option("--allow-remote", "allow --host to be reachable from other machines")
    .option("--latency <ms>", "wait this long before the first byte", parseNumberFlag)
    .option("--tokens-per-sec <count>", "stream at this rate", parseNumberFlag)
    .option("--reply <text>", "answer with this text; 'echo' repeats the question")
    .option("--answers <file>", "answer the examples of this dataset file correctly")
    .option("--success-rate <share>", "answer this share of known examples correctly", parseNumberFlag)
    .option("--output-tokens <count>", "set the length of answers", parseCountFlag)
    .option("--fault <kind=rate>", "inject faults such as 429=0.1, 500=0.05, cut=0.02; repeatable", collectValues)
    .option("--require-key <value>", "reject requests without this key")
    .option("--seed <number>", "seed the random choices", parseIntegerFlag)
    .option("--script <file>", "read all of these settings and more from a YAML or JSON file")
    .option("--from-cassette <path>", "answer from this cassette of --record, or from a folder of cassettes")
    .option("--verbose", "print a line for each request, and stack traces with errors")
    .addHelpText(
      "after",
      "\nExamples:\n  assay mock --port 8080\n  assay mock --port 8080 --from-cassette cassettes\n  assay mock --latency 50 --tokens-per-sec 80 --fault 429=0.1\n  assay mock --answers questions.jsonl --success-rate 0.8",
    )
    .action(async (options: MockFlags) => {
      const { executeMock } = await import("../mock.js");
      done(await executeMock(options));
    });
}
