import { useEffect, useState } from "preact/hooks";
import type { RunCard, RunFilter, RunListQuery, RunPage } from "../../../src/report/dashboard/contract.js";
import { MAX_RUNS } from "../../../src/report/dashboard/run-query.js";
import { throttle } from "../ui/index.js";
import { type LoadState, useLoadState, useSource } from "./load.js";

/** The newest runs, which pages over many runs are drawn from. */
export interface RunCards {
  /** Of all runs; they say what can be filtered by. */
  all: readonly RunCard[];
  /** Those that have the dataset and the tag, with the figures of that alone. */
  shown: readonly RunCard[];
  /** How many runs there are to show; more than are shown where there are very many. */
  total: number;
  unread: number;
}

/** How long after a list the next one is fetched, however often runs change. */
const MIN_LIST_INTERVAL_MS = 2000;
/** How long after a list of the runs read so far the next one is fetched. */
const RELIST_INTERVAL_MS = 500;

/** The newest runs of a filter, listed again when they change. */
export function useRunCards({ dataset = "", tag = "" }: RunFilter = {}): LoadState<RunCards> {
  const source = useSource();
  return useRunList(async () => {
    const filter = { ...(dataset && { dataset }), ...(tag && { tag }) };
    const isFiltered = source.kind === "served" && Object.keys(filter).length > 0;
    const all = await source.listRuns({ limit: MAX_RUNS });
    const shown = isFiltered ? await source.listRuns({ ...filter, limit: MAX_RUNS }) : all;
    return { all: all.runs, shown: shown.runs, total: shown.total, unread: shown.unread };
  }, [dataset, tag]);
}

/** A page of runs, listed again when they change. */
export function useRunPage(query: RunListQuery): LoadState<RunPage> {
  const source = useSource();
  return useRunList(() => source.listRuns(query), [JSON.stringify(query)]);
}

/** Lists runs again when they change, and until all were read. */
function useRunList<T extends { unread: number }>(list: () => Promise<T>, inputs: readonly unknown[]): LoadState<T> {
  const source = useSource();
  const version = useRunChanges();
  const [times, setTimes] = useState(0);
  const loaded = useLoadState(list, [source, version, times, ...inputs]);
  const isPartial = loaded.state === "ready" && loaded.value.unread > 0;
  useEffect(() => {
    if (!isPartial) return;
    const timer = setTimeout(() => setTimes((count) => count + 1), RELIST_INTERVAL_MS);
    return () => clearTimeout(timer);
  }, [isPartial]);
  return loaded;
}

/** Counts how often the list of runs has changed. */
function useRunChanges(): number {
  const source = useSource();
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const change = throttle(() => setVersion((count) => count + 1), MIN_LIST_INTERVAL_MS);
    const stop = source.watchRuns(change.call);
    return () => {
      stop();
      change.cancel();
    };
  }, [source]);
  return version;
}
