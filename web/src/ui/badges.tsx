import type { Outcome } from "../../../src/core/row.js";
import type { RunStatus } from "../../../src/report/dashboard/contract.js";

/** Signs, because color alone must not carry information. */
const STATUS_SIGNS: Readonly<Record<RunStatus, string>> = {
  running: "◐",
  complete: "✓",
  incomplete: "◌",
  damaged: "✕",
};

interface StatusBadgeProps {
  status: RunStatus;
  /** Marked amber: it ended, but its figures may mislead. */
  isDoubtful?: boolean;
}

export function StatusBadge({ status, isDoubtful = false }: StatusBadgeProps) {
  return (
    <span class={isDoubtful ? "badge badge-doubtful" : `badge badge-${status}`}>
      <span aria-hidden="true">{isDoubtful ? "⚠" : STATUS_SIGNS[status]}</span> {status}
    </span>
  );
}

const OUTCOME_SIGNS: Readonly<Record<Outcome, string>> = {
  pass: "✓",
  fail: "✕",
  error: "!",
  unscored: "?",
  skipped: "–",
};

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
