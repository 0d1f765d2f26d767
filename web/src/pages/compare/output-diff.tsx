import { useEffect, useRef } from "preact/hooks";
import type { Outcome } from "../../../../src/core/row.js";
import type { TaskName } from "../../../../src/metrics/compare/index.js";
import type { TrialView } from "../../../../src/report/dashboard/contract.js";
import { type DataSource, LoadView, type TrialKey, useLoadState, useSource } from "../../data/index.js";
import { OutcomeBadge, type Route, revealLine, SelectFilter, updateQuery } from "../../ui/index.js";
import { findTrialByOutcome } from "../find-trial.js";
import { buildTrialAddress } from "../trial-address.js";
import { type ComparedSides, type FlipOutcomes, formatTaskParameter, listPossibleIds } from "./compared-task.js";
import { DiffView } from "./diff-view.js";

interface OutputDiffProps {
  route: Route;
  task: TaskName;
  sides: ComparedSides;
  /** The outcomes of the trials to show unless the address names others; null for the first trials. */
  ended: FlipOutcomes | null;
}

/** Fetched only when a task is chosen. */
export function OutputDiff({ route, task, sides, ended }: OutputDiffProps) {
  const source = useSource();
  const heading = useRef<HTMLHeadingElement>(null);
  const { trialA, trialB } = route.query;
  const a = { run: sides.runA, system: sides.systemA, task, named: trialA, ended: ended?.a };
  const b = { run: sides.runB, system: sides.systemB, task, named: trialB, ended: ended?.b };
  const loaded = useLoadState(() => loadTrialPair(source, a, b), [source, JSON.stringify([a, b])]);
  useEffect(() => heading.current?.focus(), [formatTaskParameter(task)]);
  return (
    <section class="output-diff" aria-labelledby="output-diff">
      <h3 id="output-diff" ref={heading} tabIndex={-1}>
        Outputs for <bdi>{revealLine(String(task.exampleId))}</bdi>
      </h3>
      <LoadView loaded={loaded} what="both outputs">
        {(both) => <ComparedOutputs route={route} sides={sides} both={both} />}
      </LoadView>
    </section>
  );
}

function ComparedOutputs({ route, sides, both }: { route: Route; sides: ComparedSides; both: TrialPair }) {
  const source = useSource();
  const fields = [...new Set([...both.a.output, ...both.b.output].map(({ name }) => name))];
  const field = fields.find((name) => name === route.query.field) ?? fields[0];
  const texts = useLoadState(
    async () => ({
      a: await loadSideText(source, sides.runA, { view: both.a, name: field }),
      b: await loadSideText(source, sides.runB, { view: both.b, name: field }),
    }),
    [both, field],
  );
  const unit = route.query.by === "lines" ? "lines" : "words";
  const isSideBySide = route.query.view !== "unified";
  const change = (words: Record<string, string>) => updateQuery(route, words);
  return (
    <>
      <div class="diff-sides">
        <SideHead side="A" run={sides.runA} view={both.a} />
        <SideHead side="B" run={sides.runB} view={both.b} />
      </div>
      <div class="filters">
        {fields.length > 1 && (
          <SelectFilter
            label="Field"
            value={field}
            all={null}
            choices={fields}
            onChange={(name) => change({ field: name })}
          />
        )}
        <SelectFilter
          label="Compare by"
          value={unit}
          all={null}
          choices={["words", "lines"]}
          onChange={(by) => change({ by })}
        />
        <SelectFilter
          label="Show"
          value={isSideBySide ? "side" : "unified"}
          all={null}
          choices={[
            { value: "side", label: "side by side" },
            { value: "unified", label: "unified" },
          ]}
          onChange={(view) => change({ view })}
        />
      </div>
      {field === undefined && <p class="quiet">Neither run kept this output.</p>}
      <LoadView loaded={texts} what="both texts">
        {({ a, b }) => (
          <>
            {(a.isCut || b.isCut) && (
              <p class="warn">
                This file holds only the beginning of {describeTruncatedSides(a.isCut, b.isCut)}: no more is compared.
              </p>
            )}
            <DiffView a={a.text} b={b.text} unit={unit} isSideBySide={isSideBySide} />
          </>
        )}
      </LoadView>
    </>
  );
}

function SideHead({ side, run, view: { row } }: { side: string; run: string; view: TrialView }) {
  return (
    <p>
      <b>{side}</b> <OutcomeBadge outcome={row.outcome} />{" "}
      <a href={buildTrialAddress(run, row)}>
        <bdi>{revealLine(row.system)}</bdi>, trial {row.trial}
      </a>
    </p>
  );
}

function describeTruncatedSides(isCutA: boolean, isCutB: boolean): string {
  if (isCutA && isCutB) return "both texts";
  return isCutA ? "the text of A" : "the text of B";
}

interface TrialPair {
  readonly a: TrialView;
  readonly b: TrialView;
}

interface SideTrialQuery {
  readonly run: string;
  readonly system: string;
  readonly task: TaskName;
  /** Its number, when the address has one. */
  readonly named: string | undefined;
  readonly ended: Outcome | undefined;
}

export async function loadTrialPair(source: DataSource, ofA: SideTrialQuery, ofB: SideTrialQuery): Promise<TrialPair> {
  const [a, b] = await Promise.all([loadSideTrial(source, ofA), loadSideTrial(source, ofB)]);
  return { a, b };
}

async function loadSideTrial(
  source: DataSource,
  { run, system, task, named, ended }: SideTrialQuery,
): Promise<TrialView> {
  const key = { ...task, system, trial: Number(named ?? 0) };
  if (named !== undefined || ended === undefined) return loadTrialByTypedId(source, run, key);
  return source.getTrial(run, await findTrialByOutcome(source, run, { key, outcome: ended }));
}

/** A typed id may be a number or text. */
async function loadTrialByTypedId(source: DataSource, run: string, key: TrialKey): Promise<TrialView> {
  const [first = key.exampleId, second] =
    typeof key.exampleId === "number" ? [key.exampleId, String(key.exampleId)] : listPossibleIds(key.exampleId);
  try {
    return await source.getTrial(run, { ...key, exampleId: first });
  } catch (error) {
    if (second === undefined) throw error;
    return source.getTrial(run, { ...key, exampleId: second });
  }
}

interface SideText {
  readonly text: string;
  readonly isCut: boolean;
}

interface SideTextQuery {
  readonly view: TrialView;
  /** A field of the output. */
  readonly name: string | undefined;
}

/** A file may have only the beginning. */
export async function loadSideText(source: DataSource, run: string, { view, name }: SideTextQuery): Promise<SideText> {
  const field = view.output.find((candidate) => candidate.name === name);
  if (field === undefined) return { text: "", isCut: false };
  if (field.text.length >= field.length) return { text: field.text, isCut: false };
  if (source.kind === "file") return { text: field.text, isCut: true };
  return { text: await source.getText(run, view.row, { of: "output", name: field.name }), isCut: false };
}
