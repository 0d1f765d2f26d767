import type { Command } from "commander";
import type { SetExitCode } from "../program.js";

const EXAMPLES = `
Writes a skill, an eval with a golden patch for each test case, a simulated model that can run it, an experiment
and assay.config.yaml. Existing files are not overwritten.

Examples:
  assay init                            write to this folder
  assay init my-skills --executor codex
  assay lint && assay oracle            check the eval without starting an agent
  assay eval --mock evals/changelog/mock.yaml`;

export function addInitCommand(program: Command, done: SetExitCode): void {
  program
    .command("init")
    .description("write a starter skill with an eval that runs")
    .argument("[folder]", "the folder to write to", ".")
    .option("--executor <agent>", "name this agent in the eval (default: an installed one, else claude)")
    .option("--force", "overwrite existing files")
    .addHelpText("after", EXAMPLES)
    .action(async (folder: string, options: { executor?: string; force?: boolean }) => {
      const { executeInit } = await import("../init.js");
      done(await executeInit(folder, options));
    });
}
