import type { Command } from "commander";
import { collectThresholds, parseListFlag, parseNumberFlag } from "./flag-values.js";

/** Flags of every command that reports results and checks gates. */
export function addReportFlags(command: Command, usual = "table"): Command {
  return command
    .option(
      "--output <name>",
      `print table, json, eval, markdown, junit or html, or a plugin's report (default: ${usual})`,
    )
    .option(
      "--columns <groups>",
      "select columns of the table: quality, tokens, cost, speed, trials, datasets, facets, other",
      parseListFlag,
    )
    .option(
      "--min-coverage <share>",
      "exit 3 if a smaller share of the planned trials was scored (default: 0.95)",
      parseNumberFlag,
    )
    .option("--fail-under <metric=value>", "exit 1 if a system's metric is lower; repeatable", collectThresholds)
    .option("--fail-over <metric=value>", "exit 1 if a system's metric is higher; repeatable", collectThresholds)
    .option("--quiet", "print no progress");
}
