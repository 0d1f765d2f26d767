import { useEffect, useState } from "preact/hooks";
import type { RunCard, RunFilter } from "../../../src/report/dashboard/contract.js";
import { useSource } from "../shell/context.js";
import { type Loaded, useLoaded } from "../shell/loaded.js";
import { paced } from "./paced.js";

/** Runs as a page lists them. */
export interface RunCards {
  /** All there are, which say what can be filtered by. */
  all: readonly RunCard[];
  /** Those that have the dataset and the tag, with the figures of that alone. */
  shown: readonly RunCard[];
}

/** How long after a list the next one is fetched, however often runs change. */
const PAUSE_MS = 2000;

/** The runs of a filter, listed again when they change. */
export function useRunCards({ dataset = "", tag = "" }: RunFilter = {}): Loaded<RunCards> {
  const source = useSource();
  const version = useChanges();
  return useLoaded(async () => {
    const filter = { ...(dataset && { dataset }), ...(tag && { tag }) };
    const isFiltered = source.kind === "served" && Object.keys(filter).length > 0;
    const [all, shown] = await Promise.all([source.runs(), isFiltered ? source.runs(filter) : null]);
    return { all, shown: shown ?? all };
  }, [source, dataset, tag, version]);
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
