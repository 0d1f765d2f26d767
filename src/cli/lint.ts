import "../builtins.js";
import { dirname, resolve } from "node:path";
import { EXIT, UsageError } from "../core/errors.js";
import { registry } from "../core/registry.js";
import { registerJudgeGraders } from "../judge-graders.js";
import {
  asAnnotations,
  asJson,
  asText,
  type LintOptions,
  type LintReport,
  lint,
  rulesAsJson,
  rulesAsText,
  summary,
  tally,
} from "../lint/index.js";
import { namedMetrics, summaryKeys } from "../metrics/index.js";
import { printable } from "../report/printable.js";
import { sharedEnvironments } from "../specs/index.js";
import { findConfig, loadConfig } from "./config-file.js";
import { guarded } from "./guard.js";
import { loadPlugins } from "./resolve.js";
import { say, writeResult } from "./streams.js";

/** What the flags of `assay lint` parse to. */
export interface LintFlags {
  /** Files, folders and patterns; the working folder when there are none. */
  readonly paths: readonly string[];
  readonly plugins: readonly string[];
  /** Codes that are not looked for. */
  readonly disable: readonly string[];
  readonly config?: string;
  readonly strict?: boolean;
  /** Print what is looked for instead. */
  readonly rules?: boolean;
  /** `text`, `json` or `github`. */
  readonly output?: string;
}

const OUTPUTS = ["text", "json", "github"];

/** `assay lint`: looks through SKILL.md and eval files. Starts no agent and runs no grader. */
export async function lintCommand(flags: LintFlags): Promise<number> {
  const { output = "text", strict = false, rules = false } = flags;
  if (!OUTPUTS.includes(output))
    throw new UsageError(`Unknown output "${output}". Write --output text, json or github.`);
  if (rules) {
    await writeResult(output === "json" ? rulesAsJson() : rulesAsText());
    return EXIT.fine;
  }
  const report = await guarded(() => reportOn(flags));
  await writeResult(rendered(report, output));
  if (output === "text") say(summary(report));
  const { errors, warnings } = tally(report.findings);
  return errors > 0 || (strict && warnings > 0) ? EXIT.gateFailed : EXIT.fine;
}

function rendered(report: LintReport, output: string): string {
  if (output === "json") return asJson(report);
  return printable(output === "github" ? asAnnotations(report) : asText(report));
}

async function reportOn({ paths, plugins, disable, config: named }: LintFlags): Promise<LintReport> {
  const file = named ?? findConfig(process.cwd());
  const config = file === undefined ? {} : await loadConfig(resolve(file));
  await loadPlugins(registry, [...new Set([...(config.plugins ?? []), ...plugins])]);
  registerJudgeGraders();
  const options: LintOptions = {
    disable,
    registry,
    environments: sharedEnvironments(config.evals ?? {}, dirname(resolve(file ?? "assay.config.yaml"))),
    // Metrics that a plugin brings do not always say their keys.
    ...(config.metrics === undefined && { metricKeys }),
  };
  return lint(paths, options);
}

function metricKeys(runs: number): ReadonlySet<string> {
  return summaryKeys(namedMetrics(), { trials: runs, datasets: [] });
}
