import type { Command } from "commander";
import { collect } from "../flag-values.js";
import type { LintFlags } from "../lint.js";
import type { Done } from "../program.js";

const EXAMPLES = `
Examples:
  assay lint                                  every SKILL.md and eval file below this folder
  assay lint skills/tidy
  assay lint -e eval.yaml --strict            warnings fail, too
  assay lint --disable EVAL-PROMPT-LEAK
  assay lint --output github                  annotations for a pull request
  assay lint --rules                          all that is looked for

Exit codes: 0 no errors, 1 errors (or warnings with --strict), 2 nothing to look through or usage.`;

/** Commander's own names: repeatable flags are singular there. */
interface LintCommandOptions extends Omit<LintFlags, "paths" | "plugins" | "disable"> {
  eval?: string[];
  plugin?: string[];
  disable?: string[];
}

/** `assay lint`. */
export function addLint(program: Command, done: Done): void {
  program
    .command("lint")
    .description("look through SKILL.md and eval files for what is wrong or would not do as meant; runs nothing")
    .argument("[paths...]", "SKILL.md and eval files, folders that are searched, or patterns (default: this folder)")
    .option("-e, --eval <paths...>", "eval files, as for the other commands")
    .option("--strict", "exit with 1 for warnings, too")
    .option("--disable <code>", "do not look for this; repeatable, or with commas between them", collect)
    .option("--output <name>", "text, json or github", "text")
    .option("--rules", "print all that is looked for, with what to do about it")
    .option("--config <file>", "plugins and shared environments (default: assay.config.* when there is one)")
    .option("--plugin <file>", "a module that exports register(registry), for graders of your own; repeatable", collect)
    .option("--trust", "run the code of assay.config.* and of plugins; nothing is run without it")
    .addHelpText("after", EXAMPLES)
    .action(async (paths: string[], { eval: evals = [], plugin = [], disable = [], ...flags }: LintCommandOptions) => {
      const { lintCommand } = await import("../lint.js");
      const codes = disable.flatMap((given) => given.split(",")).map((code) => code.trim());
      done(await lintCommand({ ...flags, paths: [...paths, ...evals], plugins: plugin, disable: codes }));
    });
}
