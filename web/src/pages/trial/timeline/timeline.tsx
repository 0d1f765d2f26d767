import { useMemo, useState } from "preact/hooks";
import type { TimelineStep } from "../../../../../src/report/dashboard/contract.js";
import { type Route, updateQuery } from "../../../shell/route.js";
import { formatCount, formatPlural } from "../../../ui/index.js";
import { joinValues, splitValues } from "../../run/rows/word-list.js";
import { useGrowingCount } from "../text/use-growing.js";
import { countKinds, pairSteps, type TimelineEntry } from "./pair-steps.js";
import { RunningCosts } from "./running-costs.js";
import { STEP_KIND_WORDS, TimelineItem } from "./step.js";

const DEFAULT_STEPS_SHOWN = 150;
const STEPS_PER_REDRAW = 40;

/** The work of an agent, step by step. */
export function Timeline({ route, steps }: { route: Route; steps: readonly TimelineStep[] }) {
  const entries = useMemo(() => pairSteps(steps), [steps]);
  const hidden = splitValues(route.query.hide);
  const shown = entries.filter(({ step }) => !hidden.includes(step.kind));
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">
        Timeline <span class="quiet">{formatPlural(entries.length, "step")}</span>
      </h2>
      <RunningCosts steps={steps} />
      <KindFilter route={route} entries={entries} hidden={hidden} />
      <TimelineItems entries={shown} of={steps} />
    </section>
  );
}

interface KindFilterProps {
  route: Route;
  entries: readonly TimelineEntry[];
  hidden: readonly string[];
}

function KindFilter({ route, entries, hidden }: KindFilterProps) {
  const toggle = (kind: string) =>
    hidden.includes(kind) ? hidden.filter((other) => other !== kind) : [...hidden, kind];
  return (
    <fieldset class="kinds">
      <legend class="unseen">Kinds of steps</legend>
      {countKinds(entries).map(([kind, count]) => (
        <label key={kind}>
          <input
            type="checkbox"
            checked={!hidden.includes(kind)}
            onChange={() => updateQuery(route, { hide: joinValues(toggle(kind)) })}
          />
          {STEP_KIND_WORDS[kind]} <span class="quiet">{formatCount(count)}</span>
        </label>
      ))}
    </fieldset>
  );
}

function TimelineItems({ entries, of }: { entries: readonly TimelineEntry[]; of: readonly TimelineStep[] }) {
  const [isAll, setAll] = useState(false);
  const total = isAll ? entries.length : Math.min(entries.length, DEFAULT_STEPS_SHOWN);
  const count = useGrowingCount(total, STEPS_PER_REDRAW, of);
  return (
    <>
      <ol class="steps">
        {entries.slice(0, Math.min(count, total)).map((entry) => (
          <TimelineItem key={entry.place} entry={entry} />
        ))}
      </ol>
      {entries.length > total && (
        <button type="button" class="text-more" onClick={() => setAll(true)}>
          Show all {formatCount(entries.length)} steps
        </button>
      )}
    </>
  );
}
