import { useEffect, useState } from "preact/hooks";
import { useSource } from "../../../shell/context.js";
import { useServerReturns } from "../../../shell/server-notice.js";
import { groupMatches, type TextMatches } from "./row-filter.js";

/** What a search of the texts has come to. */
export interface TextSearch {
  readonly matches: TextMatches | null;
  readonly count: number;
  /** There are more than these. */
  readonly isCut: boolean;
  readonly isSearching: boolean;
  readonly problem: string | null;
}

/** Nobody wants each letter looked for while a word is typed. */
const TYPING_PAUSE_MS = 400;
/** One letter is in every text. */
const MIN_SEARCH_LENGTH = 2;

const NO_SEARCH: TextSearch = { matches: null, count: 0, isCut: false, isSearching: false, problem: null };

/** Looks for a text in the questions and answers of a run, once it has not changed for a moment. */
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
    const timer = setTimeout(() => find().catch(fail), TYPING_PAUSE_MS);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [source, run, wanted, returns]);
  return search;
}
