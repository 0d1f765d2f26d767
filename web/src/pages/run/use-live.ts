import { useEffect, useState } from "preact/hooks";
import type { LiveProgress, QueueView, RunView } from "../../../../src/report/dashboard/contract.js";
import { useSource } from "../../shell/context.js";
import { type LoadState, useLoadState } from "../../shell/loaded.js";

/** A run as it is by now. */
export interface LiveRun {
  readonly loaded: LoadState<RunView>;
  /** How it goes; null when it is not going. */
  readonly progress: LiveProgress | null;
  /** Its workers; null when it goes over no queue. */
  readonly queue: QueueView | null;
}

/** Reading many rows again takes longer, and changes less. */
const RELOAD_INTERVAL_MS = 5000;
const LARGE_RUN_RELOAD_INTERVAL_MS = 30_000;
const MIN_LARGE_RUN_TRIALS = 20_000;

/** A run, followed while it goes, and read again now and then until it has ended. */
export function useLiveRun(id: string): LiveRun {
  const source = useSource();
  const [reads, setReads] = useState(0);
  const [progress, setProgress] = useState<LiveProgress | null>(null);
  const [heard, setHeard] = useState<QueueView | null | undefined>(undefined);
  const loaded = useLoadState(() => source.getRun(id), [source, id, reads]);
  const isRunning = loaded.value?.card.status === "running";
  useEffect(() => {
    if (!isRunning) return;
    let readAt = performance.now();
    const stop = source.watchRun(id, {
      queue: setHeard,
      progress: (now) => {
        const isOver = now.status !== "running";
        const wait = now.done < MIN_LARGE_RUN_TRIALS ? RELOAD_INTERVAL_MS : LARGE_RUN_RELOAD_INTERVAL_MS;
        setProgress(isOver ? null : now);
        if (isOver) stop();
        if (!isOver && performance.now() - readAt < wait) return;
        readAt = performance.now();
        setReads((before) => before + 1);
      },
    });
    return stop;
  }, [source, id, isRunning]);
  // What is heard twice a second is newer than what was read, and the last of it stays when the run is over.
  return { loaded, progress, queue: heard === undefined ? (loaded.value?.queue ?? null) : heard };
}
