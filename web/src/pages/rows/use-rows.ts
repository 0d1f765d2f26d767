import { useEffect, useState } from "preact/hooks";
import type { RowChunk, RowsHead } from "../../../../src/report/dashboard/contract.js";
import { type DataSource, useServerReturns, useSource } from "../../data/index.js";
import { groupMatches, type TextMatches } from "../row-filter.js";
import { RowTable } from "./row-table.js";

/** The rows of a run that have arrived. */
export interface LoadedRows {
  readonly table: RowTable | null;
  /** Grows with every chunk, while the table stays the same object. */
  readonly version: number;
  readonly isComplete: boolean;
  readonly problem: string | null;
}

interface CachedRows {
  readonly run: string;
  /** As given to `useRows`. */
  readonly state: string | null;
  readonly table: RowTable;
}

/** While rows arrive. */
const REDRAW_INTERVAL_MS = 250;

const NO_ROWS_LOADED: LoadedRows = { table: null, version: 0, isComplete: false, problem: null };

/**
 * The rows read last, for each source: going to a trial and back must not read a hundred thousand rows again, and no
 * component survives a change of page.
 */
const rowCache = new WeakMap<DataSource, CachedRows>();

/**
 * Reads the rows of a run. Previous rows stay until those of the next `state` are complete; with null, cached rows are
 * used whatever their state. Without a run nothing is read.
 */
export function useRows(run: string | null, state: string | null): LoadedRows {
  const source = useSource();
  const [rows, setRows] = useState<LoadedRows>(() => getCachedRows(source, run));
  const returns = useServerReturns(rows.problem !== null);
  useEffect(() => {
    const known = rowCache.get(source);
    if (run === null) return;
    if (known?.run === run && (state === null || known.state === state)) return setRows(getCachedRows(source, run));
    const gone = new AbortController();
    void loadRows({ source, run, state, isFirst: known?.run !== run, signal: gone.signal, show: setRows });
    return () => gone.abort();
  }, [source, run, state, returns]);
  return rows;
}

function getCachedRows(source: DataSource, run: string | null): LoadedRows {
  const known = rowCache.get(source);
  if (known === undefined || known.run !== run) return NO_ROWS_LOADED;
  return { table: known.table, version: known.table.length, isComplete: true, problem: null };
}

interface RowLoadOptions {
  readonly source: DataSource;
  readonly run: string;
  readonly state: string | null;
  /** No rows of this run are shown yet, so show every chunk. */
  readonly isFirst: boolean;
  readonly signal: AbortSignal;
  readonly show: (change: (rows: LoadedRows) => LoadedRows) => void;
}

async function loadRows({ source, run, state, isFirst, signal, show }: RowLoadOptions): Promise<void> {
  let table: RowTable | null = null;
  let shownAt = 0;
  const head = (said: RowsHead) => {
    table = new RowTable(said);
  };
  const chunk = (piece: RowChunk) => {
    table?.append(piece);
    if (!isFirst || signal.aborted || performance.now() - shownAt < REDRAW_INTERVAL_MS) return;
    shownAt = performance.now();
    show(() => ({ table, version: table?.length ?? 0, isComplete: false, problem: null }));
  };
  if (isFirst) show(() => NO_ROWS_LOADED);
  try {
    await source.readRows(run, { head, chunk }, signal);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    if (!signal.aborted) show((rows) => ({ ...rows, isComplete: true, problem }));
    return;
  }
  const read = table as RowTable | null;
  if (signal.aborted) return;
  if (read !== null) rowCache.set(source, { run, state, table: read });
  show(() => ({ table: read, version: read?.length ?? 0, isComplete: true, problem: null }));
}

export interface TextSearch {
  readonly matches: TextMatches | null;
  readonly count: number;
  /** There are more matches than these. */
  readonly isCut: boolean;
  readonly isSearching: boolean;
  readonly problem: string | null;
}

/** One letter occurs in nearly every text. */
const MIN_SEARCH_LENGTH = 2;

const NO_SEARCH: TextSearch = { matches: null, count: 0, isCut: false, isSearching: false, problem: null };

/** Searches the questions and answers of a run. A search that the next letter replaces is stopped, here and by the server. */
export function useTextSearch(run: string | null, text: string): TextSearch {
  const source = useSource();
  const [search, setSearch] = useState<TextSearch>(NO_SEARCH);
  const wanted = text.trim();
  const returns = useServerReturns(search.problem !== null);
  useEffect(() => {
    if (run === null || wanted.length < MIN_SEARCH_LENGTH) return setSearch(NO_SEARCH);
    const gone = new AbortController();
    setSearch({ ...NO_SEARCH, isSearching: true });
    const find = async () => {
      const { matches, isCut } = await source.searchTrials(run, wanted, gone.signal);
      if (gone.signal.aborted) return;
      setSearch({ ...NO_SEARCH, matches: groupMatches(matches), count: matches.length, isCut });
    };
    const fail = (error: unknown) => {
      if (gone.signal.aborted) return;
      setSearch({ ...NO_SEARCH, problem: error instanceof Error ? error.message : String(error) });
    };
    find().catch(fail);
    return () => gone.abort();
  }, [source, run, wanted, returns]);
  return search;
}
