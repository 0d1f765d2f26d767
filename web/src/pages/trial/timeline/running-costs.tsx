import type { TimelineStep } from "../../../../../src/report/dashboard/contract.js";
import { formatCount, formatDollars } from "../../../ui/index.js";
import { buildRunningLine, type RunningLine } from "./running-line.js";

const LINE_SIZE = { width: 600, height: 36 };

/** What the work had cost by when, as small lines over its time. */
export function RunningCosts({ steps }: { steps: readonly TimelineStep[] }) {
  const cost = buildRunningLine(steps, "costUsd", LINE_SIZE);
  const tokens = buildRunningLine(steps, "tokens", LINE_SIZE);
  if (cost === null && tokens === null) return null;
  return (
    <div class="running">
      {cost !== null && <RunningLineFigure name="Cost" line={cost} end={formatDollars(cost.last)} />}
      {tokens !== null && <RunningLineFigure name="Tokens" line={tokens} end={formatCount(tokens.last)} />}
    </div>
  );
}

function RunningLineFigure({ name, line, end }: { name: string; line: RunningLine; end: string }) {
  return (
    <figure class="running-line">
      <figcaption>
        {name} over time: <b>{end}</b> in the end
      </figcaption>
      <svg viewBox={`0 -1 ${LINE_SIZE.width} ${LINE_SIZE.height + 2}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={line.path} />
      </svg>
    </figure>
  );
}
