import type { QueueState, WorkerState } from "../../queue/contract.js";
import type { QueueView } from "./contract.js";

/** What a coordinator told last, or why that cannot be used. */
export type QueueRecord = { state: QueueState } | { problem: string };

/** A coordinator tells once a second; after so long without a word it tells nothing any more. */
const SILENT_AFTER_MS = 15_000;

/** The workers of a run as pages show them. Whether the run goes on, its lock knows, not what was written about it. */
export function queueView(
  record: QueueRecord | null,
  { isGoing, now }: { isGoing: boolean; now: number },
): QueueView | null {
  if (record === null) return null;
  if ("problem" in record) return { phase: "unreadable", problem: record.problem };
  const state = { ...record.state, workers: [...record.state.workers].sort(byNeedAndName) };
  if (!isGoing || !state.isRunning) return { phase: "over", state };
  return { phase: now - Date.parse(state.at) > SILENT_AFTER_MS ? "silent" : "live", state };
}

/** How many workers take part in a run that goes over a queue just now; null when nobody knows. */
export function workersNow(view: QueueView | null): number | null {
  return view?.phase === "live" ? view.state.workers.filter(({ refuses }) => refuses === null).length : null;
}

const WORDS = new Intl.Collator("en", { numeric: true });

/** Those that refuse stand first, because somebody has to do something about them; the others keep their places. */
function byNeedAndName(a: WorkerState, b: WorkerState): number {
  const need = Number(a.refuses === null) - Number(b.refuses === null);
  return need || WORDS.compare(a.host, b.host) || a.pid - b.pid || WORDS.compare(a.id, b.id);
}
