import type { Command } from "commander";
import { port } from "../flag-values.js";
import type { Done } from "../program.js";
import { DEFAULT_RUNS_DIR } from "../run-config.js";
import type { ServeFlags } from "../serve.js";

const EXAMPLES = `
Pages:    the leaderboard with its charts, all runs, trends, one run (live while it is going), one trial, two runs compared

Examples:
  assay serve
  assay serve --port 8080 --no-open
  assay serve --runs-dir nightly/runs
  assay serve --host 0.0.0.0 --token            other machines may look, with the token that is printed
  ASSAY_TOKEN=… assay serve --host 0.0.0.0 --token

To send somebody one run as a file: assay report RUN --output html > report.html`;

/** `assay serve`. */
export function addServe(program: Command, done: Done): void {
  program
    .command("serve")
    .description("look at stored runs in the browser: leaderboard, charts, rows, trials, comparisons; runs nothing")
    .option("--runs-dir <dir>", "where run folders are", DEFAULT_RUNS_DIR)
    .option("--port <number>", "where to listen (default: 4680, or one that is free; 0 for any)", port)
    .option("--host <address>", "listen there instead of on this machine alone; others need --token")
    .option("--token [text]", "ask every visitor for this (default: ASSAY_TOKEN, or a new one that is printed)")
    .option("--no-open", "do not open a browser")
    .allowExcessArguments(false)
    .addHelpText("after", EXAMPLES)
    .action(async (options: ServeFlags) => {
      const { serveCommand } = await import("../serve.js");
      done(await serveCommand(options));
    });
}
