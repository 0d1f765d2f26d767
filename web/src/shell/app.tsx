import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { ServerNotice, useSource } from "../data/index.js";
import { ComparePage, LabelPage, OverviewPage, RunPage, RunsPage, TrendsPage, TrialPage } from "../pages/index.js";
import { buildAddress, PageHead, type Route, useRoute } from "../ui/index.js";
import { KeyHelp } from "./keys.js";
import { listNavigationItems, resolveRoute } from "./navigation.js";
import { ThemeChoice } from "./theme.js";

export function App() {
  const { singleRun } = useSource();
  const requested = useRoute();
  const route = resolveRoute(requested, singleRun);
  // Correct the address too, so that it can be shared.
  useEffect(() => {
    if (route !== requested) history.replaceState(null, "", buildAddress(route.path, route.query));
  });
  return (
    <>
      <button type="button" class="skip" onClick={focusContent}>
        Skip to the content
      </button>
      <header class="bar">
        <a class="name" href={buildAddress(listNavigationItems(singleRun)[0]?.path ?? [])}>
          Assay
        </a>
        <nav aria-label="Pages">
          {listNavigationItems(singleRun).map(({ title, path }) => (
            <NavigationLink key={title} route={route} path={path}>
              {title}
            </NavigationLink>
          ))}
        </nav>
        <ThemeChoice />
        <KeyHelp />
      </header>
      {singleRun === null && <ServerNotice />}
      <main id="content" tabIndex={-1}>
        <CurrentPage route={route} />
      </main>
    </>
  );
}

interface NavigationLinkProps {
  route: Route;
  path: readonly string[];
  children: ComponentChildren;
}

function NavigationLink({ route, path, children }: NavigationLinkProps) {
  return (
    <a href={buildAddress(path)} aria-current={route.path[0] === path[0] ? "page" : undefined}>
      {children}
    </a>
  );
}

/** Not a link: an address within the page would change the route. */
function focusContent(): void {
  document.getElementById("content")?.focus();
}

function CurrentPage({ route }: { route: Route }) {
  const [page, id, part] = route.path;
  if (page === undefined) return <OverviewPage route={route} />;
  if (page === "runs") return <RunsPage route={route} />;
  if (page === "trends") return <TrendsPage route={route} />;
  if (page === "compare") return <ComparePage route={route} />;
  if (page === "run" && id !== undefined && part === "label") return <LabelPage key={id} route={route} id={id} />;
  if (page === "run" && id !== undefined)
    return part === "trial" ? <TrialPage route={route} id={id} /> : <RunPage route={route} id={id} />;
  return (
    <>
      <PageHead title="Page not found" />
      <p class="problem" role="alert">
        Nothing is at this address. <a href={buildAddress([])}>Go to the overview.</a>
      </p>
    </>
  );
}
