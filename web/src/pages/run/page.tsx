import type { Route } from "../../shell/route.js";

/** Not drawn yet. */
export function RunPage({ route, id }: { route: Route; id: string }) {
  return (
    <h1>
      Run {id} {route.path.length}
    </h1>
  );
}
