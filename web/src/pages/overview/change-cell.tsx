import { buildAddress } from "../../shell/route.js";
import { formatDay } from "../../ui/dates.js";
import { describeCertainty, type FigureChange, listFigureChanges } from "./changes.js";
import type { LeaderboardEntry } from "./parts.js";

const DIRECTION_ARROWS = { up: "▲", down: "▼", same: "=" } as const;

/** What became of a system since its last run: its quality at once, everything else when it is opened. */
export function ChangeCell({ entry }: { entry: LeaderboardEntry }) {
  const { previous, card } = entry;
  if (previous === null) return <span class="quiet">first run</span>;
  const changes = listFigureChanges(previous.card, card);
  const [headline] = changes;
  if (headline === undefined) return <span class="quiet">no figure in both runs</span>;
  return (
    <details class="change">
      <summary>
        <ChangeText change={headline} />
        <span class="quiet small block">
          {[headline.words, describeCertainty(headline)].filter(Boolean).join(", ")}
        </span>
      </summary>
      <div class="small">
        <ul class="plain-list">
          {changes.slice(1).map((change) => (
            <li key={change.figure}>
              {change.words} <ChangeText change={change} /> <span class="quiet">{describeCertainty(change)}</span>
            </li>
          ))}
        </ul>
        <span class="quiet">Since {formatDay(previous.run.createdAt)}</span> · <ComparePreviousLink entry={entry} />
      </div>
    </details>
  );
}

/** To the paired comparison, which is the fair one: intervals that overlap do not mean that nothing changed. */
export function ComparePreviousLink({ entry: { previous, run, card, name } }: { entry: LeaderboardEntry }) {
  const words = { a: previous?.run.id, b: run.id, systemA: previous?.card.system, systemB: card.system };
  return (
    <a href={buildAddress(["compare"], words)} aria-label={`Compare ${name} with its run before`}>
      compare
    </a>
  );
}

/** An arrow for the direction, and a word for whether that is good. */
export function ChangeText({ change: { direction, step, isBetter, certainty } }: { change: FigureChange }) {
  if (isBetter === null) return <span class="change-line">= {step}, the same</span>;
  return (
    <span class={`change-line ${isBetter ? "better" : "worse"} is-${certainty}`}>
      <span aria-hidden="true">{DIRECTION_ARROWS[direction]}</span> {step}, {isBetter ? "better" : "worse"}
    </span>
  );
}
