import "../builtins.js";
import { resolve } from "node:path";
import { loadModels } from "../budget/index.js";
import { EXIT } from "../core/errors.js";
import { registry } from "../core/registry.js";
import type { EvalResult } from "../core/result.js";
import { junitReporter, renderJunitXml } from "../report/eval/junit.js";
import { COLUMN_GROUPS, checkColumns } from "../report/table.js";
import { loadRun } from "../runs/load-run.js";
import { readManifest } from "../store/journal.js";
import { findLatestRun, findRun } from "../store/run-folder.js";
import { loadPlugins } from "./resolve.js";
import { checkOutput, writeResult } from "./streams.js";
import { requireTrustedPlugins } from "./trust.js";

export interface ReportFlags {
  prices?: string;
  output?: string;
  columns?: readonly string[];
  runsDir: string;
  plugin?: readonly string[];
  trust?: boolean;
}

/** `assay report`: reports a stored run again, optionally with other prices. Runs nothing. */
export async function executeReport(run: string | undefined, flags: ReportFlags): Promise<number> {
  const { prices, columns, runsDir } = flags;
  checkColumns(columns ?? COLUMN_GROUPS);
  requireTrustedPlugins(flags.plugin, flags);
  await loadPlugins(registry, flags.plugin ?? []);
  if (flags.output !== undefined) registry.get("reporter", flags.output);
  checkOutput(flags.output);
  const dir = resolve(
    run === undefined ? findLatestRun(runsDir) : findRun({ runsDir, name: run, isCandidate: () => true }),
  );
  const reporter = registry.get("reporter", flags.output ?? chooseReporter(dir));
  const result = await loadRun(dir, prices === undefined ? {} : { prices: await loadModels(prices) });
  const isJunit = reporter === junitReporter;
  await writeResult(
    isJunit
      ? await renderWithEvidence(result)
      : await reporter.render(result, columns === undefined ? {} : { columns }),
  );
  return EXIT.fine;
}

/** Stored outputs give CI more detail than rows alone. */
async function renderWithEvidence(result: EvalResult): Promise<Iterable<string>> {
  const { createEvidenceReader } = await import("./eval-files.js");
  return renderJunitXml(result, createEvidenceReader(result));
}

/** Evals are reported by test case, as when they ran. */
function chooseReporter(dir: string): string {
  const { command, of } = (readManifest(dir).invocation ?? {}) as { command?: unknown; of?: unknown };
  return command === "eval" || of === "eval" ? "eval" : "table";
}
