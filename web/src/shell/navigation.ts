import type { SingleRun } from "../data/index.js";
import type { Route } from "../ui/index.js";

/** A page that one can go to from everywhere. */
export interface NavigationItem {
  readonly title: string;
  readonly path: readonly string[];
}

const COMPARE_ITEM: NavigationItem = { title: "Compare", path: ["compare"] };

const SERVER_ITEMS: readonly NavigationItem[] = [
  { title: "Overview", path: [] },
  { title: "Runs", path: ["runs"] },
  { title: "Trends", path: ["trends"] },
  COMPARE_ITEM,
];

/** Where one can go: a file that holds one run has no lists of runs, and nothing to compare one system with. */
export function listNavigationItems(only: SingleRun | null): readonly NavigationItem[] {
  if (only === null) return SERVER_ITEMS;
  const run = { title: "Run", path: ["run", only.id] };
  return only.systems > 1 ? [run, COMPARE_ITEM] : [run];
}

const LIST_PAGES: ReadonlySet<string | undefined> = new Set([undefined, "runs", "trends"]);

/** The address as it is meant: in a file that holds one run, a list of runs is that run. */
export function resolveRoute(route: Route, only: SingleRun | null): Route {
  return only !== null && LIST_PAGES.has(route.path[0]) ? { path: ["run", only.id], query: {} } : route;
}
