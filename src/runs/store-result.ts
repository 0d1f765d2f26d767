import { basename } from "node:path";
import type { EvalResult } from "../core/index.js";
import { countTrials } from "../core/index.js";
import { buildReportHead, buildRunCard, writeCard } from "../report/index.js";
import { hasRunEnded, type RunJournal, readManifest } from "../store/index.js";

/**
 * Stores the summary and the card of a run beside its rows. Both can be recomputed from the rows. `isOver` marks a run
 * that can never be resumed as complete, whatever the outcome of its trials.
 */
export function storeResult(journal: RunJournal, result: EvalResult, { isOver = false } = {}): void {
  const counts = countTrials(result.rows);
  const complete = isOver || Object.values(counts).every(({ outcomes }) => outcomes.skipped + outcomes.error === 0);
  journal.writeSummary({ ...buildReportHead(result), schema: "assay.summary/1", complete, counts });
  const { dir } = journal;
  const manifest = readManifest(dir);
  const { summary, timing } = result;
  const card = buildRunCard({
    id: basename(dir),
    manifest,
    config: manifest.config,
    planned: manifest.planned,
    summary,
    counts,
    wallSeconds: timing.wallSeconds,
    status: hasRunEnded({ complete, counts }, manifest.planned) ? "complete" : "incomplete",
  });
  writeCard(dir, card);
}
