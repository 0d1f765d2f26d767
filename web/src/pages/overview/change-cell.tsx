import { addressOf } from "../../shell/route.js";
import { formatDay } from "../../ui/dates.js";
import { type Change, certaintyWords, changesBetween } from "./changes.js";
import type { Entry } from "./parts.js";

const ARROWS = { up: "▲", down: "▼", same: "=" } as const;

/** What became of a system since its last run: its quality at once, everything else when it is opened. */
export function ChangeCell({ entry }: { entry: Entry }) {
  const { previous, card } = entry;
  if (previous === null) return <span class="quiet">first run</span>;
  const changes = changesBetween(previous.card, card);
  const [headline] = changes;
  if (headline === undefined) return <span class="quiet">no figure in both runs</span>;
  return (
    <details class="change">
      <summary>
        <ChangeLine change={headline} />
        <span class="quiet small block">{[headline.words, certaintyWords(headline)].filter(Boolean).join(", ")}</span>
      </summary>
      <div class="small">
        <ul class="plain-list">
          {changes.slice(1).map((change) => (
            <li key={change.figure}>
              {change.words} <ChangeLine change={change} /> <span class="quiet">{certaintyWords(change)}</span>
            </li>
          ))}
        </ul>
        <span class="quiet">Since {formatDay(previous.run.createdAt)}</span> · <CompareLink entry={entry} />
      </div>
    </details>
  );
}

/** To the paired comparison, which is the fair one: intervals that overlap do not mean that nothing changed. */
export function CompareLink({ entry: { previous, run, card, name } }: { entry: Entry }) {
  const words = { a: previous?.run.id, b: run.id, systemA: previous?.card.system, systemB: card.system };
  return (
    <a href={addressOf(["compare"], words)} aria-label={`Compare ${name} with its run before`}>
      compare
    </a>
  );
}

/** An arrow for the direction, and a word for whether that is good. */
export function ChangeLine({ change: { direction, step, isBetter, certainty } }: { change: Change }) {
  if (isBetter === null) return <span class="change-line">= {step}, the same</span>;
  return (
    <span class={`change-line ${isBetter ? "better" : "worse"} is-${certainty}`}>
      <span aria-hidden="true">{ARROWS[direction]}</span> {step}, {isBetter ? "better" : "worse"}
    </span>
  );
}
