import { useEffect } from "preact/hooks";
import type { Outcome } from "../../../../src/core/row.js";
import type { TrialView } from "../../../../src/report/dashboard/contract.js";
import type { TrialKey } from "../../data/source.js";
import { useSource } from "../../shell/context.js";
import { useLoaded, WhenLoaded } from "../../shell/loaded.js";
import { addressOf, changeQuery, type Route } from "../../shell/route.js";
import { PageHead } from "../../ui/index.js";
import { Attempts, Notes } from "./attempts.js";
import { Facts, Usage, Verdict } from "./facts.js";
import { trialThatEnded } from "./find-trial.js";
import { Neighbours } from "./neighbours.js";
import { Grades, Scores } from "./scores.js";
import { Siblings } from "./siblings.js";
import { visibleLine } from "./text/visible-text.js";
import { Texts } from "./texts.js";
import { Changes } from "./timeline/changes.js";
import { Timeline } from "./timeline/timeline.js";
import { endingOf, listOf, trialAddress, trialKeyOf } from "./trial-address.js";

/** One trial with all that is known of it. */
export function TrialPage({ route, id }: { route: Route; id: string }) {
  const trial = trialKeyOf(route.query);
  const ending = endingOf(route.query);
  if (trial !== null && ending !== null) return <TrialThatEnded route={route} id={id} trial={trial} ending={ending} />;
  if (trial !== null) return <Trial route={route} id={id} trial={trial} />;
  return (
    <p class="problem" role="alert">
      This address names no trial. <a href={addressOf(["run", id, "rows"])}>Choose one from the rows.</a>
    </p>
  );
}

interface TrialProps {
  route: Route;
  id: string;
  trial: TrialKey;
}

/** Goes on to the trial that is asked for by how it ended; the address that asked is not a place to come back to. */
function TrialThatEnded({ route, id, trial, ending }: TrialProps & { ending: Outcome }) {
  const source = useSource();
  const found = useLoaded(
    () => trialThatEnded(source, id, { key: trial, outcome: ending }),
    [source, trialAddress(id, trial), ending],
  );
  useEffect(() => {
    if (found.state === "ready") changeQuery(route, { trial: String(found.value.trial), ended: undefined });
  }, [found]);
  return (
    <WhenLoaded loaded={found} what="the trial">
      {() => null}
    </WhenLoaded>
  );
}

function Trial({ route, id, trial }: TrialProps) {
  const source = useSource();
  const address = trialAddress(id, trial);
  const loaded = useLoaded(() => source.trial(id, trial), [source, address]);
  // What was there stays while the next one comes, but not under its name.
  const isThis = loaded.value !== null && trialAddress(id, loaded.value.row) === address;
  return (
    <>
      <nav class="crumbs" aria-label="Where this is">
        <a href={addressOf(["run", id])}>
          Run <bdi>{visibleLine(id)}</bdi>
        </a>
      </nav>
      <PageHead title={titleOf(trial)} place={id}>
        <bdi>{visibleLine(trial.system)}</bdi>
        {trial.dataset !== "" && (
          <>
            {" on "}
            <bdi>{visibleLine(trial.dataset)}</bdi>
          </>
        )}
      </PageHead>
      <Neighbours id={id} trial={trial} list={listOf(route.query)} />
      <WhenLoaded loaded={loaded} what="the trial">
        {(view) => (
          <div key={trialAddress(id, view.row)} class={isThis ? "trial" : "trial stale"} aria-busy={!isThis}>
            {(isThis || loaded.state === "loading") && <TrialParts route={route} id={id} view={view} />}
          </div>
        )}
      </WhenLoaded>
    </>
  );
}

function titleOf({ exampleId, trial }: TrialKey): string {
  return `${visibleLine(String(exampleId))} · trial ${trial}`;
}

function TrialParts({ route, id, view }: { route: Route; id: string; view: TrialView }) {
  const { row } = view;
  return (
    <>
      <Verdict view={view} />
      <Facts row={row} />
      <Scores view={view} />
      <Grades grades={view.grades} />
      <Texts id={id} view={view} />
      {view.timeline !== null && <Timeline route={route} steps={view.timeline} />}
      {view.changes !== null && <Changes changes={view.changes} incomplete={view.changesIncomplete} />}
      <Attempts row={row} />
      <Notes row={row} />
      <Usage view={view} />
      <Siblings id={id} siblings={view.siblings} />
    </>
  );
}
