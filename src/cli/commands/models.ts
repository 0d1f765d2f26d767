import type { Command } from "commander";
import { collect, count, dollars, integer, list, number, pairs, port } from "../flag-values.js";
import type { GatewayOptions } from "../gateway.js";
import type { MockFlags } from "../mock.js";
import type { ModelsOptions } from "../models.js";
import type { Done } from "../program.js";
import type { ReportFlags } from "../report.js";
import { DEFAULT_RUNS_DIR } from "../run-config.js";
import { TRUST_FLAG } from "../trust.js";

export function addModels(program: Command, done: Done): void {
  program
    .command("models")
    .description("print the models of a models file: every price and limit, and the rule that decided it")
    .argument("[file]", "the models file (default: models.yml)")
    .option("--check", "say what is wrong with the file, and nothing else")
    .option("--output <name>", "table or json", "table")
    .addHelpText("after", "\nExamples:\n  assay models\n  assay models team.yml --check\n  assay models --output json")
    .action(async (file: string | undefined, options: Omit<ModelsOptions, "file">) => {
      const { modelsCommand } = await import("../models.js");
      done(await modelsCommand({ ...options, ...(file === undefined ? {} : { file }) }));
    });
}

export function addReport(program: Command, done: Done): void {
  program
    .command("report")
    .description("report a stored run again from its rows, with other prices if you like; runs nothing")
    .argument("[run]", "a run folder or id (default: the latest)")
    .option("--prices <file>", "a models file: costs are worked out again from the tokens that were used")
    .option("--output <name>", "table, json, eval, markdown, junit or html, or a plugin's (default: as it was made)")
    .option("--columns <groups>", "of the table: quality, tokens, cost, speed, trials, datasets, facets, other", list)
    .option("--runs-dir <dir>", "where run folders are", DEFAULT_RUNS_DIR)
    .option("--plugin <file>", "a module that exports register(registry); repeatable", collect)
    .option(...TRUST_FLAG)
    .addHelpText(
      "after",
      "\nExamples:\n  assay report\n  assay report 20261115-213334-needle --output json\n  assay report --prices new-prices.yml\n  assay report --output junit > junit.xml\n  assay report latest --output html > report.html",
    )
    .action(async (run: string | undefined, options: ReportFlags) => {
      const { reportCommand } = await import("../report.js");
      done(await reportCommand(run, options));
    });
}

export function addGateway(program: Command, done: Done): void {
  program
    .command("gateway")
    .description("run any program with its model calls metered, and stop it when its budget is spent")
    .argument("[command...]", "the program and its arguments, after --")
    .option("--max-cost <dollars>", "stop the program when its calls have cost more than this", dollars)
    .option("--max-tokens <count>", "stop the program when its calls have used more tokens than this", count)
    .option("--model-map <name=name,…>", "send calls for one model to another", pairs)
    .option("--models <file>", "prices (default: models.yml when there is one, then the bundled table)")
    .option("--upstream <provider=url,…>", "where calls go: openai, anthropic, google", pairs)
    .option("--timeout <seconds>", "stop the program after this long", number)
    .option("--allow-insecure", "let a key go over plain http to another machine")
    .option("--allow-unmetered", "with --max-cost, pass on what cannot be metered: images, audio, files, batches")
    .option("--output <name>", "the receipt: table (to stderr) or json (to stdout)", "table")
    .addHelpText("after", GATEWAY_EXAMPLES)
    .action(async (command: string[], options: GatewayOptions) => {
      const { gatewayCommand } = await import("../gateway.js");
      done(await gatewayCommand(options, command));
    });
}

const GATEWAY_EXAMPLES = `
Examples:
  assay gateway --max-cost 0.30 -- python my_agent.py
  assay gateway --max-cost 1 -- claude -p "fix the tests"
  assay gateway --upstream openai=http://127.0.0.1:8080/v1 -- node app.js
  assay gateway                                      print the variables and meter until Ctrl-C`;

export function addMock(program: Command, done: Done): void {
  program
    .command("mock")
    .description("a local model endpoint that speaks four dialects and does what it is told")
    .option("--port <number>", "0 takes a free one", port, 0)
    .option("--host <name>", "where to listen", "127.0.0.1")
    .option("--allow-remote", "let --host be reachable from other machines")
    .option("--latency <ms>", "before the first byte", number)
    .option("--tokens-per-sec <count>", "the pace of the stream", number)
    .option("--reply <text>", "what it answers; 'echo' repeats the question")
    .option("--answers <file>", "a JSONL of examples: it knows their answers")
    .option("--success-rate <share>", "how often it uses what it knows", number)
    .option("--output-tokens <count>", "how long its answers are", count)
    .option("--fault <kind=rate>", "faults such as 429=0.1, 500=0.05, cut=0.02; repeatable", collect)
    .option("--require-key <value>", "refuse requests without this key")
    .option("--seed <number>", "for what is random", integer)
    .option("--script <file>", "all of this and more as YAML or JSON")
    .option("--verbose", "a line for each request, and stack traces with errors")
    .addHelpText(
      "after",
      "\nExamples:\n  assay mock --port 8080\n  assay mock --latency 50 --tokens-per-sec 80 --fault 429=0.1\n  assay mock --answers questions.jsonl --success-rate 0.8",
    )
    .action(async (options: MockFlags) => {
      const { mockCommand } = await import("../mock.js");
      done(await mockCommand(options));
    });
}
