import { useEffect } from "preact/hooks";
import type { Outcome } from "../../../../src/core/row.js";
import type { TrialView } from "../../../../src/report/dashboard/contract.js";
import type { TrialKey } from "../../data/source.js";
import { useSource } from "../../shell/context.js";
import { LoadView, useLoadState } from "../../shell/loaded.js";
import { buildAddress, type Route, updateQuery } from "../../shell/route.js";
import { PageHead } from "../../ui/index.js";
import { FailedAttempts, TrialNotes } from "./attempts.js";
import { TokenUsage, TrialFacts, Verdict } from "./facts.js";
import { findTrialByOutcome } from "./find-trial.js";
import { NeighborLinks } from "./neighbours.js";
import { Grades, Scores } from "./scores.js";
import { Siblings } from "./siblings.js";
import { revealLine } from "./text/visible-text.js";
import { TrialTexts } from "./texts.js";
import { FileChanges } from "./timeline/changes.js";
import { Timeline } from "./timeline/timeline.js";
import { buildTrialAddress, parseOutcome, parseRowList, parseTrialKey } from "./trial-address.js";

/** One trial with all that is known of it. */
export function TrialPage({ route, id }: { route: Route; id: string }) {
  const trial = parseTrialKey(route.query);
  const ending = parseOutcome(route.query);
  if (trial !== null && ending !== null) return <TrialByOutcome route={route} id={id} trial={trial} ending={ending} />;
  if (trial !== null) return <TrialContent route={route} id={id} trial={trial} />;
  return (
    <p class="problem" role="alert">
      This address names no trial. <a href={buildAddress(["run", id, "rows"])}>Choose one from the rows.</a>
    </p>
  );
}

interface TrialContentProps {
  route: Route;
  id: string;
  trial: TrialKey;
}

/** Goes on to the trial that is asked for by how it ended; the address that asked is not a place to come back to. */
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
  // What was there stays while the next one comes, but not under its name.
  const isThis = loaded.value !== null && buildTrialAddress(id, loaded.value.row) === address;
  return (
    <>
      <nav class="crumbs" aria-label="Where this is">
        <a href={buildAddress(["run", id])}>
          Run <bdi>{revealLine(id)}</bdi>
        </a>
      </nav>
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

function formatTrialTitle({ exampleId, trial }: TrialKey): string {
  return `${revealLine(String(exampleId))} · trial ${trial}`;
}

function TrialSections({ route, id, view }: { route: Route; id: string; view: TrialView }) {
  const { row } = view;
  return (
    <>
      <Verdict view={view} />
      <TrialFacts row={row} />
      <Scores view={view} />
      <Grades grades={view.grades} />
      <TrialTexts id={id} view={view} />
      {view.timeline !== null && <Timeline route={route} steps={view.timeline} />}
      {view.changes !== null && <FileChanges changes={view.changes} incomplete={view.changesIncomplete} />}
      <FailedAttempts row={row} />
      <TrialNotes row={row} />
      <TokenUsage view={view} />
      <Siblings id={id} siblings={view.siblings} />
    </>
  );
}
