import type { CompareView, RunCard } from "../../../../src/report/dashboard/contract.js";
import { type DataSource, SourceError, type WantedComparison } from "../../data/source.js";
import { useSource } from "../../shell/context.js";
import { useLoaded, WhenLoaded } from "../../shell/loaded.js";
import type { Route } from "../../shell/route.js";
import { PageHead } from "../../ui/index.js";
import { visibleText } from "../trial/text/visible-text.js";
import { absentRuns, choiceOf, wantedBy } from "./choice.js";
import { Chooser } from "./chooser.js";
import { mirrored } from "./mirror.js";
import { NoteList, Pair } from "./pair.js";

/** Two runs, or two systems of one, side by side. */
export function ComparePage({ route }: { route: Route }) {
  const source = useSource();
  const runs = useLoaded(() => source.runs(), [source]);
  return (
    <>
      <PageHead title="Compare" place="compare">
        Differences are B − A, over the tasks that were scored in both.
      </PageHead>
      <WhenLoaded loaded={runs} what="the runs">
        {(cards) => <Comparing route={route} runs={cards} />}
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
