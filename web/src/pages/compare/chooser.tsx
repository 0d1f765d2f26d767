import type { RunCard } from "../../../../src/report/dashboard/contract.js";
import { type Route, type RouteQuery, updateQuery } from "../../shell/route.js";
import { formatMoment, SelectFilter } from "../../ui/index.js";
import { revealLine } from "../trial/text/visible-text.js";
import type { CompareChoice } from "./choice.js";

interface CompareChooserProps {
  route: Route;
  runs: readonly RunCard[];
  choice: CompareChoice;
}

/** Another choice is another comparison: what was picked in the last one does not go with it. */
const NO_TASK_QUERY: RouteQuery = { task: undefined, pair: undefined, trialA: undefined, trialB: undefined };

/** Which two runs, and which system of each. */
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
        title="Exchange A and B"
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
    </form>
  );
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
        all={isSame ? null : "those of the same name"}
        onChange={onSystem}
      />
    </fieldset>
  );
}

function formatRunLabel({ title, createdAt, status }: RunCard): string {
  return `${revealLine(title)} · ${formatMoment(createdAt)}${status === "complete" ? "" : ` · ${status}`}`;
}
