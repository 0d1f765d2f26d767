import type { Command } from "commander";
import { EXAMPLE_MODELS } from "../../core/index.js";
import { parseListFlag } from "../flag-values.js";
import type { SetExitCode } from "../program.js";
import { INPUT_SETTINGS, listCommonFlags, SHARED_RUN_SETTINGS } from "../run-settings.js";
import { addAgentFlags, addSettings } from "../shared-flags.js";
import { type CommanderRunOptions, toRunFlags } from "./run.js";

// A recording cannot be asked again, and a batch has no single calls.
const { replay: _, batch: __, batchDeadline: ___, batchLate: ____, batchNoWait: _____, ...INPUTS } = INPUT_SETTINGS;

const STRESS_FLAGS = ["--faults", "--perturb", "--perturb-model", "--perturbations", "--ask-confidence"];

export const COMMON_STRESS_FLAGS: readonly string[] = [
  ...STRESS_FLAGS,
  ...listCommonFlags({ ...INPUTS, ...SHARED_RUN_SETTINGS }),
  "--agent",
  "--agent-command",
];

const EXAMPLES = `
Faults:         429, 500, 503, 529 (never reach the provider), disconnect (connection reset), cut (in the middle of the
                answer), malformed (JSON), slow (before the answer), stall (in the middle of it). KIND=SHARE of model
                calls; KIND=SHARE:SECONDS sets the Retry-After of a status, or the delay
Perturbations:  typos, reorder (of choices and bullet lists), case, whitespace, politeness, format: by rules, offline;
                paraphrase: by --perturb-model
Figures:        docs/guides/stress.md says what each means. Without an interval, a figure is not given

Examples:
  assay stress --agent claude --dataset agent-tasks --faults 429=0.1,cut=0.05,slow=0.1 --trials 5 --max-cost 20
  assay stress --model ${EXAMPLE_MODELS.openai} --dataset mmlu:anatomy -n 100 --perturb typos,reorder,case --trials 3
  assay stress --model ${EXAMPLE_MODELS.openai} --dataset questions.jsonl --perturb paraphrase --perturb-model ${EXAMPLE_MODELS.openaiSmall}
  assay stress --model ${EXAMPLE_MODELS.openai} --dataset questions.jsonl --ask-confidence --trials 5
  assay stress --agent-command 'node my-agent.mjs {prompt}' --dataset tasks.jsonl --faults 500=0.2 --dry-run
  assay stress --resume         resume the latest unfinished stress test`;

interface StressOptions extends CommanderRunOptions {
  faults?: string;
  perturb?: readonly string[];
  perturbModel?: string;
  perturbations?: string;
  askConfidence?: boolean;
}

export function addStressCommand(program: Command, done: SetExitCode): void {
  const command = program
    .command("stress")
    .description("measure reliability: consistency, and robustness to faults and to wording")
    .option("--faults <faults>", "inject faults into model calls: 429=0.1,cut=0.05,slow=0.1:5")
    .option(
      "--perturb <kinds>",
      "reword the tasks: typos, reorder, case, whitespace, politeness, format, paraphrase; separated by commas",
      parseListFlag,
    )
    .option("--perturb-model <model>", "the model that writes paraphrases: from models.yml, or PROVIDER/MODEL")
    .option(
      "--perturbations <file>",
      "keep perturbations in this file, and reuse those in it (default: in .assay/perturbations)",
    )
    .option("--ask-confidence", "ask for a confidence with every answer, and measure its calibration");
  addAgentFlags(addSettings(command, INPUTS));
  addSettings(command, SHARED_RUN_SETTINGS)
    .addHelpText("after", EXAMPLES)
    .allowExcessArguments(false)
    .action(async ({ faults, perturb, perturbModel, perturbations, askConfidence, ...options }: StressOptions) => {
      const { executeStress } = await import("../stress.js");
      const stress = { faults, perturb, perturbModel, perturbations, askConfidence };
      const given = Object.fromEntries(Object.entries(stress).filter(([, value]) => value !== undefined));
      done(await executeStress({ ...toRunFlags(options), ...given }));
    });
}
