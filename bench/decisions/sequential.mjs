// Sequential decisions: how often they are wrong, and how many tasks they take.
import {
  ConfidenceSequence,
  MeanTest,
  mcnemarExact,
  pairedDifference,
  Race,
  SequentialTest,
} from "../../dist/lib/stats.js";
import {
  computeShares,
  countExperiments,
  DETECTABLE,
  drawDifference,
  fixed,
  mean,
  median,
  percent,
  repeat,
  standardError,
} from "./simulate.mjs";

const ALPHA = 0.05;
/** A power of 70 % has then a standard error of one percentage point. */
const POWER_EXPERIMENTS = 2000;

/** Looks after every unit, stops when decided, and makes the final test otherwise. */
function decide(options, values) {
  const test = new SequentialTest(options);
  for (const value of values) {
    test.add([value]);
    if (test.isDecided) break;
  }
  if (!test.isDecided) test.finish();
  return test.decisions[0];
}

/** A detectable difference changes the variance on which it depends, so it is found by repetition. */
function findDetectable(n, { p, correlation }, multiple) {
  let difference = 0.1;
  for (let i = 0; i < 100; i++) {
    const sign = p + multiple * difference > 0.995 ? -1 : 1;
    const other = p + sign * multiple * difference;
    if (other < 0.005 || other > 0.995) return null;
    const { onlyA, onlyB } = computeShares(p, other, correlation);
    const variance = onlyA + onlyB - (onlyA - onlyB) ** 2;
    const next = DETECTABLE * Math.sqrt(variance / n);
    if (Math.abs(next - difference) < 1e-6) return { difference: sign * multiple * difference };
    difference = (next + difference) / 2;
  }
  return null;
}

/** The fixed-sample test that `compare` makes. */
function isSignificant(values, isBinary) {
  if (!isBinary)
    return (
      pairedDifference(
        values,
        values.map(() => 0),
        { permutations: 2000 },
      ).permutationP <= ALPHA
    );
  return mcnemarExact(values.filter((d) => d < 0).length, values.filter((d) => d > 0).length) <= ALPHA;
}

function simulateDifference({ n, p, correlation }, multiple, experiments) {
  const detectable = multiple === 0 ? { difference: 0 } : findDetectable(n, { p, correlation }, multiple);
  if (detectable === null) return null;
  const { difference } = detectable;
  const shares = computeShares(p, p + difference, correlation);
  const draw = (random) => Array.from({ length: n }, () => drawDifference(random, shares));
  const seed = `difference ${n} ${p} ${correlation} ${multiple}`;
  return { ...summarizeDecisions({ n, difference, seed, draw, isBinary: true, multiple }, experiments), difference };
}

/** Units are the means of five tasks that share how much harder they are for one system. */
function simulateClusters({ groups, spread }, multiple, experiments) {
  const draw = (shift) => (random) =>
    Array.from({ length: groups }, () => {
      const local = spread * (2 * random.next() - 1);
      let sum = 0;
      for (let i = 0; i < 5; i++) sum += Number(random.next() < 0.5 + shift + local) - Number(random.next() < 0.5);
      return sum / 5;
    });
  const variance = spread ** 2 / 3 + (0.5 - spread ** 2 / 3) / 5;
  const difference = multiple * DETECTABLE * Math.sqrt(variance / groups);
  if (difference + spread > 0.5) return null;
  const seed = `clusters ${groups} ${spread} ${multiple}`;
  const settings = { n: groups, difference, seed, draw: draw(difference), isBinary: false, multiple };
  return { ...summarizeDecisions(settings, experiments), difference };
}

function summarizeDecisions({ n, difference, seed, draw, isBinary, multiple }, experiments) {
  const results = repeat(seed, experiments, (random) => {
    const values = draw(random);
    const { verdict, decidedAt, isFinal } = decide({ question: { kind: "difference" }, horizon: n }, values);
    // The interval at 97.5 % ever misses the truth if an e-value of the true mean reaches 80.
    const truth = new MeanTest(difference, { lower: -1, upper: 1, horizon: n });
    if (multiple === 0) for (const value of values) truth.add(value);
    return {
      verdict,
      taken: verdict === null || isFinal ? n : decidedAt,
      missed: truth.maxAbove >= 80 || truth.maxBelow >= 80,
      isFixed: multiple === 1 && isSignificant(values, isBinary),
    };
  });
  const right = difference > 0 ? "better" : difference < 0 ? "worse" : null;
  return {
    wrong: mean(results.map(({ verdict }) => Number(verdict !== null && verdict !== right))),
    decided: mean(results.map(({ verdict }) => Number(verdict !== null))),
    missed: mean(results.map(({ missed }) => Number(missed))),
    fixedPower: mean(results.map(({ isFixed }) => Number(isFixed))),
    median: median(results.map(({ taken }) => taken)) / n,
    average: mean(results.map(({ taken }) => taken)) / n,
  };
}

const share = (cell) => (cell === null ? null : cell.median);

function tabulate(cells, simulate, label, wanted = 4000) {
  const found = cells.map((cell) => {
    const n = cell.n ?? cell.groups;
    const few = countExperiments(n, wanted / 4);
    // Shares of runs need more of them than medians do.
    const times = [countExperiments(n, wanted), POWER_EXPERIMENTS, few, few];
    const runs = times.map((experiments, multiple) => simulate(cell, multiple, experiments));
    return { cell, runs, nullRuns: countExperiments(n, wanted) };
  });
  const errors = found.map(({ runs, nullRuns }) => ({ share: runs[0].wrong, times: nullRuns }));
  const worst = errors.reduce((high, each) => (each.share > high.share ? each : high));
  const list = (get) => found.flatMap(({ runs }) => get(runs)).filter((value) => value !== null);
  const doubles = list((runs) => [share(runs[2])]);
  const triples = list((runs) => [share(runs[3])]);
  const powers = list((runs) => (runs[1] === null || runs[1].fixedPower < 0.75 ? [] : [runs[1].decided]));
  const wrongSide = Math.max(...list((runs) => runs.slice(1).map((run) => run?.wrong ?? null)));
  return {
    summary: [
      `Wrong verdicts about equal systems: ${percent(mean(errors.map((each) => each.share)))} on average,`,
      `${percent(worst.share)} at most (standard error ${percent(standardError(worst.share, worst.times))}).`,
      `Wrong verdicts about different systems: ${percent(wrongSide)} at most.`,
      `Median share of the tasks: ${percent(median(doubles))} (${percent(Math.max(...doubles))} at most) at twice the`,
      `detectable difference, ${percent(median(triples))} (${percent(Math.max(...triples))} at most) at three times.`,
      `Power at the detectable difference, where the fixed test has at least 75 %: ${percent(mean(powers))} on average,`,
      `${percent(Math.min(...powers))} at least (standard error ${percent(standardError(0.7, POWER_EXPERIMENTS))}).`,
    ].join(" "),
    columns: [
      ...label.columns,
      "equal: wrong",
      "equal: interval ever misses",
      "detectable difference",
      "fixed test: power",
      "sequential: power",
      "twice: median share of tasks",
      "twice: mean share",
      "three times: median share",
    ],
    rows: found.map(({ cell, runs: [zero, one, two, three] }) => [
      ...label.values(cell),
      percent(zero.wrong),
      percent(zero.missed),
      fixed(one && Math.abs(one.difference)),
      percent(one?.fixedPower ?? null),
      percent(one?.decided ?? null),
      percent(share(two)),
      percent(two?.average ?? null),
      percent(share(three)),
    ]),
  };
}

/** Two systems, one trial of each task. */
export function difference() {
  const cells = [20, 50, 100, 300, 1000, 5000].flatMap((n) =>
    [0.02, 0.1, 0.5, 0.9, 0.98].flatMap((p) => [0, 0.5, 0.9].map((correlation) => ({ n, p, correlation }))),
  );
  return tabulate(cells, simulateDifference, {
    columns: ["tasks", "pass rate", "correlation"],
    values: ({ n, p, correlation }) => [n, p, correlation],
  });
}

/** Two systems, groups of five tasks. */
export function clusters() {
  const cells = [20, 60, 200].flatMap((groups) => [0.1, 0.3].map((spread) => ({ groups, spread })));
  return tabulate(
    cells,
    simulateClusters,
    {
      columns: ["groups of 5 tasks", "shared shift up to ±"],
      values: ({ groups, spread }) => [groups, spread],
    },
    2000,
  );
}

/** Fixed true differences. */
export function differences() {
  const rows = [100, 500, 2000].flatMap((n) =>
    [0.5, 0.8].flatMap((p) =>
      [0.02, 0.05, 0.1, 0.2, 0.3].flatMap((delta) => {
        if (p + delta > 0.995) return [];
        const shares = computeShares(p, p + delta, 0.5);
        const draw = (random) => Array.from({ length: n }, () => drawDifference(random, shares));
        const settings = { n, difference: delta, seed: `fixed ${n} ${p} ${delta}`, draw, isBinary: true, multiple: 1 };
        const found = summarizeDecisions(settings, countExperiments(n, 1000));
        return [
          [
            n,
            p,
            delta,
            percent(found.fixedPower),
            percent(found.decided),
            percent(found.wrong),
            percent(found.median),
            percent(found.average),
          ],
        ];
      }),
    ),
  );
  const columns = [
    "tasks",
    "pass rate",
    "difference",
    "fixed test: power",
    "sequential: power",
    "wrong",
    "median share of tasks",
    "mean share",
  ];
  return { columns, rows };
}

/** One system against a threshold. */
export function threshold() {
  const ask = (n, rate, at, times) => {
    const question = { kind: "mean", threshold: at };
    const results = repeat(`threshold ${n} ${rate} ${at}`, times, (random) =>
      decide(
        { question, horizon: n },
        Array.from({ length: n }, () => Number(random.next() < rate)),
      ),
    );
    const has = (wanted) => mean(results.map(({ verdict }) => Number(verdict === wanted)));
    return {
      reached: has("reached"),
      missed: has("missed"),
      share: median(results.map((r) => (r.isFinal ? n : (r.decidedAt ?? n)))) / n,
    };
  };
  const rows = [50, 200, 1000].flatMap((n) =>
    [0.5, 0.8, 0.9, 0.98].map((at) => {
      const times = countExperiments(n, 3000);
      const edge = ask(n, at, at, times);
      const low = Math.max(0.01, at - 2 * DETECTABLE * Math.sqrt((at * (1 - at)) / n));
      const far = ask(n, low, at, countExperiments(n, 1000));
      return [
        n,
        at,
        percent(edge.reached),
        percent(edge.missed),
        fixed(low, 2),
        percent(far.missed),
        percent(far.reached),
        percent(far.share),
      ];
    }),
  );
  const columns = [
    "tasks",
    "threshold",
    "at it: reached",
    "at it: missed",
    "lower rate",
    "there: missed",
    "there: reached",
    "there: median share of tasks",
  ];
  return { columns, rows };
}

/** One candidate that may be worse by a margin. */
export function nonInferiority() {
  const ask = (n, shares, margin, times) => {
    const question = { kind: "non-inferiority", margin };
    const results = repeat(`margin ${n} ${margin} ${JSON.stringify(shares)}`, times, (random) =>
      decide(
        { question, horizon: n },
        Array.from({ length: n }, () => drawDifference(random, shares)),
      ),
    );
    const has = (wanted) => mean(results.map(({ verdict }) => Number(verdict === wanted)));
    return {
      good: has("non-inferior"),
      bad: has("inferior"),
      share: median(results.map((r) => (r.isFinal ? n : (r.decidedAt ?? n)))) / n,
    };
  };
  const rows = [100, 300, 1000].flatMap((n) =>
    [0.6, 0.9].flatMap((p) =>
      [0.05, 0.1].map((margin) => {
        const edge = ask(n, computeShares(p, p - margin, 0.6), margin, countExperiments(n, 3000));
        const alike = ask(n, computeShares(p, p, 0.6), margin, countExperiments(n, 1000));
        const far = ask(n, computeShares(p, p - 3 * margin, 0.6), margin, countExperiments(n, 1000));
        return [n, p, margin, ...[edge.good, edge.bad, alike.good, alike.share, far.bad, far.share].map(percent)];
      }),
    ),
  );
  const columns = [
    "tasks",
    "pass rate",
    "margin",
    "at −margin: non-inferior",
    "at −margin: inferior",
    "alike: non-inferior",
    "alike: median share of tasks",
    "at −3 × margin: inferior",
    "at −3 × margin: median share of tasks",
  ];
  return { columns, rows };
}

/** Several candidates and one baseline. */
export function candidates() {
  const rows = [2, 5, 10].flatMap((k) =>
    [0.3, 0.9].map((p) => {
      const n = 100;
      const results = repeat(`candidates ${k} ${p}`, 1500, (random) => {
        const test = new SequentialTest({ question: { kind: "difference" }, horizon: n, candidates: k });
        for (let t = 0; t < n; t++) {
          const baseline = Number(random.next() < p);
          test.add(Array.from({ length: k }, () => Number(random.next() < p) - baseline));
        }
        test.finish();
        return Number(test.decisions.some(({ verdict }) => verdict !== null));
      });
      return [k, p, percent(mean(results))];
    }),
  );
  return { columns: ["candidates", "pass rate", "any of equal candidates called better or worse"], rows };
}

function runRace(random, rates, n) {
  const race = new Race({ arms: rates.length, horizon: n });
  let spent = 0;
  for (let t = 0; t < n && race.contenders.length > 1; t++) {
    const left = new Set(race.contenders);
    const common = random.next();
    race.add(
      rates.map((rate, arm) => (left.has(arm) ? Number((random.next() < 0.5 ? common : random.next()) < rate) : null)),
    );
    spent += left.size;
  }
  if (race.contenders.length > 1) race.finish();
  return {
    kept: race.contenders.includes(0),
    isAlone: race.contenders.length === 1,
    spent: spent / (rates.length * n),
  };
}

/** Arm 0 is the best, or one of the best. */
export function race() {
  /** @type {[string, (k: number) => number[]][]} */
  const scenarios = [
    ["all equal", (k) => Array.from({ length: k }, () => 0.6)],
    ["two best, others 0.2 lower", (k) => Array.from({ length: k }, (_, i) => (i < 2 ? 0.7 : 0.5))],
    ["one best, others 0.1 lower", (k) => Array.from({ length: k }, (_, i) => (i === 0 ? 0.7 : 0.6))],
    ["one best, others 0.1, 0.2, … lower", (k) => Array.from({ length: k }, (_, i) => Math.max(0.1, 0.9 - 0.1 * i))],
    ["one best, others 0.3 lower", (k) => Array.from({ length: k }, (_, i) => (i === 0 ? 0.8 : 0.5))],
  ];
  const rows = [3, 8].flatMap((k) =>
    scenarios.map(([what, makeRates]) => {
      const results = repeat(`race ${k} ${what}`, 300, (random) => runRace(random, makeRates(k), 300));
      const share = (get) => mean(results.map((result) => Number(get(result))));
      return [
        k,
        what,
        percent(share(({ kept }) => !kept)),
        percent(share(({ isAlone }) => isAlone)),
        percent(share(({ spent }) => spent)),
      ];
    }),
  );
  return {
    columns: ["systems", "pass rates, 300 tasks", "the best dropped", "one left", "trials of a full run"],
    rows,
  };
}

/** The anytime interval itself, at 95 %: does it ever miss, and when is it narrow enough? */
export function intervals() {
  const rows = [
    [100, null],
    [1000, null],
    [100, 100],
    [1000, 1000],
  ].flatMap(([n, populationSize]) =>
    [0.02, 0.1, 0.5, 0.98].map((p) => {
      const population = Array.from({ length: n }, (_, i) => Number(i < Math.round(p * n)));
      const options = { horizon: n, ...(populationSize === null ? {} : { populationSize }) };
      const missed = repeat(`interval ${n} ${p} ${populationSize}`, countExperiments(n, 4000), (random) => {
        const test = new MeanTest(p, options);
        const values = population.slice();
        for (let i = 0; i < n; i++) {
          const j = i + random.int(n - i);
          [values[i], values[j]] = [values[j], values[i]];
          test.add(populationSize === null ? Number(random.next() < p) : values[i]);
        }
        return Number(test.maxAbove >= 40 || test.maxBelow >= 40);
      });
      const widths = repeat(`width ${n} ${p}`, 40, (random) => {
        const sequence = new ConfidenceSequence(options);
        const half = Array.from({ length: n / 2 }, () => Number(random.next() < p));
        for (const value of half) sequence.add(value);
        const { low, high } = sequence.interval;
        return (high - low) / 2;
      });
      const plain = 1.959964 * Math.sqrt((p * (1 - p)) / (n / 2));
      return [
        n,
        populationSize === null ? "any" : "dataset",
        p,
        percent(mean(missed)),
        fixed(median(widths)),
        fixed(plain),
      ];
    }),
  );
  return {
    columns: [
      "tasks",
      "population",
      "pass rate",
      "ever misses",
      "half-width after half of the tasks",
      "of a fixed sample (Wald)",
    ],
    rows,
  };
}
