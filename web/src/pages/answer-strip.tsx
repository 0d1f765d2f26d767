import type { PickUnit, RunPicks, SystemPick } from "../../../src/report/dashboard/contract.js";
import { formatCount, formatDollars, formatNumber, formatSeconds, formatShare, revealLine } from "../ui/index.js";

const ROLE_TITLES: Readonly<Record<SystemPick["role"], string>> = {
  quality: "Best quality",
  cost: "Cheapest, not significantly worse",
  speed: "Fastest",
  reliability: "Most reliable",
};

const ONLY_TITLES: Readonly<Record<SystemPick["role"], string>> = {
  quality: "Quality",
  cost: "Cost",
  speed: "Speed",
  reliability: "Reliability",
};

interface AnswerStripProps {
  answer: RunPicks;
  /** With one system there is nothing to pick from. */
  hasChoice: boolean;
  /** Names the strip where a page has several, such as by its dataset. */
  of?: string | undefined;
  /** Where the name of a system leads. */
  getHref: (system: string) => string;
}

/** Which system to pick for quality, cost, speed and reliability, and why. */
export function AnswerStrip({ answer: { withheld, picks, notes }, hasChoice, of, getHref }: AnswerStripProps) {
  if (withheld !== null)
    return (
      <p class="banner" role="note">
        <b>No system is recommended:</b> {revealLine(withheld)}.
      </p>
    );
  if (picks.length === 0) return null;
  return (
    <section
      class="answers"
      aria-label={`${hasChoice ? "Which system to pick" : "The main figures"}${of === undefined ? "" : `: ${of}`}`}
    >
      {picks.map((pick) => (
        <article key={pick.role} class="answer">
          <h2>{(hasChoice ? ROLE_TITLES : ONLY_TITLES)[pick.role]}</h2>
          {hasChoice && (
            <a class="answer-name" href={getHref(pick.system)}>
              <bdi>{revealLine(pick.system)}</bdi>
            </a>
          )}
          <p class="answer-figure">
            <b>{formatPickValue(pick.value, pick.unit)}</b> {pick.label}
            {pick.low !== null && pick.high !== null && (
              <span class="quiet nowrap">
                {" "}
                [{formatPickValue(pick.low, pick.unit)}, {formatPickValue(pick.high, pick.unit)}]
              </span>
            )}
          </p>
          {hasChoice && <p class="answer-reason">{revealLine(pick.reason)}</p>}
        </article>
      ))}
      {notes.length > 0 && (
        <ul class="answer-notes quiet">
          {notes.map((note) => (
            <li key={note}>{revealLine(note)}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

function formatPickValue(value: number, unit: PickUnit): string {
  if (unit === "usd") return formatDollars(value);
  if (unit === "seconds") return formatSeconds(value);
  if (unit === "tokens") return formatCount(Math.round(value));
  return unit === "share" ? formatShare(value) : formatNumber(value);
}

/** Holds the place of a strip that is being fetched. */
export function AnswerSkeleton() {
  return <div class="answers answers-loading" aria-busy="true" aria-label="Loading the answer" role="status" />;
}
