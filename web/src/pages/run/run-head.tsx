import type { RunView } from "../../../../src/report/dashboard/contract.js";
import { addressOf } from "../../shell/route.js";
import {
  formatCount,
  formatMoment,
  formatPlural,
  formatRunCost,
  formatSeconds,
  formatShare,
  type KeyValue,
  KeyValues,
  StatusBadge,
} from "../../ui/index.js";
import { visibleLine, visibleText } from "../trial/text/visible-text.js";
import { passRule } from "./pass-rule.js";

/** What the run was, and what it took. */
export function RunHead({ view }: { view: RunView }) {
  const { card } = view;
  return (
    <>
      <KeyValues entries={[...factsOf(view), ...originOf(view)]} />
      {card.problem !== null && (
        <p class="problem" role="alert">
          {visibleText(card.problem)}
        </p>
      )}
      <Notes notes={view.notes} />
    </>
  );
}

function factsOf({ card, config }: RunView): KeyValue[] {
  return [
    ["Status", <StatusBadge key="status" status={card.status} />],
    ["When", formatMoment(card.createdAt)],
    ["Trials", `${formatCount(card.done)} of ${formatCount(card.planned)}`],
    ["Coverage", <Coverage key="coverage" card={card} />],
    ["Cost", formatRunCost(card)],
    ["Time", formatSeconds(card.wallSeconds)],
    ["Datasets", <Datasets key="datasets" card={card} />],
    ["Passing", visibleLine(passRule(config))],
    ["Trials of each example", config.trials > 1 ? config.trials : null],
  ];
}

function originOf({ card, config, gitRevision, assayVersion }: RunView): KeyValue[] {
  return [
    ["Evaluators", config.evaluators.length === 0 ? null : visibleLine(config.evaluators.join(", "))],
    ["Command", card.command === null ? null : visibleLine(card.command)],
    ["Git revision", gitRevision === null ? null : <code key="git">{gitRevision.slice(0, 12)}</code>],
    ["Assay", assayVersion],
    ["Graded again from", card.parent === null ? null : <ParentLink key="parent" parent={card.parent} />],
  ];
}

function ParentLink({ parent }: { parent: string }) {
  return (
    <a href={addressOf(["run", parent])}>
      <bdi>{visibleLine(parent)}</bdi>
    </a>
  );
}

type Card = RunView["card"];

function Datasets({ card }: { card: Card }) {
  return (
    <>
      {card.datasets.map(({ name, examples }, place) => (
        <span key={name}>
          {place > 0 && ", "}
          <bdi>{visibleLine(name)}</bdi> <span class="quiet">({formatPlural(examples, "example")})</span>
        </span>
      ))}
    </>
  );
}

/** A headline of less than this is marked: what is missing could change it. */
const ENOUGH = 0.95;

function Coverage({ card: { systems, planned } }: { card: Card }) {
  const scored = systems.reduce((sum, { outcomes }) => sum + outcomes.pass + outcomes.fail, 0);
  if (planned === 0) return <span>–</span>;
  const share = scored / planned;
  return share < ENOUGH ? <span class="warn">⚠ {formatShare(share)}</span> : <span>{formatShare(share)}</span>;
}

const NOTES_AT_ONCE = 3;

function Notes({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null;
  const list = (
    <ul class="notes">
      {notes.map((note) => (
        <li key={note}>{visibleText(note)}</li>
      ))}
    </ul>
  );
  if (notes.length <= NOTES_AT_ONCE) return list;
  return (
    <details>
      <summary>{formatPlural(notes.length, "note")}</summary>
      {list}
    </details>
  );
}
