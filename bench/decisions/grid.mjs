// The whole grid: pass rates 0.02 to 0.98, true differences 0 to 0.3, correlations 0 to 0.9, 20 to 5,000 tasks, clustered or not.
import { MeanTest, mcnemarExact, pairedDifference, SequentialTest } from "../../dist/lib/stats.js";
import { computeShares, countExperiments, drawDifference, mean, median, percent, repeat } from "./simulate.mjs";

const TASKS = [20, 50, 100, 500, 2000, 5000];
const RATES = [0.02, 0.1, 0.5, 0.9, 0.98];
const DIFFERENCES = [0, 0.02, 0.05, 0.1, 0.2, 0.3];
const CORRELATIONS = [0, 0.5, 0.9];
/** Tasks of a group. */
const GROUP = 5;
const ALPHA = 0.05;
/** Of the interval that holds at any time, at 97.5 %: capital that excludes a mean. */
const EXCLUDED = 80;

/** Groups of tasks that share how much harder they are for both systems, and how much one of them is shifted. */
function drawGroup(random, { p, difference, correlation }) {
  const room = Math.min(p, 1 - p, p + difference, 1 - p - difference, 0.2);
  const both = room * (2 * random.next() - 1);
  const shift = ((room - Math.abs(both)) / 2) * (2 * random.next() - 1);
  const shares = computeShares(p + both, p + difference + both + shift, correlation);
  let sum = 0;
  for (let i = 0; i < GROUP; i++) sum += drawDifference(random, shares);
  return sum / GROUP;
}

function findFixedVerdict(values, isGrouped) {
  if (isGrouped) {
    const zeros = values.map(() => 0);
    return pairedDifference(values, zeros, { permutations: 500 }).permutationP <= ALPHA;
  }
  return mcnemarExact(values.filter((d) => d < 0).length, values.filter((d) => d > 0).length) <= ALPHA;
}

/** One run: looks after every unit to the end, also after the verdict, for the interval. */
function runOnce(random, { n, difference, draw, isGrouped, withFixed }) {
  const values = Array.from({ length: n }, () => draw(random));
  const test = new SequentialTest({ question: { kind: "difference" }, horizon: n });
  const truth = new MeanTest(difference, { lower: -1, upper: 1, horizon: n });
  for (const value of values) {
    if (!test.isDecided) test.add([value]);
    truth.add(value);
  }
  if (!test.isDecided) test.finish();
  const { verdict, decidedAt, isFinal } = test.decisions[0];
  const right = difference > 0 ? "better" : difference < 0 ? "worse" : null;
  return {
    wrong: Number(verdict !== null && verdict !== right),
    decided: Number(verdict !== null && verdict === right),
    missed: Number(truth.maxAbove >= EXCLUDED || truth.maxBelow >= EXCLUDED),
    taken: (verdict === null || isFinal ? n : decidedAt) / n,
    fixed: withFixed ? Number(findFixedVerdict(values, isGrouped)) : 0,
  };
}

function listCells(tasks, difference, isGrouped) {
  return RATES.flatMap((p) =>
    CORRELATIONS.flatMap((correlation) => {
      const signed = p + difference > 0.995 ? -difference : difference;
      if (p + signed < 0.005) return [];
      const n = isGrouped ? tasks / GROUP : tasks;
      const cell = { p, difference: signed, correlation };
      const shares = computeShares(p, p + signed, correlation);
      const draw = isGrouped ? (random) => drawGroup(random, cell) : (random) => drawDifference(random, shares);
      const seed = `grid ${tasks} ${p} ${signed} ${correlation} ${isGrouped}`;
      return [{ n, difference: signed, draw, isGrouped, withFixed: difference !== 0, seed }];
    }),
  );
}

/** Cells differ by pass rate and correlation; the mean and the worst of them are shown. */
export function grid() {
  const all = { cells: 0, runs: 0 };
  const rows = [false, true].flatMap((isGrouped) =>
    TASKS.flatMap((tasks) =>
      DIFFERENCES.map((difference) => {
        const wanted = difference === 0 ? 8000 : 400;
        const times = countExperiments(isGrouped ? tasks / GROUP : tasks, wanted);
        const cells = listCells(tasks, difference, isGrouped).map((cell) => {
          const runs = repeat(cell.seed, times, (random) => runOnce(random, cell));
          const average = (key) => mean(runs.map((run) => run[key]));
          all.cells += 1;
          all.runs += times;
          return {
            wrong: average("wrong"),
            missed: average("missed"),
            decided: average("decided"),
            fixed: average("fixed"),
            taken: median(runs.map(({ taken }) => taken)),
          };
        });
        const max = (key) => Math.max(...cells.map((cell) => cell[key]));
        const average = (key) => mean(cells.map((cell) => cell[key]));
        const isNull = difference === 0;
        return [
          isGrouped ? `${tasks} in groups of ${GROUP}` : tasks,
          difference,
          times.toLocaleString("en-US"),
          percent(average("wrong")),
          percent(max("wrong")),
          percent(average("missed")),
          percent(max("missed")),
          isNull ? "–" : percent(average("fixed")),
          isNull ? "–" : percent(average("decided")),
          isNull ? "–" : percent(average("taken")),
        ];
      }),
    ),
  );
  return {
    summary: `${all.cells} cells, ${all.runs.toLocaleString("en-US")} runs.`,
    columns: [
      "tasks",
      "difference",
      "runs of a cell",
      "wrong: mean",
      "largest",
      "interval ever misses: mean",
      "largest",
      "fixed test: power",
      "sequential: power",
      "median share of tasks",
    ],
    rows,
  };
}
