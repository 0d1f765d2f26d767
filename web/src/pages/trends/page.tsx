import type { Route } from "../../shell/route.js";

/** Not drawn yet. */
export function TrendsPage({ route }: { route: Route }) {
  return <h1>Trends {route.path.join("/")}</h1>;
}
