import type { Outcome } from "../../../../src/core/row.js";

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
