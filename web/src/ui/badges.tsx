import type { Outcome } from "../../../src/core/row.js";
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

/** A sign for each, so that nothing is told by colour alone. */
const OUTCOME_SIGNS: Readonly<Record<Outcome, string>> = {
  pass: "✓",
  fail: "✕",
  error: "!",
  unscored: "?",
  skipped: "–",
};

/** How a trial ended, as a sign and a word. */
export function OutcomeBadge({ outcome }: { outcome: Outcome }) {
  return (
    <span class={`outcome outcome-${outcome}`}>
      <span class="outcome-sign" aria-hidden="true">
        {OUTCOME_SIGNS[outcome]}
      </span>
      {outcome}
    </span>
  );
}
