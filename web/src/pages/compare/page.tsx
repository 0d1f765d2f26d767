import type { CompareView, RunCard, RunPage } from "../../../../src/report/dashboard/contract.js";
import { MAX_RUNS } from "../../../../src/report/dashboard/run-query.js";
import { type DataSource, SourceError, type WantedComparison } from "../../data/source.js";
import { useSource } from "../../shell/context.js";
import { useLoaded, WhenLoaded } from "../../shell/loaded.js";
import type { Route } from "../../shell/route.js";
import { PageHead } from "../../ui/index.js";
import { NewestOnly } from "../../ui/newest-only.js";
import { useRunPage } from "../../ui/use-run-cards.js";
import { visibleText } from "../trial/text/visible-text.js";
import { absentRuns, choiceOf, otherRuns, wantedBy } from "./choice.js";
import { Chooser } from "./chooser.js";
import { mirrored } from "./mirror.js";
import { NoteList, Pair } from "./pair.js";

/** Two runs, or two systems of one, side by side. */
export function ComparePage({ route }: { route: Route }) {
  const loaded = useRunPage({ limit: MAX_RUNS });
  return (
    <>
      <PageHead title="Compare" place="compare">
        Differences are B − A, over the tasks that were scored in both.
      </PageHead>
      <WhenLoaded loaded={loaded} what="the runs">
        {(page) => {
          const others = otherRuns(route.query, page.runs);
          return <WithNamed key={JSON.stringify(others)} route={route} page={page} others={others} />;
        }}
      </WhenLoaded>
    </>
  );
}

/** Runs that the address names may be older than those to choose from. */
function WithNamed({ route, page, others }: { route: Route; page: RunPage; others: readonly string[] }) {
  const source = useSource();
  const named = useLoaded(async () => (others.length === 0 ? [] : source.cards(others)), [source]);
  return (
    <>
      <NewestOnly {...page} />
      <WhenLoaded loaded={named} what="the runs">
        {(cards) => <Comparing route={route} runs={[...page.runs, ...cards]} />}
      </WhenLoaded>
    </>
  );
}

function Comparing({ route, runs }: { route: Route; runs: readonly RunCard[] }) {
  const choice = choiceOf(
    route.query,
    runs.filter(({ status }) => status !== "damaged"),
  );
  const wanted = wantedBy(choice);
  return (
    <>
      <Chooser route={route} runs={runs} choice={choice} />
      {absentRuns(route.query, runs).map((problem) => (
        <p key={problem} class="problem" role="alert">
          {visibleText(problem)}
        </p>
      ))}
      {typeof wanted === "string" ? <p class="quiet">{wanted}</p> : <Compared route={route} wanted={wanted} />}
    </>
  );
}

function Compared({ route, wanted }: { route: Route; wanted: WantedComparison }) {
  const source = useSource();
  const loaded = useLoaded(() => compare(source, wanted), [source, JSON.stringify(wanted)]);
  return (
    <WhenLoaded loaded={loaded} what="the comparison">
      {({ a, b, comparison }) => (
        <>
          <NoteList notes={comparison.notes} />
          {comparison.comparisons.map((pair, place) => (
            <Pair
              key={JSON.stringify([a.id, pair.systemA, b.id, pair.systemB])}
              route={route}
              comparison={pair}
              sides={{ runA: a.id, runB: b.id, systemA: pair.systemA, systemB: pair.systemB }}
              pair={place}
              datasets={[...a.datasets, ...b.datasets].map(({ name }) => name)}
            />
          ))}
        </>
      )}
    </WhenLoaded>
  );
}

/** A file holds each pair of systems one way round. */
async function compare(source: DataSource, wanted: WantedComparison): Promise<CompareView> {
  try {
    return await source.compare(wanted);
  } catch (error) {
    const { a, b, systemA, systemB } = wanted;
    if (source.kind !== "file" || !(error instanceof SourceError) || systemA === undefined || systemB === undefined)
      throw error;
    return mirrored(await source.compare({ a: b, b: a, systemA: systemB, systemB: systemA }));
  }
}
