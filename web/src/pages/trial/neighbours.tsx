import { useMemo } from "preact/hooks";
import type { TrialKey } from "../../data/source.js";
import { addressOf, type Query } from "../../shell/route.js";
import { formatCount, parseOrder } from "../../ui/index.js";
import { filterOf } from "../run/rows/row-filter.js";
import { AS_PLANNED } from "../run/rows/sort-places.js";
import { usePlaces } from "../run/rows/use-places.js";
import { useRows } from "../run/rows/use-rows.js";
import { useSearch } from "../run/rows/use-search.js";
import { trialAddress } from "./trial-address.js";

interface NeighboursProps {
  id: string;
  trial: TrialKey;
  /** The filters and the order of the list that the reader comes from; null when they come from elsewhere. */
  list: Query | null;
}

/** The way back to the rows, and to the ones before and after this one in the list that the reader comes from. */
export function Neighbours({ id, trial, list }: NeighboursProps) {
  const { list: _, ...words } = list ?? {};
  return (
    <nav class="neighbours" aria-label="Trials">
      <a href={addressOf(["run", id, "rows"], words)}>Back to the rows</a>
      {list !== null && <Steps id={id} trial={trial} words={words} />}
    </nav>
  );
}

function Steps({ id, trial, words }: { id: string; trial: TrialKey; words: Query }) {
  const filter = filterOf(words);
  const rows = useRows(id, null);
  const { matches } = useSearch(id, filter.text);
  const { table, places } = usePlaces(rows, { filter, order: parseOrder(words.sort, AS_PLANNED), matches });
  const at = useMemo(
    () => (table === null ? -1 : places.indexOf(table.placeOf(trial))),
    [table, places, trialAddress(id, trial)],
  );
  if (table === null || at < 0) return null;
  const hrefAt = (index: number) => {
    const place = places[index];
    return place === undefined ? null : trialAddress(id, table.keyAt(place), words);
  };
  return (
    <>
      <StepLink href={hrefAt(at - 1)}>← Previous</StepLink>
      <StepLink href={hrefAt(at + 1)}>Next →</StepLink>
      <span class="quiet" role="status">
        {formatCount(at + 1)} of {formatCount(places.length)}
      </span>
    </>
  );
}

/** At the end of the list there is nowhere to go; the place stays, so that the other link does not jump. */
function StepLink({ href, children }: { href: string | null; children: string }) {
  return href === null ? <span class="quiet">{children}</span> : <a href={href}>{children}</a>;
}
