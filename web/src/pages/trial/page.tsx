import { useEffect } from "preact/hooks";
import type { EvalRow, Outcome } from "../../../../src/core/row.js";
import type { TrialView } from "../../../../src/report/dashboard/contract.js";
import { LoadView, type TrialKey, useLoadState, useSource } from "../../data/index.js";
import {
  buildAddress,
  formatMilliseconds,
  formatScore,
  LongText,
  OutcomeBadge,
  PageHead,
  type Route,
  revealLine,
  revealText,
  updateQuery,
} from "../../ui/index.js";
import { findTrialByOutcome } from "../find-trial.js";
import { TrialLabelPanel } from "../labels/trial-label-panel.js";
import { RunCrumbs } from "../run-crumbs.js";
import {
  buildPairAddress,
  buildTrialAddress,
  parseOutcome,
  parsePairedTrial,
  parseRowList,
  parseTrialKey,
} from "../trial-address.js";
import { FacetChips, TokenUsage, TrialFacts, Verdict } from "./facts.js";
import { FileChanges } from "./file-changes.js";
import { NeighborLinks } from "./neighbor-links.js";
import { describeTrial, TrialPair } from "./pair.js";
import { Grades, Scores } from "./scores.js";
import { TrialTexts } from "./texts.js";
import { Timeline } from "./timeline.js";

export function TrialPage({ route, id }: { route: Route; id: string }) {
  const trial = parseTrialKey(route.query);
  const ending = parseOutcome(route.query);
  if (trial !== null && ending !== null) return <TrialByOutcome route={route} id={id} trial={trial} ending={ending} />;
  const other = trial === null ? null : parsePairedTrial(route.query, id, trial);
  if (trial !== null && other !== null) return <TrialPair route={route} id={id} trial={trial} other={other} />;
  if (trial !== null) return <TrialContent route={route} id={id} trial={trial} />;
  return (
    <>
      <PageHead title="No trial in this address" place={id} />
      <p class="problem" role="alert">
        This address names no trial. <a href={buildAddress(["run", id, "rows"])}>Choose one from the rows.</a>
      </p>
    </>
  );
}

interface TrialContentProps {
  route: Route;
  id: string;
  trial: TrialKey;
}

/** Opens the trial with an outcome; the address that asked for it is replaced. */
function TrialByOutcome({ route, id, trial, ending }: TrialContentProps & { ending: Outcome }) {
  const source = useSource();
  const found = useLoadState(
    () => findTrialByOutcome(source, id, { key: trial, outcome: ending }),
    [source, buildTrialAddress(id, trial), ending],
  );
  useEffect(() => {
    if (found.state === "ready") updateQuery(route, { trial: String(found.value.trial), ended: undefined });
  }, [found]);
  return (
    <LoadView loaded={found} what="the trial">
      {() => null}
    </LoadView>
  );
}

function TrialContent({ route, id, trial }: TrialContentProps) {
  const source = useSource();
  const address = buildTrialAddress(id, trial);
  const loaded = useLoadState(() => source.getTrial(id, trial), [source, address]);
  // The previous trial stays while the next one loads, but is dimmed.
  const isThis = loaded.value !== null && isRequested(loaded.value.row, trial);
  // An address without the dataset leads to the trial, and is completed so that it stays right.
  useEffect(() => {
    if (loaded.state === "ready" && isThis && loaded.value.row.dataset !== trial.dataset)
      updateQuery(route, { dataset: loaded.value.row.dataset });
  }, [loaded]);
  return (
    <>
      <RunCrumbs id={id} />
      <PageHead title={formatTrialTitle(trial)} place={id}>
        <bdi>{revealLine(trial.system)}</bdi>
        {trial.dataset !== "" && (
          <>
            {" on "}
            <bdi>{revealLine(trial.dataset)}</bdi>
          </>
        )}
      </PageHead>
      <NeighborLinks id={id} trial={trial} list={parseRowList(route.query)} />
      <LoadView loaded={loaded} what="the trial">
        {(view) => (
          <div key={buildTrialAddress(id, view.row)} class={isThis ? "trial" : "trial stale"} aria-busy={!isThis}>
            {(isThis || loaded.state === "loading") && <TrialSections route={route} id={id} view={view} />}
          </div>
        )}
      </LoadView>
    </>
  );
}

function isRequested(row: EvalRow, { system, dataset, exampleId, trial }: TrialKey): boolean {
  const isSame = row.system === system && row.exampleId === exampleId && row.trial === trial;
  return isSame && (row.dataset === dataset || dataset === "");
}

function formatTrialTitle({ exampleId, trial }: TrialKey): string {
  return `${revealLine(String(exampleId))} · trial ${trial}`;
}

function TrialSections({ route, id, view }: { route: Route; id: string; view: TrialView }) {
  const { row, timeline } = view;
  const isAgent = timeline !== null && timeline.length > 0;
  const texts = <TrialTexts id={id} view={view} />;
  const grading = (
    <>
      <Scores view={view} />
      <Grades grades={view.grades} />
    </>
  );
  return (
    <>
      <Verdict view={view} />
      <FacetChips row={row} />
      <TrialLabelPanel id={id} trial={row} />
      <TrialFacts row={row} />
      {isAgent && <Timeline route={route} steps={timeline} areToolsUnseen={view.toolsUnseen === true} />}
      {view.changes !== null && <FileChanges changes={view.changes} incomplete={view.changesIncomplete} />}
      {/* What an agent did matters more than its last words; what a model said is all there is. */}
      {isAgent ? grading : texts}
      {isAgent ? texts : grading}
      <FailedAttempts row={row} />
      <TrialNotes row={row} />
      <TokenUsage view={view} />
      <Siblings id={id} row={row} siblings={view.siblings} />
    </>
  );
}

interface SiblingsProps {
  id: string;
  row: EvalRow;
  siblings: TrialView["siblings"];
}

function Siblings({ id, row, siblings }: SiblingsProps) {
  if (siblings.length === 0) return null;
  return (
    <section aria-labelledby="siblings">
      <h2 id="siblings">Other trials of this example</h2>
      <table class="table narrow">
        <caption class="unseen">Other trials of the same example</caption>
        <tbody>
          {[...new Set(siblings.map(({ system }) => system))].map((system) => (
            <tr key={system}>
              <th scope="row">
                <bdi>{revealLine(system)}</bdi>
              </th>
              <td>
                <ul class="siblings">
                  {siblings
                    .filter((trial) => trial.system === system)
                    .map((trial) => (
                      <li key={trial.trial}>
                        <a href={buildTrialAddress(id, trial)}>
                          <OutcomeBadge outcome={trial.outcome} /> trial {trial.trial}
                          {trial.score !== null && ` · ${formatScore(trial.score)}`}
                        </a>
                        {" · "}
                        <a class="small" href={buildPairAddress(id, row, trial)}>
                          Compare<span class="unseen"> with {describeTrial(trial)}</span>
                        </a>
                      </li>
                    ))}
                </ul>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const ATTEMPT_EXCERPT = { characters: 1000, lines: 10 };

function FailedAttempts({ row: { attempts } }: { row: EvalRow }) {
  if (attempts.length === 0) return null;
  return (
    <section aria-labelledby="attempts">
      <h2 id="attempts">Attempts that failed</h2>
      <ol class="attempts">
        {attempts.map(({ errorCategory, message, durationMs }, place) => (
          <li key={place}>
            <code>{errorCategory}</code> <span class="quiet">after {formatMilliseconds(durationMs)}</span>
            <LongText label={`attempt ${place + 1}`} text={message} length={message.length} first={ATTEMPT_EXCERPT} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function TrialNotes({ row: { notes, metadata } }: { row: EvalRow }) {
  const text = metadata === null ? null : JSON.stringify(metadata);
  if (notes.length === 0 && text === null) return null;
  return (
    <section aria-labelledby="notes">
      <h2 id="notes">Notes</h2>
      <ul class="notes">
        {notes.map((note) => (
          <li key={note}>{revealText(note)}</li>
        ))}
      </ul>
      {text !== null && (
        <details class="other-fields">
          <summary>Metadata of the system</summary>
          <LongText label="metadata" text={text} length={text.length} kind="json" first={ATTEMPT_EXCERPT} />
        </details>
      )}
    </section>
  );
}
