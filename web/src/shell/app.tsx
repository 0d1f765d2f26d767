import type { ComponentChildren } from "preact";
import { ComparePage } from "../pages/compare/page.js";
import { OverviewPage } from "../pages/overview/page.js";
import { RunPage } from "../pages/run/page.js";
import { RunsPage } from "../pages/runs/page.js";
import { TrendsPage } from "../pages/trends/page.js";
import { TrialPage } from "../pages/trial/page.js";
import { addressOf, type Route, useRoute } from "./route.js";
import { ThemeChoice } from "./theme.js";

/** The whole page: where to go, and where the reader is. */
export function App() {
  const route = useRoute();
  return (
    <>
      <button type="button" class="skip" onClick={focusContent}>
        Skip to the content
      </button>
      <header class="bar">
        <a class="name" href={addressOf([])}>
          Assay
        </a>
        <nav aria-label="Pages">
          <Place route={route} to="">
            Overview
          </Place>
          <Place route={route} to="runs">
            Runs
          </Place>
          <Place route={route} to="trends">
            Trends
          </Place>
          <Place route={route} to="compare">
            Compare
          </Place>
        </nav>
        <ThemeChoice />
      </header>
      <main id="content" tabIndex={-1}>
        <Page route={route} />
      </main>
    </>
  );
}

function Place({ route, to, children }: { route: Route; to: string; children: ComponentChildren }) {
  const isHere = (route.path[0] ?? "") === to;
  return (
    <a href={addressOf(to === "" ? [] : [to])} aria-current={isHere ? "page" : undefined}>
      {children}
    </a>
  );
}

/** A link would not do: an address within the page is taken for a place to go. */
function focusContent(): void {
  document.getElementById("content")?.focus();
}

function Page({ route }: { route: Route }) {
  const [page, id, part] = route.path;
  if (page === undefined) return <OverviewPage route={route} />;
  if (page === "runs") return <RunsPage route={route} />;
  if (page === "trends") return <TrendsPage route={route} />;
  if (page === "compare") return <ComparePage route={route} />;
  if (page === "run" && id !== undefined)
    return part === "trial" ? <TrialPage route={route} id={id} /> : <RunPage route={route} id={id} />;
  return (
    <p class="problem" role="alert">
      There is no such page. <a href={addressOf([])}>Go to the overview.</a>
    </p>
  );
}
