import type { Route } from "../../shell/route.js";

/** Not drawn yet. */
export function OverviewPage({ route }: { route: Route }) {
  return <h1>Overview {route.path.join("/")}</h1>;
}
