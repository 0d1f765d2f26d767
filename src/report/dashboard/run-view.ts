import type { EvalResult } from "../../core/result.js";
import type { Manifest } from "../../store/manifest.js";
import { reportHead } from "../json.js";
import { runCharts } from "./charts/run-charts.js";
import type { QueueView, RunCard, RunView } from "./contract.js";

export interface RunViewParts {
  /** The run as it is loaded; of one that is going on, what it has so far. */
  result: EvalResult;
  manifest: Manifest;
  card: RunCard;
  /** Its workers; none unless told. */
  queue?: QueueView | null;
}

/**
 * Everything about a run but its rows, as plain data.
 * @example
 * const card = await runs.card("20261115-213334-needle");
 * if (card !== null) runView({ result: await loadRun(dir), manifest: readManifest(dir), card });
 */
export function runView({ result, manifest, card, queue = null }: RunViewParts): RunView {
  const { config, timing, summary, across, notes } = reportHead(result);
  return {
    card,
    config,
    // A run that did not come to an end has no time that means anything.
    timing: card.wallSeconds === null ? null : timing,
    gitRevision: manifest.gitRevision ?? null,
    assayVersion: manifest.assayVersion,
    notes,
    summary,
    across,
    charts: runCharts(result, manifest),
    queue,
  };
}
