import type { PairedComparison } from "../../../../src/metrics/compare/index.js";
import type { CompareVerdict, RunCard, RunPage } from "../../../../src/report/dashboard/contract.js";
import { MAX_RUNS } from "../../../../src/report/dashboard/run-query.js";
import { type ComparisonQuery, LoadView, useLoadState, useRunPage, useSource } from "../../data/index.js";
import { buildAddress, NewestRunsNotice, PageHead, parsePicks, type Route, revealText } from "../../ui/index.js";
import { AgainstBaseline } from "./against-baseline.js";
import {
  buildComparisonQuery,
  CompareChooser,
  describeAbsentRuns,
  listUnknownRunIds,
  NO_TASK_QUERY,
  parseCompareChoice,
} from "./choice.js";
import { loadComparison } from "./load-comparison.js";
import { ComparedPair, NoteList } from "./pair.js";
import { ComparedRuns, summarizeVerdicts, TestNotes, VerdictSentence, VerdictTable } from "./verdicts.js";

/** Two runs, or two systems of one, side by side. */
export function ComparePage({ route }: { route: Route }) {
  const loaded = useRunPage({ limit: MAX_RUNS });
  return (
    <>
      <PageHead title="Compare" place="compare">
        Differences are B − A, over the tasks that were scored in both.
      </PageHead>
      <LoadView loaded={loaded} what="the runs">
        {(page) => {
          const others = listUnknownRunIds(route.query, page.runs);
          return <CompareWithNamedRuns key={JSON.stringify(others)} route={route} page={page} others={others} />;
        }}
      </LoadView>
    </>
  );
}

/** The address may name runs that are older than those in the list. */
function CompareWithNamedRuns({ route, page, others }: { route: Route; page: RunPage; others: readonly string[] }) {
  const source = useSource();
  const named = useLoadState(async () => (others.length === 0 ? [] : source.listCards(others)), [source]);
  return (
    <>
      <NewestRunsNotice {...page} />
      <LoadView loaded={named} what="the runs">
        {(cards) => <CompareContent route={route} runs={[...page.runs, ...cards]} />}
      </LoadView>
    </>
  );
}

function CompareContent({ route, runs }: { route: Route; runs: readonly RunCard[] }) {
  const choice = parseCompareChoice(
    route.query,
    runs.filter(({ status }) => status !== "damaged"),
  );
  const wanted = buildComparisonQuery(choice);
  return (
    <>
      <CompareChooser route={route} runs={runs} choice={choice} />
      {describeAbsentRuns(route.query, runs).map((problem) => (
        <p key={problem} class="problem" role="alert">
          {revealText(problem)}
        </p>
      ))}
      {typeof wanted === "string" ? (
        <p class="quiet">{wanted}</p>
      ) : (
        <>
          {parsePicks(route.query.also).length > 0 && <AgainstBaseline route={route} runs={runs} wanted={wanted} />}
          <ComparisonView route={route} wanted={wanted} />
        </>
      )}
    </>
  );
}

function ComparisonView({ route, wanted }: { route: Route; wanted: ComparisonQuery }) {
  const source = useSource();
  const loaded = useLoadState(() => loadComparison(source, wanted), [source, JSON.stringify(wanted)]);
  return (
    <LoadView loaded={loaded} what="the comparison">
      {({ a, b, comparison, verdicts }) => (
        <>
          <ComparedRuns a={a} b={b} />
          <Verdicts route={route} comparisons={comparison.comparisons} verdicts={verdicts} />
          <NoteList notes={comparison.notes} />
          {comparison.comparisons.map((pair, place) => (
            <ComparedPair
              key={JSON.stringify([a.id, pair.systemA, b.id, pair.systemB])}
              route={route}
              comparison={pair}
              sides={{ runA: a.id, runB: b.id, systemA: pair.systemA, systemB: pair.systemB }}
              pair={place}
              datasets={[...a.datasets, ...b.datasets].map(({ name }) => name)}
              isOnly={comparison.comparisons.length === 1}
            />
          ))}
        </>
      )}
    </LoadView>
  );
}

interface VerdictsProps {
  route: Route;
  comparisons: readonly PairedComparison[];
  verdicts: readonly CompareVerdict[];
}

/** The answer before its evidence: one sentence, and one line per pair of systems where there are several. */
function Verdicts({ route, comparisons, verdicts }: VerdictsProps) {
  const [only, ...others] = verdicts;
  const lines = comparisons.flatMap((comparison, place) => {
    const verdict = verdicts[place];
    const address = buildAddress(route.path, { ...route.query, ...NO_TASK_QUERY, pair: String(place) });
    return verdict === undefined ? [] : [{ run: null, comparison, verdict, address }];
  });
  if (only === undefined) return null;
  return (
    <section class="compare-verdict" aria-label="Verdict">
      <p class="verdict-sentence">
        {others.length === 0 ? <VerdictSentence verdict={only} /> : summarizeVerdicts(verdicts)}
      </p>
      {others.length > 0 && <VerdictTable lines={lines} caption="Verdict for each system" />}
      <TestNotes comparisons={comparisons} />
    </section>
  );
}
