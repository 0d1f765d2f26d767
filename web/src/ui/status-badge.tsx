import type { RunStatus } from "../../../src/report/dashboard/contract.js";

/** A sign for each, so that nothing is told by colour alone. */
const STATUS_SIGNS: Readonly<Record<RunStatus, string>> = {
  running: "◐",
  complete: "✓",
  incomplete: "◌",
  damaged: "✕",
};

/** How far a run is, as a sign and a word. */
export function StatusBadge({ status }: { status: RunStatus }) {
  return (
    <span class={`badge badge-${status}`}>
      <span aria-hidden="true">{STATUS_SIGNS[status]}</span> {status}
    </span>
  );
}
