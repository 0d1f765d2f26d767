import type { Command } from "commander";
import type { Done } from "../program.js";

const EXAMPLES = `
It writes a skill, an eval of it with a golden patch for each stimulus, a simulated model that plays it, an experiment
and assay.config.yaml. Nothing that is there is overwritten.

Examples:
  assay init                            into this folder
  assay init my-skills --executor codex
  assay lint && assay oracle            is it sound? no agent is started
  assay eval --mock evals/changelog/mock.yaml`;

export function addInit(program: Command, done: Done): void {
  program
    .command("init")
    .description("write a skill with an eval that can be run, to begin from")
    .argument("[folder]", "where it goes", ".")
    .option("--executor <agent>", "the agent that the eval names (default: one that is installed, else claude)")
    .option("--force", "overwrite files that are there")
    .addHelpText("after", EXAMPLES)
    .action(async (folder: string, options: { executor?: string; force?: boolean }) => {
      const { initCommand } = await import("../init.js");
      done(await initCommand(folder, options));
    });
}
