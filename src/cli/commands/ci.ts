import type { Command } from "commander";
import type { CiFlags } from "../ci.js";
import { parseNumberFlag } from "../flag-values.js";
import type { SetExitCode } from "../program.js";
import { DEFAULT_RUNS_DIR } from "../run-config.js";

const EXAMPLES = `
Runs what follows -- (default: run), compares the new run with the baseline, and reports both as one: in the job summary, as
annotations and as one pull request comment. For a pull request from a fork it runs nothing: it compares the run of --run,
or says that nothing was measured. action.yml of this package calls it; docs/guides/ci.md has a workflow to copy.

Examples:
  assay ci --baseline evals/baseline --fail-on-regression -- run --config assay.config.yaml
  assay ci --baseline evals/baseline --max-drop 0.05 -- eval --suite nightly
  assay ci --baseline evals/baseline --until decided --margin 0.05 -- run --max-cost 2     stop when it is decided
  assay ci --baseline evals/baseline --run evals/candidate      compares stored runs only

Exit code: that of the run, or if it is 0, that of the comparison.`;

export function addCiCommand(program: Command, done: SetExitCode): void {
  program
    .command("ci")
    .description("run in a GitHub workflow, compare with a baseline, and comment on the pull request")
    .argument("[command...]", "after --: run, eval or memory, and its flags")
    .option("--baseline <run>", "compare with this run: a folder, id, tag or title (default: no comparison)")
    .option("--run <run>", "compare this stored run instead of running anything")
    .option("--fail-on-regression", "as for compare")
    .option("--min-difference <share>", "as for compare", parseNumberFlag)
    .option("--max-drop <share>", "as for compare", parseNumberFlag)
    .option("--until <question>", "decided: stop the run when the baseline comparison of --margin is decided")
    .option(
      "--margin <share>",
      "with --until decided, exit 1 if more than this is lost, 3 if undecided",
      parseNumberFlag,
    )
    .option("--runs-dir <dir>", "write and read run folders here", DEFAULT_RUNS_DIR)
    .addHelpText("after", EXAMPLES)
    .action(async (command: string[], options: CiFlags) => {
      const { executeCi } = await import("../ci.js");
      done(await executeCi(command, options));
    });
}
