import type { Command } from "commander";
import { parsePortFlag } from "../flag-values.js";
import type { SetExitCode } from "../program.js";
import { DEFAULT_RUNS_DIR } from "../run-config.js";
import type { ServeFlags } from "../serve.js";

const EXAMPLES = `
Pages:    leaderboard with charts, all runs, trends, one run (live while it is running), one trial, comparison of two runs

Examples:
  assay serve
  assay serve --port 8080 --no-open
  assay serve --runs-dir nightly/runs
  assay serve --host 0.0.0.0 --token            open to other machines, with the printed token
  ASSAY_TOKEN=… assay serve --host 0.0.0.0 --token
  assay serve --label --labeler Ann             mark trials right or wrong, also blind

To share one run as a file: assay report RUN --output html > report.html`;

export function addServeCommand(program: Command, done: SetExitCode): void {
  program
    .command("serve")
    .description("view stored runs in the browser: leaderboard, charts, rows, trials, comparisons; runs nothing")
    .option("--runs-dir <dir>", "read run folders from here", DEFAULT_RUNS_DIR)
    .option("--port <number>", "listen on this port (default: 4680, or a free one if taken; 0 for any)", parsePortFlag)
    .option("--host <address>", "listen on this address instead of only on this machine; other machines need --token")
    .option(
      "--token [text]",
      "require this token from every visitor (default: ASSAY_TOKEN, or a new one that is printed)",
    )
    .option("--label", "let the page mark trials right or wrong, written to labels.jsonl in the run folder")
    .option("--labeler <name>", "with --label: who marks them, written into each label")
    .option("--no-open", "do not open a browser")
    .allowExcessArguments(false)
    .addHelpText("after", EXAMPLES)
    .action(async (options: ServeFlags) => {
      const { executeServe } = await import("../serve.js");
      done(await executeServe(options));
    });
}
