import { useEffect, useState } from "preact/hooks";
import type { RunCard, RunFilter, RunListQuery, RunPage } from "../../../src/report/dashboard/contract.js";
import { MAX_RUNS } from "../../../src/report/dashboard/run-query.js";
import { throttle } from "../ui/index.js";
import { type LoadState, useLoadState, useSource } from "./load.js";

/** The newest runs, for pages that cover many runs. */
export interface RunCards {
  /** Of all runs; they give the choices of the filters. */
  all: readonly RunCard[];
  /** Runs that match the dataset and the tag, with the figures of that part only. */
  shown: readonly RunCard[];
  /** How many runs match; may be more than are listed. */
  total: number;
  unread: number;
}

/** Limits how often the list is fetched while runs change. */
const MIN_LIST_INTERVAL_MS = 2000;
/** How soon the list is fetched again while the server is still reading runs. */
const RELIST_INTERVAL_MS = 500;

/** The newest runs that match a filter, updated when runs change. */
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

/** A page of runs, updated when runs change. */
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
