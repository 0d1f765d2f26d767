import type { Command } from "commander";
import { UsageError } from "../../core/index.js";
import type { SetExitCode } from "../program.js";

const EXAMPLES = `
Kinds:
  models       compare models on your questions
  system       measure your own code, in JavaScript or TypeScript
  typescript   write an eval in TypeScript
  python       measure a program in Python or any other language
  agent        measure a coding agent on tasks
  skill        test whether a skill helps agents
  memory       measure a memory on long conversations

Asks for the kind on a terminal; without one, it writes a skill. Everything it writes runs without a key and without
an installed agent. Existing files are not overwritten.

Examples:
  assay init                            ask what to begin with
  assay init my-evals --kind typescript
  assay init my-models --kind models && cd my-models && assay run --mock mock.yaml
  assay init my-skills --executor codex
  assay init my-evals --from promptfooconfig.yaml     convert a promptfoo config; runs nothing`;

export function addInitCommand(program: Command, done: SetExitCode): void {
  program
    .command("init")
    .description("write a small project that runs: models, your system, an agent, a skill, a memory")
    .argument("[folder]", "the folder to write to", ".")
    .option("--kind <kind>", "what to begin with: models, system, typescript, python, agent, skill or memory")
    .option("--executor <agent>", "for a skill or agent: run this agent (default: an installed one, else a tiny one)")
    .option("--from <file>", "convert this promptfooconfig.yaml: prompts, models, tests and asserts")
    .option("--force", "overwrite existing files")
    .option("--trust", "with --from: read files outside the folder of the config")
    .addHelpText("after", EXAMPLES)
    .action(async (folder: string, options: InitFlags) => {
      const { from } = options;
      if (from !== undefined) {
        requireNoKind(options);
        const { executeInitPromptfoo } = await import("../init-promptfoo.js");
        return done(await executeInitPromptfoo(folder, { ...options, from }));
      }
      const { executeInit } = await import("../init.js");
      done(await executeInit(folder, options));
    });
}

interface InitFlags {
  executor?: string;
  force?: boolean;
  from?: string;
  kind?: string;
  trust?: boolean;
}

function requireNoKind({ kind, executor }: InitFlags): void {
  const other = kind !== undefined ? "--kind" : executor !== undefined ? "--executor" : undefined;
  if (other !== undefined)
    throw new UsageError(`${other} cannot be combined with --from, which converts what it finds. Remove one of them.`);
}
