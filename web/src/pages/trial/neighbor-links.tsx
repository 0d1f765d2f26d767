import { useMemo } from "preact/hooks";
import type { TrialKey } from "../../data/index.js";
import { buildAddress, formatCount, parseOrder, type RouteQuery } from "../../ui/index.js";
import { useLabels } from "../labels/use-labels.js";
import { groupMatches, parseRowFilter } from "../row-filter.js";
import { PLANNED_ORDER, useVisibleRows } from "../rows/select-rows.js";
import { useRows, useTextSearch } from "../rows/use-rows.js";
import { buildTrialAddress } from "../trial-address.js";

interface NeighborLinksProps {
  id: string;
  trial: TrialKey;
  /** The filters and the order of the list that the reader came from; null without a list. */
  list: RouteQuery | null;
}

/** Links back to the rows, and to the previous and next row of that list. */
export function NeighborLinks({ id, trial, list }: NeighborLinksProps) {
  const { list: _, ...words } = list ?? {};
  return (
    <nav class="neighbours" aria-label="Trials">
      <a href={buildAddress(["run", id, "rows"], words)}>Back to the rows</a>
      {list !== null && <NeighborSteps id={id} trial={trial} words={words} />}
    </nav>
  );
}

function NeighborSteps({ id, trial, words }: { id: string; trial: TrialKey; words: RouteQuery }) {
  const filter = parseRowFilter(words);
  const rows = useRows(id, null);
  const { matches } = useTextSearch(id, filter.text);
  const { view } = useLabels(id);
  const labels = useMemo(() => (view === null ? null : groupMatches(view.labels)), [view]);
  const order = parseOrder(words.sort, PLANNED_ORDER);
  const { table, places } = useVisibleRows(rows, { filter, order, matches, labels });
  const at = useMemo(
    () => (table === null ? -1 : places.indexOf(table.findRow(trial))),
    [table, places, buildTrialAddress(id, trial)],
  );
  if (table === null || at < 0) return null;
  const getHref = (index: number) => {
    const place = places[index];
    return place === undefined ? null : buildTrialAddress(id, table.getKey(place), words);
  };
  return (
    <>
      <NeighborLink href={getHref(at - 1)} rel="prev">
        ← Previous
      </NeighborLink>
      <NeighborLink href={getHref(at + 1)} rel="next">
        Next →
      </NeighborLink>
      <span class="quiet" role="status">
        {formatCount(at + 1)} of {formatCount(places.length)}
      </span>
    </>
  );
}

/** At the end the text stays, so that the other link does not move. */
function NeighborLink({ href, rel, children }: { href: string | null; rel: "prev" | "next"; children: string }) {
  if (href === null) return <span class="quiet">{children}</span>;
  return (
    <a href={href} rel={rel}>
      {children}
    </a>
  );
}
