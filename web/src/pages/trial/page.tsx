import type { Route } from "../../shell/route.js";

/** Not drawn yet. */
export function TrialPage({ route, id }: { route: Route; id: string }) {
  return (
    <h1>
      Trial {id} {route.path.length}
    </h1>
  );
}
