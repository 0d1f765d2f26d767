import type { Command } from "commander";
import type { SetExitCode } from "../program.js";

const EXAMPLES = `
Writes a skill, an eval with a golden patch for each test case, a simulated model that can run it, an experiment
and assay.config.yaml. Existing files are not overwritten.

Examples:
  assay init                            write to this folder
  assay init my-skills --executor codex
  assay init my-evals --from promptfooconfig.yaml     convert a promptfoo config; runs nothing
  assay lint && assay oracle            check the eval without starting an agent
  assay eval --mock evals/changelog/mock.yaml`;

export function addInitCommand(program: Command, done: SetExitCode): void {
  program
    .command("init")
    .description("write a starter skill with an eval that runs")
    .argument("[folder]", "the folder to write to", ".")
    .option("--executor <agent>", "name this agent in the eval (default: an installed one, else claude)")
    .option("--from <file>", "convert this promptfooconfig.yaml: prompts, models, tests and asserts")
    .option("--force", "overwrite existing files")
    .option("--trust", "with --from: read files outside the folder of the config")
    .addHelpText("after", EXAMPLES)
    .action(async (folder: string, options: { executor?: string; force?: boolean; from?: string; trust?: boolean }) => {
      const { from } = options;
      if (from !== undefined) {
        const { executeInitPromptfoo } = await import("../init-promptfoo.js");
        return done(await executeInitPromptfoo(folder, { ...options, from }));
      }
      const { executeInit } = await import("../init.js");
      done(await executeInit(folder, options));
    });
}
