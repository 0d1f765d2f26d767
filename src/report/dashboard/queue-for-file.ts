import type { WorkerState } from "../../queue/contract.js";
import type { QueueView } from "./contract.js";

/**
 * Workers as a file shows them that may be sent to anybody: who did how much, without the names of machines and the
 * address of the queue. Reasons and notes name both, so that they stay at home.
 */
export function queueForFile(view: QueueView | null): QueueView | null {
  if (view === null || view.phase === "unreadable") return null;
  const workers = view.state.workers.filter(({ refuses }) => refuses === null);
  const names = machineNames(workers);
  const nameless = workers.map((worker, place): WorkerState => {
    const host = names.get(worker.host) ?? "";
    return { ...worker, id: String(place), host, run: "", waiting: null };
  });
  return { ...view, state: { ...view.state, url: "", workers: nameless, notes: [] } };
}

/** By host: `machine 1` and so on. */
function machineNames(workers: readonly WorkerState[]): Map<string, string> {
  const hosts = [...new Set(workers.map(({ host }) => host))];
  return new Map(hosts.map((host, place) => [host, `machine ${place + 1}`]));
}
