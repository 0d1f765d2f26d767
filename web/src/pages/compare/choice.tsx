import type { RunCard } from "../../../../src/report/dashboard/contract.js";
import type { ComparisonQuery } from "../../data/index.js";
import {
  type ComparePick,
  formatPicks,
  parsePicks,
  type Route,
  type RouteQuery,
  revealLine,
  SelectFilter,
  updateQuery,
} from "../../ui/index.js";
import { formatRunLabel } from "./verdicts.js";

interface CompareChoice {
  readonly a: RunCard | null;
  readonly b: RunCard | null;
  readonly systemA: string;
  readonly systemB: string;
}

/**
 * The runs and systems of an address. A single run is compared with itself, by its first two systems unless others are
 * named.
 */
export function parseCompareChoice(
  { a, b, systemA = "", systemB = "" }: RouteQuery,
  runs: readonly RunCard[],
): CompareChoice {
  const lone = runs.length === 1 ? runs[0] : undefined;
  const runA = runs.find(({ id }) => id === a) ?? lone ?? null;
  const runB = runs.find(({ id }) => id === b) ?? lone ?? null;
  if (runA === null || runA !== runB || systemA !== "" || systemB !== "") return { a: runA, b: runB, systemA, systemB };
  const [first, second] = runA.systems;
  return { a: runA, b: runB, systemA: first?.system ?? "", systemB: second?.system ?? "" };
}

/** Ids of runs that the address names and the list lacks. */
export function listUnknownRunIds(query: RouteQuery, runs: readonly RunCard[]): string[] {
  return listNamedRunIds(query).filter((name) => !runs.some(({ id }) => id === name));
}

function listNamedRunIds({ a, b, also }: RouteQuery): string[] {
  return [...new Set([a, b, ...parsePicks(also).map(({ run }) => run)])].flatMap((id) => id || []);
}

/** Links outlive runs: explains why a run of the address cannot be compared. */
export function describeAbsentRuns(query: RouteQuery, runs: readonly RunCard[]): string[] {
  return listNamedRunIds(query).flatMap((name) => {
    const run = runs.find(({ id }) => id === name);
    if (run === undefined) return [`There is no run ${name} here: it was removed, or is in another folder.`];
    return run.status === "damaged" ? [`The run ${name} is damaged: ${run.problem ?? "it cannot be read"}`] : [];
  });
}

/** The query; or, as text, what still has to be chosen. */
export function buildComparisonQuery({ a, b, systemA, systemB }: CompareChoice): ComparisonQuery | string {
  if (a === null || b === null) return "Choose two runs, or one run twice to compare its systems.";
  const named = { ...(systemA === "" ? {} : { systemA }), ...(systemB === "" ? {} : { systemB }) };
  const missing =
    a.id === b.id
      ? describeMissingInOneRun({ a, b, systemA, systemB })
      : describeMissingInTwoRuns({ a, b, systemA, systemB });
  return missing ?? { a: a.id, b: b.id, ...named };
}

function describeMissingInOneRun({ a, systemA, systemB }: CompareChoice): string | null {
  if (a?.systems.length === 1) return "This run has one system. Choose another run as B.";
  return systemA === "" || systemB === "" || systemA === systemB
    ? "A and B are the same run: choose two of its systems."
    : null;
}

function describeMissingInTwoRuns({ a, b, systemA, systemB }: CompareChoice): string | null {
  const [ofA, ofB] = [listSystemNames(a), listSystemNames(b)];
  const isA = systemA !== "" || ofA.length === 1;
  const isB = systemB !== "" || ofB.length === 1;
  if (isA && isB) return null;
  const named = systemA || systemB;
  const isShared = named === "" ? ofA.some((name) => ofB.includes(name)) : ofA.includes(named) && ofB.includes(named);
  return isShared ? null : "The runs have no system of the same name: choose one of each.";
}

function listSystemNames(card: RunCard | null): string[] {
  return card?.systems.map(({ system }) => system) ?? [];
}

interface CompareChooserProps {
  route: Route;
  runs: readonly RunCard[];
  choice: CompareChoice;
}

/** Another comparison has other tasks. */
export const NO_TASK_QUERY: RouteQuery = { task: undefined, pair: undefined, trialA: undefined, trialB: undefined };

export function CompareChooser({ route, runs, choice: { a, b, systemA, systemB } }: CompareChooserProps) {
  const change = (words: RouteQuery) => updateQuery(route, { ...words, ...NO_TASK_QUERY });
  const isSame = a !== null && a === b;
  return (
    <form class="chooser" onSubmit={(event) => event.preventDefault()}>
      <SideChooser
        side="A"
        runs={runs}
        run={a}
        system={systemA}
        isSame={isSame}
        onRun={(id) => change({ a: id, systemA: undefined })}
        onSystem={(system) => change({ a: a?.id, b: b?.id, systemA: system, systemB })}
      />
      <button
        type="button"
        onClick={() => change({ a: b?.id, b: a?.id, systemA: systemB, systemB: systemA })}
        title="Swap A and B"
      >
        ⇄ Swap
      </button>
      <SideChooser
        side="B"
        runs={runs}
        run={b}
        system={systemB}
        isSame={isSame}
        onRun={(id) => change({ b: id, systemB: undefined })}
        onSystem={(system) => change({ a: a?.id, b: b?.id, systemA, systemB: system })}
      />
      {a !== null && b !== null && runs.length > 1 && <AlsoChooser route={route} runs={runs} />}
    </form>
  );
}

/** Further runs that are compared with A. */
function AlsoChooser({ route, runs }: Pick<CompareChooserProps, "route" | "runs">) {
  const also = parsePicks(route.query.also);
  const change = (picks: readonly ComparePick[]) => updateQuery(route, { also: formatPicks(picks) });
  const named = listNamedRunIds(route.query);
  const choices = runs
    .filter(({ id, status }) => status !== "damaged" && !named.includes(id))
    .map((card) => ({ value: card.id, label: formatRunLabel(card) }));
  return (
    <fieldset class="side side-also">
      <legend>More runs to compare with A</legend>
      {also.map((pick) => (
        <button
          key={formatPicks([pick])}
          type="button"
          class="plain"
          title="Remove this run"
          onClick={() => change(also.filter((other) => other !== pick))}
        >
          <bdi>{formatPickLabel(pick, runs)}</bdi> ×
        </button>
      ))}
      {choices.length > 0 && also.length < MAX_ALSO && (
        <SelectFilter
          label="Add a run"
          value=""
          choices={choices}
          all="Choose a run"
          onChange={(run) => change([...also, { run }])}
        />
      )}
    </fieldset>
  );
}

const MAX_ALSO = 4;

function formatPickLabel({ run, system }: ComparePick, runs: readonly RunCard[]): string {
  const card = runs.find(({ id }) => id === run);
  const label = card === undefined ? revealLine(run) : formatRunLabel(card);
  return system === undefined ? label : `${revealLine(system)}, ${label}`;
}

interface SideChooserProps {
  side: "A" | "B";
  runs: readonly RunCard[];
  run: RunCard | null;
  system: string;
  isSame: boolean;
  onRun: (id: string) => void;
  onSystem: (system: string) => void;
}

function SideChooser({ side, runs, run, system, isSame, onRun, onSystem }: SideChooserProps) {
  const choices = runs.map((card) => ({ value: card.id, label: formatRunLabel(card) }));
  return (
    <fieldset class="side">
      <legend>{side}</legend>
      {runs.length > 1 && (
        <SelectFilter
          label="Run"
          value={run?.id}
          choices={choices}
          all={run === null ? "Choose a run" : null}
          onChange={onRun}
        />
      )}
      <SelectFilter
        label="System"
        value={system}
        choices={run?.systems.map((card) => ({ value: card.system, label: revealLine(card.system) })) ?? []}
        all={isSame ? null : "systems with the same name"}
        onChange={onSystem}
      />
    </fieldset>
  );
}
