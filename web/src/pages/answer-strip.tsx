import { Fragment } from "preact";
import type { PickUnit, RunPicks, SystemPick } from "../../../src/report/dashboard/contract.js";
import { formatCount, formatDollars, formatScore, formatSeconds, formatShare, revealLine } from "../ui/index.js";

const ROLE_TITLES: Readonly<Record<SystemPick["role"], string>> = {
  quality: "Best quality",
  cost: "Cheapest, not significantly worse",
  speed: "Fastest",
  reliability: "Most reliable",
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
export function AnswerStrip({ answer, hasChoice, of, getHref }: AnswerStripProps) {
  const { verdict, withheld, picks, notes } = answer;
  if (verdict !== undefined) return <Verdict sentences={verdict} />;
  if (withheld !== null)
    return (
      <p class="banner" role="note">
        <b>No system is recommended:</b> {revealLine(withheld)}.
      </p>
    );
  if (picks.length === 0) return null;
  if (!hasChoice) return <OnlySystem picks={picks} />;
  return (
    <>
      <section class="answers" aria-label={`Which system to pick${of === undefined ? "" : `: ${of}`}`}>
        {picks.map((pick) => (
          <article key={pick.role} class="answer">
            <h2>{ROLE_TITLES[pick.role]}</h2>
            <a class="answer-name" href={getHref(pick.system)}>
              <bdi>{revealLine(pick.system)}</bdi>
            </a>
            <p class="answer-figure">
              <PickFigure pick={pick} />
            </p>
            <p class="answer-reason">{revealLine(pick.reason)}</p>
          </article>
        ))}
      </section>
      {notes.map((note) => (
        <p key={note} class="answer-note">
          Note: {revealLine(note)}.
        </p>
      ))}
    </>
  );
}

/** What a run that may stop early has decided. */
function Verdict({ sentences }: { sentences: readonly string[] }) {
  return (
    <div class="banner" role="note" aria-label="Verdict">
      {sentences.map((sentence, i) => (
        <p key={sentence}>{i === 0 ? <b>{revealLine(sentence)}</b> : revealLine(sentence)}</p>
      ))}
    </div>
  );
}

/** With one system there is nothing to pick: its main figures in one sentence. */
function OnlySystem({ picks }: { picks: readonly SystemPick[] }) {
  return (
    <p class="answer-only">
      <b>
        <bdi>{revealLine(picks[0]?.system ?? "")}</bdi>
      </b>
      :{" "}
      {picks.map((pick, place) => (
        <Fragment key={pick.role}>
          {place > 0 && ", "}
          <PickFigure pick={pick} />
        </Fragment>
      ))}
      . There is no other system to compare it with.
    </p>
  );
}

/** Breaks only between the figure and its interval. */
function PickFigure({ pick: { value, label, unit, low, high } }: { pick: SystemPick }) {
  return (
    <>
      <span class="nowrap">
        <b>{formatPickValue(value, unit)}</b> {label}
      </span>
      {low !== null && high !== null && (
        <>
          {" "}
          <span class="quiet nowrap">
            [{formatPickValue(low, unit)}, {formatPickValue(high, unit)}]
          </span>
        </>
      )}
    </>
  );
}

function formatPickValue(value: number, unit: PickUnit): string {
  if (unit === "usd") return formatDollars(value);
  if (unit === "seconds") return formatSeconds(value);
  if (unit === "tokens") return formatCount(Math.round(value));
  return unit === "share" ? formatShare(value) : formatScore(value, 3);
}

/** Holds the place of a strip that is being fetched. */
export function AnswerSkeleton() {
  return <div class="answers answers-loading" aria-busy="true" aria-label="Loading the answer" role="status" />;
}
