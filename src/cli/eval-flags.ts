import type { Command } from "commander";
import { addAgentSettings } from "./agent-flags.js";
import { collect, count, dollars, number } from "./flag-values.js";
import { TRUST_FLAG } from "./trust.js";

/** The flags of commands that run eval files: who answers and judges, and what it may cost. */
export function addEvalRunFlags(command: Command): Command {
  return command
    .option("--mock <script>", "let a simulated model answer the agents, without a key: see assay mock")
    .option("--judge-model <name>", "the model of graders that ask one")
    .option("--judge-url <url>", "the base URL of whatever answers for it")
    .option("--judge-api-key-env <variable>", "the name of the variable that holds its key")
    .option("--max-cost <dollars>", "for the whole run: trials that might exceed it are not started", dollars)
    .option("--trial-max-cost <dollars>", "for each trial: it is stopped there and graded on what it left", number)
    .option("--workers <count>", "trials at a time (default: the number of cores, at most 4)", count);
}

/** The flags of commands that run eval files: how agents are run, and what the project is. */
export function addEvalProjectFlags(command: Command): Command {
  return addAgentSettings(command)
    .option("--models <file>", "models with prices and budgets (default: models.yml when there is one)")
    .option("--api-key-env <variable>", "the name of the variable that holds the key of the agent's model")
    .option("--allow-insecure", "let a key go over plain http to another machine")
    .option("--plugin <file>", "a module that exports register(registry), such as for graders; repeatable", collect)
    .option(...TRUST_FLAG)
    .option("--config <file>", "the project's file (default: assay.config.ts, .mjs, .yaml when there is one)");
}
