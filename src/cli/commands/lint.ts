import type { Command } from "commander";
import { collectValues } from "../flag-values.js";
import type { LintFlags } from "../lint.js";
import type { SetExitCode } from "../program.js";

const EXAMPLES = `
Examples:
  assay lint                                  check every SKILL.md and eval file below this folder
  assay lint skills/tidy
  assay lint -e eval.yaml --strict            fail on warnings, too
  assay lint --disable EVAL-PROMPT-LEAK
  assay lint --output github                  print annotations for a pull request
  assay lint --rules                          list all rules

Exit codes: 0 no errors, 1 errors (or warnings with --strict), 2 no files to check, or wrong usage.`;

/** Option names as commander parses them: repeatable flags are singular. */
interface LintCommandOptions extends Omit<LintFlags, "paths" | "plugins" | "disable"> {
  eval?: string[];
  plugin?: string[];
  disable?: string[];
}

export function addLintCommand(program: Command, done: SetExitCode): void {
  program
    .command("lint")
    .description("check SKILL.md and eval files for mistakes; runs nothing")
    .argument("[paths...]", "SKILL.md and eval files, folders to search, or patterns (default: this folder)")
    .option("-e, --eval <paths...>", "check these eval files, as in the other commands")
    .option("--strict", "exit 1 for warnings, too")
    .option("--disable <code>", "disable this rule; repeatable, or separated by commas", collectValues)
    .option("--output <name>", "print text, json or github", "text")
    .option("--rules", "list all rules and how to fix what they find")
    .option(
      "--config <file>",
      "read plugins and shared environments from this file (default: assay.config.* if present)",
    )
    .option(
      "--plugin <file>",
      "load a module that exports register(registry), for your own graders; repeatable",
      collectValues,
    )
    .option("--trust", "run the code of assay.config.* and of plugins; without it no code is run")
    .addHelpText("after", EXAMPLES)
    .action(async (paths: string[], { eval: evals = [], plugin = [], disable = [], ...flags }: LintCommandOptions) => {
      const { executeLint } = await import("../lint.js");
      const codes = disable.flatMap((given) => given.split(",")).map((code) => code.trim());
      done(await executeLint({ ...flags, paths: [...paths, ...evals], plugins: plugin, disable: codes }));
    });
}
