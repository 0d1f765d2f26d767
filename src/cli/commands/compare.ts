import type { Command } from "commander";
import type { CompareFlags } from "../compare.js";
import { parseIntegerFlag, parseListFlag, parseNumberFlag } from "../flag-values.js";
import type { SetExitCode } from "../program.js";
import { DEFAULT_RUNS_DIR } from "../run-config.js";
import { PUBLISH_SETTINGS } from "../run-settings.js";

const EXAMPLES = `
Metrics:     pass_rate, mean_score, mean_cost_usd, latency_mean, duration_mean, mean_output_tokens, mean_turns,
             a score field such as f1, or a measure such as measure:characters

Examples:
  assay compare 20261115-213334-gsm8k latest
  assay compare baseline latest                                    after: assay baseline set RUN
  assay compare main-run latest --fail-on-regression --metric pass_rate
  assay compare latest --system-a large --system-b small      two systems of one run
  assay compare before after --fail-on-regression --min-difference 0.02 --output markdown
  assay compare before after --use-history                         a new run of few tasks, an old one of many
  assay compare before after --max-drop 0.05                       for suites with few examples: no significance test`;

export function addCompareCommand(program: Command, done: SetExitCode): void {
  program
    .command("compare")
    .description("compare two stored runs task by task, with confidence intervals and exact tests; runs nothing")
    .argument("<a>", "a run folder or id, 'latest', a tag or a title: the run before")
    .argument(
      "[b]",
      "the run to compare with it (default: another system of the same run; for a run of one system, the baseline)",
    )
    .option(
      "--metric <names>",
      "compare only these metrics, separated by commas (default: all that both runs have)",
      parseListFlag,
    )
    .option("--system-a <name>", "select the system of run A")
    .option("--system-b <name>", "select the system of run B")
    .option(
      "--fail-on-regression",
      "exit 1 if the pass rate or score of B is significantly worse, 3 if too few tasks are paired to tell",
    )
    .option("--min-difference <share>", "for --fail-on-regression: tolerate losses smaller than this", parseNumberFlag)
    .option(
      "--max-drop <share>",
      "exit 1 if the pass rate or score of B drops by more than this, significant or not",
      parseNumberFlag,
    )
    .option(
      "--margin <share>",
      "exit 1 if the pass rate of B is worse by more than this, 3 if undecided, as assay migrate",
      parseNumberFlag,
    )
    .option("--labels", "correct the difference of pass rates by labels of the same examples in both")
    .option(
      "--strata <facet>",
      "narrow intervals by holding the mix of a facet fixed, such as subject, or of datasets: dataset",
    )
    .option(
      "--use-history [runs]",
      "narrow differences by how hard the tasks are in stored runs, all or these, separated by commas",
      parseListFlag,
    )
    .option("--level <share>", "set the confidence level of intervals (default: 0.95)", parseNumberFlag)
    .option("--seed <number>", "seed the permutation tests that sample", parseIntegerFlag, 0)
    .option("--output <name>", "print table, json or markdown", "table")
    .option("--junit <file>", PUBLISH_SETTINGS.junit.help)
    .option("--markdown <file>", PUBLISH_SETTINGS.markdown.help)
    .option("--github [part]", PUBLISH_SETTINGS.github.help)
    .option("--runs-dir <dir>", "read run folders from here", DEFAULT_RUNS_DIR)
    .allowExcessArguments(false)
    .addHelpText("after", EXAMPLES)
    .action(async (a: string, b: string | undefined, options: CompareFlags) => {
      const { executeCompare } = await import("../compare.js");
      done(await executeCompare({ ...options, a, ...(b === undefined ? {} : { b }) }));
    });
}
