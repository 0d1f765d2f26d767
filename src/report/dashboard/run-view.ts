import type { EvalResult } from "../../core/result.js";
import type { Manifest } from "../../store/manifest.js";
import { buildReportHead } from "../json.js";
import { buildRunCharts } from "./charts/run-charts.js";
import type { QueueView, RunCard, RunView } from "./contract.js";

export interface RunViewParts {
  /** The loaded run; for a running one, its rows so far. */
  result: EvalResult;
  manifest: Manifest;
  card: RunCard;
  /** The state of its workers. Default: null. */
  queue?: QueueView | null;
}

/**
 * Everything about a run except its rows, as plain data.
 * @example
 * const card = await runs.getCard("20261115-213334-needle");
 * if (card !== null) buildRunView({ result: await loadRun(dir), manifest: readManifest(dir), card });
 */
export function buildRunView({ result, manifest, card, queue = null }: RunViewParts): RunView {
  const { config, timing, summary, across, notes } = buildReportHead(result);
  return {
    card,
    config,
    // The duration of an unfinished run means nothing.
    timing: card.wallSeconds === null ? null : timing,
    gitRevision: manifest.gitRevision ?? null,
    assayVersion: manifest.assayVersion,
    notes,
    summary,
    across,
    charts: buildRunCharts(result, manifest),
    queue,
  };
}
