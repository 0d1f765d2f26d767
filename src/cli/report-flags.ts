import type { Command } from "commander";
import { list, number, thresholds } from "./flag-values.js";

/** The flags of every command that reports what it has measured, and may be a gate. */
export function addReportFlags(command: Command, usual = "table"): Command {
  return command
    .option("--output <name>", `table, json, eval, markdown, junit or html, or a plugin's reporter (default: ${usual})`)
    .option("--columns <groups>", "of the table: quality, tokens, cost, speed, trials, datasets, facets, other", list)
    .option("--min-coverage <share>", "exit 3 when fewer of the planned trials were scored (default: 0.95)", number)
    .option("--fail-under <metric=value>", "exit 1 when a system's metric is lower; repeatable", thresholds)
    .option("--fail-over <metric=value>", "exit 1 when a system's metric is higher; repeatable", thresholds)
    .option("--quiet", "no progress");
}
