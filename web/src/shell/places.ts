import type { OnlyRun } from "../data/source.js";
import type { Route } from "./route.js";

/** A page that one can go to from everywhere. */
export interface PlaceToGo {
  readonly title: string;
  readonly path: readonly string[];
}

const COMPARE: PlaceToGo = { title: "Compare", path: ["compare"] };

const ALL: readonly PlaceToGo[] = [
  { title: "Overview", path: [] },
  { title: "Runs", path: ["runs"] },
  { title: "Trends", path: ["trends"] },
  COMPARE,
];

/** Where one can go: a file that holds `only` one run has no lists of runs, and nothing to compare one system with. */
export function placesIn(only: OnlyRun | null): readonly PlaceToGo[] {
  if (only === null) return ALL;
  const run = { title: "Run", path: ["run", only.id] };
  return only.systems > 1 ? [run, COMPARE] : [run];
}

const LISTS: ReadonlySet<string | undefined> = new Set([undefined, "runs", "trends"]);

/** The address as it is meant: in a file with `only` one run, a list of runs is that run. */
export function routeIn(route: Route, only: OnlyRun | null): Route {
  return only !== null && LISTS.has(route.path[0]) ? { path: ["run", only.id], query: {} } : route;
}
