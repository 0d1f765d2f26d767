import type { CompareView, RunCard } from "../../../../src/report/dashboard/contract.js";
import { type ComparisonQuery, type DataSource, LoadView, useLoadState, useSource } from "../../data/index.js";
import {
  buildAddress,
  type ComparePick,
  formatPicks,
  parsePicks,
  type Route,
  revealLine,
  revealText,
} from "../../ui/index.js";
import { buildComparisonQuery, NO_TASK_QUERY, parseCompareChoice } from "./choice.js";
import { loadComparison } from "./load-comparison.js";
import { summarizeVerdicts, TestNotes, type VerdictLine, VerdictTable } from "./verdicts.js";

interface AgainstBaselineProps {
  route: Route;
  runs: readonly RunCard[];
  wanted: ComparisonQuery;
}

/** Every candidate against the baseline A, one line per pair of systems. B is shown in detail below. */
export function AgainstBaseline({ route, runs, wanted }: AgainstBaselineProps) {
  const source = useSource();
  const candidates = listCandidates(route);
  const key = JSON.stringify([wanted, candidates]);
  const loaded = useLoadState(
    () => Promise.all(candidates.map((pick) => compareCandidate(source, { route, runs, pick }))),
    [source, key],
  );
  return (
    <LoadView loaded={loaded} what="the comparisons with A">
      {(compared) => {
        const views = compared.flatMap(({ view, pick }) => (view === null ? [] : [{ view, pick }]));
        const verdicts = views.flatMap(({ view }) => view.verdicts);
        return (
          <section class="compare-verdict" aria-label="All compared with A">
            <h2>All compared with A</h2>
            {verdicts.length > 0 && <p class="verdict-sentence">{summarizeVerdicts(verdicts, "comparison")}</p>}
            {compared.map(
              ({ pick, problem }) =>
                problem !== null && (
                  <p key={formatPicks([pick])} class="problem" role="alert">
                    <bdi>{revealLine(pick.run)}</bdi>: {revealText(problem)}
                  </p>
                ),
            )}
            <VerdictTable
              lines={views.flatMap(({ view, pick }) => listLines(route, view, pick))}
              caption="Every run compared with A"
            />
            <TestNotes comparisons={views.flatMap(({ view }) => view.comparison.comparisons)} />
            <p class="quiet">
              p-values are corrected within each run, not across runs: with many runs, one may look different by chance.
            </p>
          </section>
        );
      }}
    </LoadView>
  );
}

/** B and the others, in a fixed order, so that choosing one for the details does not move the lines. */
function listCandidates({ query: { b = "", systemB, also } }: Route): ComparePick[] {
  const picks = [systemB === undefined ? { run: b } : { run: b, system: systemB }, ...parsePicks(also)];
  return picks.sort((one, other) => (formatPicks([one]) < formatPicks([other]) ? -1 : 1));
}

interface Candidate {
  readonly pick: ComparePick;
  readonly view: CompareView | null;
  readonly problem: string | null;
}

interface CandidateQuery {
  route: Route;
  runs: readonly RunCard[];
  pick: ComparePick;
}

/** One run that cannot be compared does not hide the others. */
async function compareCandidate(source: DataSource, { route, runs, pick }: CandidateQuery): Promise<Candidate> {
  const query = { ...route.query, b: pick.run, systemB: pick.system ?? "" };
  const wanted = buildComparisonQuery(parseCompareChoice(query, runs));
  if (typeof wanted === "string") return { pick, view: null, problem: wanted };
  try {
    return { pick, view: await loadComparison(source, wanted), problem: null };
  } catch (error) {
    return { pick, view: null, problem: error instanceof Error ? error.message : String(error) };
  }
}

function listLines(route: Route, { b, comparison, verdicts }: CompareView, pick: ComparePick): VerdictLine[] {
  const others = listCandidates(route).filter((other) => formatPicks([other]) !== formatPicks([pick]));
  const chosen = { ...NO_TASK_QUERY, b: pick.run, systemB: pick.system, also: formatPicks(others) };
  return comparison.comparisons.flatMap((pair, place) => {
    const verdict = verdicts[place];
    const address = buildAddress(route.path, { ...route.query, ...chosen, pair: String(place) });
    return verdict === undefined ? [] : [{ run: b, comparison: pair, verdict, address }];
  });
}
