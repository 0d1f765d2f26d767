import { useEffect, useMemo, useState } from "preact/hooks";
import type {
  DisplayField,
  LabelAgreement,
  LabelFigure,
  TrialLabelDraft,
} from "../../../../src/report/dashboard/contract.js";
import { LoadView, type TrialKey, useLoadState, useSource } from "../../data/index.js";
import {
  formatCount,
  formatShare,
  isCommandKey,
  LongText,
  PageHead,
  type Route,
  revealLine,
  Skeleton,
} from "../../ui/index.js";
import { useRows } from "../rows/use-rows.js";
import { RunCrumbs } from "../run-crumbs.js";
import { buildTrialAddress } from "../trial-address.js";
import { shufflePlaces } from "./order-trials.js";
import { findLabel, formatLabelKey, type Labels, useLabels } from "./use-labels.js";

/** Labels trials without showing which system answered, or what the run made of it. */
export function LabelPage({ route, id }: { route: Route; id: string }) {
  const labels = useLabels(id);
  const rows = useRows(id, null);
  const seed = Number(route.query.seed ?? 1) || 1;
  const keys = useMemo(() => listScoredTrials(rows, seed), [rows.isComplete, rows.table, seed]);
  return (
    <>
      <RunCrumbs id={id} />
      <PageHead title="Label blind" place={id}>
        Right or wrong? The system, the score and the outcome are hidden.
      </PageHead>
      {rows.problem !== null && (
        <p class="problem" role="alert">
          {rows.problem}
        </p>
      )}
      <LoadView loaded={labels.loaded} what="the labels">
        {() =>
          rows.isComplete ? <LabelQueue key={seed} id={id} keys={keys} labels={labels} /> : <Skeleton of="the trials" />
        }
      </LoadView>
    </>
  );
}

/** In random order. A trial that has no verdict has nothing that a label could be compared with. */
function listScoredTrials({ table, isComplete }: ReturnType<typeof useRows>, seed: number): readonly TrialKey[] {
  if (table === null || !isComplete) return [];
  const isScored = (place: number) => table.getOutcome(place) === "pass" || table.getOutcome(place) === "fail";
  return shufflePlaces(table.length, seed)
    .filter(isScored)
    .map((place) => table.getKey(place));
}

interface LabelQueueProps {
  id: string;
  keys: readonly TrialKey[];
  labels: Labels;
}

function LabelQueue({ id, keys, labels }: LabelQueueProps) {
  const { view, canWrite, problem, save } = labels;
  // Decided once, so that a new label does not reorder the list under the reader: unlabeled trials come first.
  const [order] = useState(() => {
    const isLabeled = (key: TrialKey) => typeof findLabel(view, key)?.verdict === "string";
    return [...keys.filter((key) => !isLabeled(key)), ...keys.filter(isLabeled)];
  });
  const [at, setAt] = useState(0);
  const [history, setHistory] = useState<readonly { at: number; undo: TrialLabelDraft | null }[]>([]);
  const key = order[at];
  const done = useMemo(() => countLabeled(order, labels), [order, view]);
  const goOn = (undo: TrialLabelDraft | null) => {
    setHistory((before) => [...before, { at, undo }]);
    setAt(at + 1);
  };
  const mark = async (verdict: "right" | "wrong") => {
    if (key === undefined || !canWrite) return;
    const before = findLabel(view, key);
    const { system, dataset, exampleId, trial } = key;
    const kept = { system, dataset, exampleId, trial, note: before?.note ?? "", tags: before?.tags ?? [] };
    if (await save({ ...kept, verdict, blind: true }))
      goOn({ ...kept, verdict: before?.verdict ?? null, blind: before?.blind ?? true });
  };
  const undo = async () => {
    const last = history.at(-1);
    if (last === undefined || (last.undo !== null && !(await save(last.undo)))) return;
    setHistory(history.slice(0, -1));
    setAt(last.at);
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isCommandKey(event)) return;
      if (event.key === "r") void mark("right");
      if (event.key === "w") void mark("wrong");
      if (event.key === "s" && key !== undefined) goOn(null);
      if (event.key === "u") void undo();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
  return (
    <>
      {!canWrite && (
        <p class="banner" role="note">
          This server is read-only. To label trials, start it with: <code>assay serve --label</code>
        </p>
      )}
      <p role="status">
        {formatCount(done)} of {formatCount(order.length)} labeled
      </p>
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="label-buttons">
        <button type="button" disabled={key === undefined || !canWrite} onClick={() => void mark("right")}>
          ✓ Right <kbd>r</kbd>
        </button>
        <button type="button" disabled={key === undefined || !canWrite} onClick={() => void mark("wrong")}>
          ✗ Wrong <kbd>w</kbd>
        </button>
        <button type="button" disabled={key === undefined} onClick={() => goOn(null)}>
          Skip <kbd>s</kbd>
        </button>
        <button type="button" disabled={history.length === 0} onClick={() => void undo()}>
          Undo <kbd>u</kbd>
        </button>
      </div>
      {key === undefined ? (
        <p>These are all trials of the run that passed or failed.</p>
      ) : (
        <BlindTrial id={id} trial={key} />
      )}
      {view !== null && <Agreement id={id} agreement={view.agreement} />}
    </>
  );
}

function countLabeled(order: readonly TrialKey[], { view }: Labels): number {
  const labeled = new Set(view?.labels.filter(({ verdict }) => verdict !== null).map(formatLabelKey));
  return order.filter((key) => labeled.has(formatLabelKey(key))).length;
}

/** Fields that could tell the system, such as its metadata, are left out. */
const SHOWN_OUTPUT = new Set(["response", "answer", "text", "prediction"]);
const SHOWN_EXAMPLE = /^(question|prompt|input|context|turns|answers?|gold|expected|reference|target|solution)/i;

function BlindTrial({ id, trial }: { id: string; trial: TrialKey }) {
  const source = useSource();
  const loaded = useLoadState(() => source.getTrial(id, trial), [source, buildTrialAddress(id, trial)]);
  const isThis = loaded.value !== null && formatLabelKey(loaded.value.row) === formatLabelKey(trial);
  return (
    <LoadView loaded={loaded} what="the trial">
      {({ example, output }) => (
        <div class={isThis ? "blind-trial" : "blind-trial stale"} aria-busy={!isThis}>
          <BlindFields
            title="Question and expected answer"
            fields={example?.filter(({ name }) => SHOWN_EXAMPLE.test(name)) ?? []}
            load={({ name }) => source.getText(id, trial, { of: "example", name })}
          />
          <BlindFields
            title="Output"
            fields={output.filter(({ name }) => SHOWN_OUTPUT.has(name))}
            load={({ name }) => source.getText(id, trial, { of: "output", name })}
          />
        </div>
      )}
    </LoadView>
  );
}

interface BlindFieldsProps {
  title: string;
  fields: readonly DisplayField[];
  load: (field: DisplayField) => Promise<string>;
}

function BlindFields({ title, fields, load }: BlindFieldsProps) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {fields.length === 0 && <p class="quiet">Nothing was kept.</p>}
      {fields.map((field) => (
        <div key={field.name} class="field">
          <h3>
            <bdi>{revealLine(field.name)}</bdi>
          </h3>
          <LongText
            key={field.text}
            label={revealLine(field.name)}
            text={field.text}
            length={field.length}
            kind={field.kind}
            load={() => load(field)}
          />
        </div>
      ))}
    </section>
  );
}

/** Folded, because it tells the verdicts of trials that are still to come. */
function Agreement({ id, agreement }: { id: string; agreement: LabelAgreement }) {
  const { share, kappa, rightPassed, rightFailed, wrongPassed, wrongFailed, differing } = agreement;
  if (share.n === 0) return null;
  return (
    <details class="agreement">
      <summary>Agreement with the verdicts of the run</summary>
      <p>
        Your labels agree with the run on {formatFigure(share, formatShare)} of {formatCount(share.n)} trials.{" "}
        {describeKappa(kappa)}
      </p>
      <table class="table narrow">
        <caption class="unseen">Labels and verdicts</caption>
        <thead>
          <tr>
            <th scope="col">Label</th>
            <th scope="col" class="number">
              Passed
            </th>
            <th scope="col" class="number">
              Failed
            </th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">right</th>
            <td class="number">{formatCount(rightPassed)}</td>
            <td class="number">{formatCount(rightFailed)}</td>
          </tr>
          <tr>
            <th scope="row">wrong</th>
            <td class="number">{formatCount(wrongPassed)}</td>
            <td class="number">{formatCount(wrongFailed)}</td>
          </tr>
        </tbody>
      </table>
      {differing.length > 0 && (
        <>
          <h3>Disagreements</h3>
          <ul>
            {differing.map((key) => (
              <li key={formatLabelKey(key)}>
                <a href={buildTrialAddress(id, key)}>
                  <bdi>{revealLine(String(key.exampleId))}</bdi> · <bdi>{revealLine(key.system)}</bdi> · trial{" "}
                  {key.trial}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </details>
  );
}

/** Where all labels and verdicts are the same, chance alone would agree as well. */
export function describeKappa(kappa: LabelFigure): string {
  if (kappa.value === null) return "Cohen’s kappa is undefined while all labels and verdicts are the same.";
  return `Cohen’s kappa: ${formatFigure(kappa, (value) => value.toFixed(2))}.`;
}

function formatFigure({ value, low, high }: LabelFigure, format: (value: number) => string): string {
  if (value === null) return "–";
  return low === null || high === null ? format(value) : `${format(value)} [${format(low)}, ${format(high)}]`;
}
