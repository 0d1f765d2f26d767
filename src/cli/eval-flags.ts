import type { Command } from "commander";
import { addAgentSettings } from "./agent-flags.js";
import { collectValues, parseCountFlag, parseDollarsFlag, parseNumberFlag } from "./flag-values.js";
import { TRUST_FLAG } from "./trust.js";

/** Flags of commands that run eval files: models, judges and costs. */
export function addEvalRunFlags(command: Command): Command {
  return command
    .option("--mock <script>", "simulate the agents' model with this script; needs no key: see assay mock")
    .option("--judge-model <name>", "use this model for graders that need one")
    .option("--judge-url <url>", "call the judge at this base URL")
    .option("--judge-api-key-env <variable>", "read the judge's key from this environment variable")
    .option(
      "--max-cost <dollars>",
      "limit the cost of the whole run: trials that might exceed it are not started",
      parseDollarsFlag,
    )
    .option(
      "--trial-max-cost <dollars>",
      "limit the cost of each trial: it is stopped there and graded on what it has produced",
      parseNumberFlag,
    )
    .option(
      "--workers <count>",
      "run this many trials at a time (default: the number of cores, at most 4)",
      parseCountFlag,
    );
}

/** Flags of commands that run eval files: agents and project. */
export function addEvalProjectFlags(command: Command): Command {
  return addAgentSettings(command)
    .option("--models <file>", "read models, prices and budgets from this file (default: models.yml if present)")
    .option("--api-key-env <variable>", "read the key of the agent's model from this environment variable")
    .option("--allow-insecure", "allow sending a key over plain http to another machine")
    .option(
      "--plugin <file>",
      "load a module that exports register(registry), such as for graders; repeatable",
      collectValues,
    )
    .option(...TRUST_FLAG)
    .option(
      "--config <file>",
      "read the project's config from this file (default: assay.config.ts, .mjs, .yaml if present)",
    );
}
