import "../builtins.js";
import { EXIT, registry, UsageError } from "../core/index.js";
import {
  countFindings,
  formatAnnotations,
  formatFindings,
  formatRules,
  type LintOptions,
  type LintReport,
  lint,
  serializeFindings,
  serializeRules,
  summarizeFindings,
} from "../evals/index.js";
import { listNamedMetrics, listSummaryKeys } from "../metrics/index.js";
import { replaceControlCharacters } from "../report/index.js";
import { openEvalProject } from "./eval-project.js";
import { printNote, writeResult } from "./streams.js";
import type { TrustFlags } from "./trust.js";
import { isolateUserCode } from "./user-code.js";

export interface LintFlags extends TrustFlags {
  /** Files, folders and patterns; empty for the working folder. */
  readonly paths: readonly string[];
  readonly plugins: readonly string[];
  /** Codes of disabled rules. */
  readonly disable: readonly string[];
  readonly config?: string;
  readonly strict?: boolean;
  /** Print the rules instead. */
  readonly rules?: boolean;
  /** `text`, `json` or `github`. */
  readonly output?: string;
}

const OUTPUTS = ["text", "json", "github"];

/** `assay lint`: checks SKILL.md and eval files. Starts no agent, runs no grader, and no code without --trust. */
export async function executeLint(flags: LintFlags): Promise<number> {
  const { output = "text", strict = false, rules = false } = flags;
  if (!OUTPUTS.includes(output))
    throw new UsageError(`Unknown output format "${output}". Use --output text, json or github.`);
  if (rules) {
    await writeResult(output === "json" ? serializeRules() : formatRules());
    return EXIT.fine;
  }
  const report = await isolateUserCode(() => lintPaths(flags));
  await writeResult(renderLint(report, output));
  if (output === "text") printNote(summarizeFindings(report));
  const { errors, warnings } = countFindings(report.findings);
  return errors > 0 || (strict && warnings > 0) ? EXIT.gateFailed : EXIT.fine;
}

function renderLint(report: LintReport, output: string): string {
  if (output === "json") return serializeFindings(report);
  return replaceControlCharacters(output === "github" ? formatAnnotations(report) : formatFindings(report));
}

async function lintPaths({ paths, disable, ...flags }: LintFlags): Promise<LintReport> {
  const { config, environments, notRun } = await openEvalProject({ ...flags, isLooking: true });
  if (notRun.length > 0)
    printNote(
      `Not run, because lint runs no code: ${notRun.join(", ")}. What it registers is unknown here; --trust runs it.`,
    );
  const options: LintOptions = {
    disable,
    registry,
    environments,
    // Metrics of plugins do not always declare their keys.
    ...(config.metrics === undefined && { metricKeys: listMetricKeys }),
  };
  return lint(paths, options);
}

function listMetricKeys(runs: number): ReadonlySet<string> {
  return listSummaryKeys(listNamedMetrics(), { trials: runs, datasets: [] });
}
