import { useEffect, useState } from "preact/hooks";
import type { RunCard, RunFilter, RunListQuery, RunPage } from "../../../src/report/dashboard/contract.js";
import { MAX_RUNS } from "../../../src/report/dashboard/run-query.js";
import { useSource } from "../shell/context.js";
import { type Loaded, useLoaded } from "../shell/loaded.js";
import { paced } from "./paced.js";

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
const PAUSE_MS = 2000;
/** How long after a list of the runs read so far the next one is fetched. */
const ASK_AGAIN_MS = 500;

/** The newest runs of a filter, listed again when they change. */
export function useRunCards({ dataset = "", tag = "" }: RunFilter = {}): Loaded<RunCards> {
  const source = useSource();
  return useListed(async () => {
    const filter = { ...(dataset && { dataset }), ...(tag && { tag }) };
    const isFiltered = source.kind === "served" && Object.keys(filter).length > 0;
    const all = await source.runs({ limit: MAX_RUNS });
    const shown = isFiltered ? await source.runs({ ...filter, limit: MAX_RUNS }) : all;
    return { all: all.runs, shown: shown.runs, total: shown.total, unread: shown.unread };
  }, [dataset, tag]);
}

/** A page of runs, listed again when they change. */
export function useRunPage(query: RunListQuery): Loaded<RunPage> {
  const source = useSource();
  return useListed(() => source.runs(query), [JSON.stringify(query)]);
}

/** Lists runs again when they change, and until all were read. */
function useListed<T extends { unread: number }>(list: () => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const source = useSource();
  const version = useChanges();
  const [times, setTimes] = useState(0);
  const loaded = useLoaded(list, [source, version, times, ...inputs]);
  const isPartial = loaded.state === "ready" && loaded.value.unread > 0;
  useEffect(() => {
    if (!isPartial) return;
    const timer = setTimeout(() => setTimes((count) => count + 1), ASK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isPartial]);
  return loaded;
}

/** Counts how often the list of runs has changed. */
function useChanges(): number {
  const source = useSource();
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const change = paced(() => setVersion((count) => count + 1), PAUSE_MS);
    const stop = source.watchRuns(change.call);
    return () => {
      stop();
      change.cancel();
    };
  }, [source]);
  return version;
}
