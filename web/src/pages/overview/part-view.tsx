import { useMemo } from "preact/hooks";
import { formatOrder, parseOrder } from "../../../../src/report/dashboard/order.js";
import { changeQuery, type Route } from "../../shell/route.js";
import { formatCount, formatNumber, formatPlural } from "../../ui/format.js";
import type { Pick } from "../../ui/picks.js";
import { SortableTable } from "../../ui/table.js";
import { leaderboardColumns } from "./columns.js";
import { PartCharts } from "./part-charts.js";
import { type Entry, entryKey, type Part, rankingCost, thresholdsOf, titleOf } from "./parts.js";

interface PartViewProps {
  route: Route;
  part: Part;
  entries: readonly Entry[];
  picks: readonly Pick[];
  onPicks: (picks: readonly Pick[]) => void;
  /** Whether its charts are shown before they are asked for. */
  isFirst: boolean;
}

/** The leaderboard of runs that were asked the same, and its charts. */
export function PartView({ route, part, entries, picks, onPicks, isFirst }: PartViewProps) {
  const { dataset, tag } = route.query;
  const title = titleOf(part.datasets);
  const columns = useMemo(
    () => leaderboardColumns({ picks, onPicks }, { dataset, tag }),
    [picks, onPicks, dataset, tag],
  );
  return (
    <section class="part" aria-label={title}>
      <h2>{title}</h2>
      <p class="quiet">{sizeInWords(part, entries)}</p>
      <ThresholdNote entries={entries} />
      <TokenNote entries={entries} />
      <SortableTable
        caption={`Systems on ${title}`}
        rows={entries}
        columns={columns}
        rowKey={entryKey}
        order={parseOrder(route.query.sort, { key: "quality", isDescending: true })}
        onOrder={(order) => changeQuery(route, { sort: formatOrder(order) })}
      />
      <PartCharts title={title} entries={entries} asked={{ dataset, tag }} isOpen={isFirst} />
    </section>
  );
}

function sizeInWords({ datasets, runs }: Part, entries: readonly Entry[]): string {
  const examples = datasets.reduce((sum, dataset) => sum + dataset.examples, 0);
  const shown = `${formatPlural(entries.length, "system")}, the latest run of each`;
  const mark = datasets.map(({ fingerprint }) => fingerprint.slice(0, 8)).join(", ");
  return `${formatCount(examples)} ${examples === 1 ? "example" : "examples"} · ${shown} · ${formatPlural(runs.length, "run")} in all · content ${mark}`;
}

function TokenNote({ entries }: { entries: readonly Entry[] }) {
  if (rankingCost(entries) === "cost_per_pass_usd" || entries.every(({ rank }) => rank === null)) return null;
  return (
    <p class="quiet">
      Not every system here has a price, so Pareto ranks are by quality and output tokens for each pass.
    </p>
  );
}

function ThresholdNote({ entries }: { entries: readonly Entry[] }) {
  const thresholds = thresholdsOf(entries);
  if (thresholds.length < 2) return null;
  return (
    <p class="warn">
      These runs passed trials at different thresholds ({thresholds.map((value) => formatNumber(value)).join(", ")}), so
      their pass rates and costs per pass do not compare.
    </p>
  );
}
