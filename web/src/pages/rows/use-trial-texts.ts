import { useEffect, useState } from "preact/hooks";
import { MAX_EXCERPT_TRIALS } from "../../../../src/report/dashboard/choose-trial.js";
import type { TrialExcerpts } from "../../../../src/report/dashboard/contract.js";
import { useSource } from "../../data/index.js";
import type { RowTable } from "./row-table.js";

/** Wait until the reader stops scrolling. */
const SCROLL_PAUSE_MS = 80;

type TextsByPlace = ReadonlyMap<number, TrialExcerpts>;

const NO_TEXTS: TextsByPlace = new Map();

/** The beginnings of the texts of rows that are or were in view, by their place in the table. */
export function useTrialTexts(run: string, table: RowTable, places: readonly number[]): TextsByPlace {
  const source = useSource();
  const [loaded, setLoaded] = useState({ table, texts: NO_TEXTS });
  const texts = loaded.table === table ? loaded.texts : NO_TEXTS;
  useEffect(() => {
    const missing = places.filter((place) => !texts.has(place));
    if (missing.length === 0) return;
    const add = async (group: readonly number[]) => {
      const keys = group.map((place) => table.getKey(place));
      const read = await source.getTrialExcerpts(run, keys);
      const added = group.flatMap((place, at) => {
        const one = read[at];
        return one === undefined ? [] : [[place, one] as const];
      });
      setLoaded((before) => ({ table, texts: new Map([...(before.table === table ? before.texts : []), ...added]) }));
    };
    const timer = setTimeout(() => {
      for (let from = 0; from < missing.length; from += MAX_EXCERPT_TRIALS)
        add(missing.slice(from, from + MAX_EXCERPT_TRIALS)).catch(() => {
          // The rows are useful without texts, which are asked for again at the next move. The page says by itself when
          // the server is gone.
        });
    }, SCROLL_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [source, run, table, places.join()]);
  return texts;
}
