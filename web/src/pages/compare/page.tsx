import type { Route } from "../../shell/route.js";

/** Not drawn yet. */
export function ComparePage({ route }: { route: Route }) {
  return <h1>Compare {route.path.join("/")}</h1>;
}
