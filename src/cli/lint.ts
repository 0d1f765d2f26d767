import "../builtins.js";
import { EXIT, UsageError } from "../core/errors.js";
import { registry } from "../core/registry.js";
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
} from "../evals/lint/index.js";
import { namedMetrics, summaryKeys } from "../metrics/index.js";
import { printable } from "../report/printable.js";
import { openProject } from "./eval-project.js";
import { guarded } from "./guard.js";
import { say, writeResult } from "./streams.js";
import type { TrustFlags } from "./trust.js";

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
export async function lintCommand(flags: LintFlags): Promise<number> {
  const { output = "text", strict = false, rules = false } = flags;
  if (!OUTPUTS.includes(output))
    throw new UsageError(`Unknown output format "${output}". Use --output text, json or github.`);
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

async function reportOn({ paths, disable, ...flags }: LintFlags): Promise<LintReport> {
  const { config, environments, notRun } = await openProject({ ...flags, isLooking: true });
  if (notRun.length > 0)
    say(
      `Not run, because lint runs no code: ${notRun.join(", ")}. What it registers is unknown here; --trust runs it.`,
    );
  const options: LintOptions = {
    disable,
    registry,
    environments,
    // Metrics of plugins do not always declare their keys.
    ...(config.metrics === undefined && { metricKeys }),
  };
  return lint(paths, options);
}

function metricKeys(runs: number): ReadonlySet<string> {
  return summaryKeys(namedMetrics(), { trials: runs, datasets: [] });
}
