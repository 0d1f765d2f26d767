import type { RunView } from "../../../../src/report/dashboard/contract.js";
import { useSource } from "../../shell/context.js";
import { LoadView } from "../../shell/loaded.js";
import { buildAddress, navigate, type Route } from "../../shell/route.js";
import { formatCount, PageHead, type Tab, Tabs } from "../../ui/index.js";
import { revealLine } from "../trial/text/visible-text.js";
import { ChartsTab } from "./charts-tab.js";
import { LivePanel } from "./live-panel.js";
import { hasRowFilter } from "./rows/row-filter.js";
import { RowsTab } from "./rows/rows-tab.js";
import { RunHead } from "./run-head.js";
import { SummaryTab } from "./summary-tab.js";
import { type LiveRun, useLiveRun } from "./use-live.js";
import { WorkersSection } from "./workers/workers-section.js";

/** One run: what came of it, in figures, charts and rows; live while it goes. */
export function RunPage({ route, id }: { route: Route; id: string }) {
  return <RunContent key={id} route={route} id={id} />;
}

function RunContent({ route, id }: { route: Route; id: string }) {
  const live = useLiveRun(id);
  return (
    <>
      <PageHead title={revealLine(live.loaded.value?.card.title ?? id)} place={id} />
      <LoadView loaded={live.loaded} what="the run">
        {(view) => <RunSections route={route} view={view} live={live} />}
      </LoadView>
    </>
  );
}

interface RunSectionsProps {
  route: Route;
  view: RunView;
  live: LiveRun;
}

function RunSections({ route, view, live: { progress, queue } }: RunSectionsProps) {
  const { id } = view.card;
  const chosen = getActiveTab(route);
  return (
    <>
      <RunHead view={view} />
      <CompareRunLink view={view} />
      {progress !== null && <LivePanel id={id} progress={progress} />}
      {queue !== null && <WorkersSection route={route} queue={queue} />}
      <Tabs
        label="Parts of the run"
        tabs={listTabs(view)}
        chosen={chosen}
        onChoose={(tab) => navigate(["run", id, tab])}
      >
        {chosen === "summary" && <SummaryTab route={route} view={view} />}
        {chosen === "charts" && <ChartsTab view={view} />}
        {chosen === "rows" && <RowsTab route={route} id={id} state={`${view.card.status} ${view.card.done}`} />}
      </Tabs>
    </>
  );
}

function listTabs({ card }: RunView): Tab[] {
  return [
    { key: "summary", title: "Summary" },
    { key: "charts", title: "Charts" },
    { key: "rows", title: "Rows", count: formatCount(card.done) },
  ];
}

/** Which part an address is about; one that asks for some of the rows is about rows. */
function getActiveTab({ path: [, , part], query }: Route): "summary" | "charts" | "rows" {
  if (part === "charts" || part === "rows") return part;
  return part === undefined && hasRowFilter(query) ? "rows" : "summary";
}

function CompareRunLink({ view: { card } }: { view: RunView }) {
  const source = useSource();
  const [a, b] = card.systems;
  if (source.kind === "file" && b === undefined) return null;
  const pair = source.kind === "file" || b !== undefined ? { b: card.id, systemA: a?.system, systemB: b?.system } : {};
  return (
    <p class="actions">
      <a href={buildAddress(["compare"], { a: card.id, ...pair })}>
        {source.kind === "file" ? "Compare its systems" : "Compare its systems, or with another run"}
      </a>
    </p>
  );
}
