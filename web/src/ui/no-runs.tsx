import { EmptyState } from "./empty-state.js";

/** What stands where no run was ever kept. */
export function NoRunsState() {
  return (
    <EmptyState title="There are no runs yet" command="npx assay demo">
      The demo needs no key and no network. When it is done, it is listed here.
    </EmptyState>
  );
}
