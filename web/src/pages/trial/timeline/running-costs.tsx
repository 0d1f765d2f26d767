import type { TimelineStep } from "../../../../../src/report/dashboard/contract.js";
import { formatCount, formatDollars } from "../../../ui/index.js";
import { type RunningLine, runningLine } from "./running-line.js";

const BOX = { width: 600, height: 36 };

/** What the work had cost by when, as small lines over its time. */
export function RunningCosts({ steps }: { steps: readonly TimelineStep[] }) {
  const cost = runningLine(steps, "costUsd", BOX);
  const tokens = runningLine(steps, "tokens", BOX);
  if (cost === null && tokens === null) return null;
  return (
    <div class="running">
      {cost !== null && <Line name="Cost" line={cost} end={formatDollars(cost.last)} />}
      {tokens !== null && <Line name="Tokens" line={tokens} end={formatCount(tokens.last)} />}
    </div>
  );
}

function Line({ name, line, end }: { name: string; line: RunningLine; end: string }) {
  return (
    <figure class="running-line">
      <figcaption>
        {name} over time: <b>{end}</b> in the end
      </figcaption>
      <svg viewBox={`0 -1 ${BOX.width} ${BOX.height + 2}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={line.path} />
      </svg>
    </figure>
  );
}
