import type { SingleRun } from "../data/index.js";
import type { Route } from "../ui/index.js";

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

/** A file with one run has no lists of runs, and nothing to compare a single system with. */
export function listNavigationItems(singleRun: SingleRun | null): readonly NavigationItem[] {
  if (singleRun === null) return SERVER_ITEMS;
  const run = { title: "Run", path: ["run", singleRun.id] };
  return singleRun.systems > 1 ? [run, COMPARE_ITEM] : [run];
}

const LIST_PAGES: ReadonlySet<string | undefined> = new Set([undefined, "runs", "trends"]);

/** In a file with one run, a list of runs leads to that run. */
export function resolveRoute(route: Route, singleRun: SingleRun | null): Route {
  return singleRun !== null && LIST_PAGES.has(route.path[0]) ? { path: ["run", singleRun.id], query: {} } : route;
}
