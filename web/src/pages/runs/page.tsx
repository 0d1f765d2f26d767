import type { Route } from "../../shell/route.js";

/** Not drawn yet. */
export function RunsPage({ route }: { route: Route }) {
  return <h1>Runs {route.path.join("/")}</h1>;
}
