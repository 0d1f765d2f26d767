import { useMemo, useState } from "preact/hooks";
import type { TimelineStep } from "../../../../../src/report/dashboard/contract.js";
import { changeQuery, type Route } from "../../../shell/route.js";
import { formatCount, formatPlural } from "../../../ui/index.js";
import { joinWords, splitWords } from "../../run/rows/word-list.js";
import { useGrowing } from "../text/use-growing.js";
import { kindsIn, pairSteps, type TimelineEntry } from "./pair-steps.js";
import { RunningCosts } from "./running-costs.js";
import { KIND_WORDS, Step } from "./step.js";

const STEPS_AT_FIRST = 150;
const STEPS_AT_ONCE = 40;

/** The work of an agent, step by step. */
export function Timeline({ route, steps }: { route: Route; steps: readonly TimelineStep[] }) {
  const entries = useMemo(() => pairSteps(steps), [steps]);
  const hidden = splitWords(route.query.hide);
  const shown = entries.filter(({ step }) => !hidden.includes(step.kind));
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">
        Timeline <span class="quiet">{formatPlural(entries.length, "step")}</span>
      </h2>
      <RunningCosts steps={steps} />
      <Kinds route={route} entries={entries} hidden={hidden} />
      <Steps entries={shown} of={steps} />
    </section>
  );
}

interface KindsProps {
  route: Route;
  entries: readonly TimelineEntry[];
  hidden: readonly string[];
}

function Kinds({ route, entries, hidden }: KindsProps) {
  const toggle = (kind: string) =>
    hidden.includes(kind) ? hidden.filter((other) => other !== kind) : [...hidden, kind];
  return (
    <fieldset class="kinds">
      <legend class="unseen">Kinds of steps</legend>
      {kindsIn(entries).map(([kind, count]) => (
        <label key={kind}>
          <input
            type="checkbox"
            checked={!hidden.includes(kind)}
            onChange={() => changeQuery(route, { hide: joinWords(toggle(kind)) })}
          />
          {KIND_WORDS[kind]} <span class="quiet">{formatCount(count)}</span>
        </label>
      ))}
    </fieldset>
  );
}

function Steps({ entries, of }: { entries: readonly TimelineEntry[]; of: readonly TimelineStep[] }) {
  const [isAll, setAll] = useState(false);
  const total = isAll ? entries.length : Math.min(entries.length, STEPS_AT_FIRST);
  const count = useGrowing(total, STEPS_AT_ONCE, of);
  return (
    <>
      <ol class="steps">
        {entries.slice(0, Math.min(count, total)).map((entry) => (
          <Step key={entry.place} entry={entry} />
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
