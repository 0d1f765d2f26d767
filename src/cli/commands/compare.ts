import type { Command } from "commander";
import type { CompareFlags } from "../compare.js";
import { integer, list, number } from "../flag-values.js";
import type { Done } from "../program.js";
import { DEFAULT_RUNS_DIR } from "../run-config.js";

const EXAMPLES = `
Metrics:     pass_rate, mean_score, mean_cost_usd, latency_mean, duration_mean, mean_output_tokens, mean_turns,
             or a score field such as f1

Examples:
  assay compare 20261115-213334-gsm8k latest
  assay compare main-run latest --fail-on-regression --metric pass_rate
  assay compare latest --system-a gpt-5 --system-b gpt-5-mini      two systems of one run
  assay compare before after --fail-on-regression --min-difference 0.02 --output markdown
  assay compare before after --max-drop 0.05                       for suites of a few examples, without a test`;

/** `assay compare`. */
export function addCompare(program: Command, done: Done): void {
  program
    .command("compare")
    .description("compare two stored runs task by task: differences with intervals and exact tests; runs nothing")
    .argument("<a>", "a run folder or id, or 'latest': what was before")
    .argument("[b]", "what it is compared with (default: another system of the same run)")
    .option("--metric <names>", "only these, with commas between (default: all that both have)", list)
    .option("--system-a <name>", "which system of A")
    .option("--system-b <name>", "which system of B")
    .option(
      "--fail-on-regression",
      "exit 1 when the pass rate or the score of B is worse beyond chance, 3 when too few tasks are paired to tell",
    )
    .option("--min-difference <share>", "for --fail-on-regression: let smaller losses pass", number)
    .option("--max-drop <share>", "exit 1 when the pass rate or the score of B is lower by more, chance or not", number)
    .option("--level <share>", "what intervals cover (default: 0.95)", number)
    .option("--seed <number>", "of permutations that are drawn rather than counted", integer, 0)
    .option("--output <name>", "table, json or markdown", "table")
    .option("--runs-dir <dir>", "where run folders are", DEFAULT_RUNS_DIR)
    .allowExcessArguments(false)
    .addHelpText("after", EXAMPLES)
    .action(async (a: string, b: string | undefined, options: CompareFlags) => {
      const { compareCommand } = await import("../compare.js");
      done(await compareCommand({ ...options, a, ...(b === undefined ? {} : { b }) }));
    });
}
