// Corrected and adjusted estimates: coverage, and how much narrower they are.
import { adjustByHistory, correctJudgedRate, predictionPoweredMean, robustnessRatio } from "../../dist/lib/stats.js";
import { fixed, mean, percent, repeat, standardError } from "./simulate.mjs";

const EXPERIMENTS = 2000;

const covers = ({ low, high }, truth) => Number((low ?? -Infinity) <= truth && truth <= (high ?? Infinity));
const width = ({ low, high }) => high - low;

function drawJudged(random, { rate, accuracy, labels, rest }) {
  const drawLabel = () => Number(random.next() < rate);
  const judge = (label) => (random.next() < accuracy ? label : 1 - label);
  const given = Array.from({ length: labels }, drawLabel);
  return { labels: given, judged: given.map(judge), unlabeled: Array.from({ length: rest }, () => judge(drawLabel())) };
}

/** Pass rates from few labels and a judge. */
export function judge() {
  const covered = [];
  const rows = [30, 60, 200].flatMap((labels) =>
    [0.6, 0.75, 0.85, 0.95].flatMap((accuracy) =>
      [0.5, 0.9, 0.98].map((rate) => {
        const found = repeat(`judge ${labels} ${accuracy} ${rate}`, EXPERIMENTS, (random) =>
          predictionPoweredMean(drawJudged(random, { rate, accuracy, labels, rest: 600 })),
        );
        const coverage = mean(found.map((each) => covers(each, rate)));
        covered.push(coverage);
        return [
          labels,
          accuracy,
          rate,
          percent(coverage),
          percent(mean(found.map(({ labelsAlone }) => covers(labelsAlone, rate)))),
          fixed(mean(found.map(width)) / mean(found.map(({ labelsAlone }) => width(labelsAlone))), 2),
          fixed(mean(found.map(({ judgeAlone }) => judgeAlone)), 2),
        ];
      }),
    ),
  );
  const columns = [
    "labels",
    "accuracy of the judge",
    "pass rate",
    "coverage",
    "labels alone: coverage",
    "width, of labels alone",
    "judge alone says",
  ];
  const summary = `Coverage: ${percent(mean(covered))} on average, ${percent(Math.min(...covered))} at least (standard error ${percent(standardError(0.95, EXPERIMENTS))}).`;
  return { summary, columns, rows };
}

/** Clusters of ten units, of which some are labeled. */
export function judgeInClusters() {
  const rows = [15, 40].flatMap((groups) =>
    [0.75, 0.95].map((accuracy) => {
      const found = repeat(`judge in clusters ${groups} ${accuracy}`, 1000, (random) => {
        const parts = Array.from({ length: groups }, () =>
          drawJudged(random, { rate: 0.3 + 0.6 * random.next(), accuracy, labels: 4, rest: 10 }),
        );
        const name = (key) => parts.flatMap((part, group) => part[key].map(() => group));
        const scores = Object.fromEntries(
          ["labels", "judged", "unlabeled"].map((key) => [key, parts.flatMap((part) => part[key])]),
        );
        return predictionPoweredMean(scores, { clusters: { labeled: name("labels"), unlabeled: name("unlabeled") } });
      });
      return [groups, accuracy, percent(mean(found.map((each) => covers(each, 0.6))))];
    }),
  );
  return { columns: ["groups of 4 labels and 10 others", "accuracy of the judge", "coverage"], rows };
}

/** Labels of another set. */
export function calibratedJudge() {
  const count = (random, n, rate) => {
    let hits = 0;
    for (let i = 0; i < n; i++) hits += Number(random.next() < rate);
    return hits;
  };
  const rows = [20, 50, 200].flatMap((labels) =>
    [
      [0.7, 0.7],
      [0.9, 0.8],
      [0.95, 0.95],
    ].flatMap(([se, sp]) =>
      [0.3, 0.7, 0.95].map((rate) => {
        const found = repeat(`calibrated ${labels} ${se} ${sp} ${rate}`, EXPERIMENTS, (random) =>
          correctJudgedRate({
            rate: count(random, 400, rate * se + (1 - rate) * (1 - sp)) / 400,
            n: 400,
            passes: labels,
            truePasses: count(random, labels, se),
            fails: labels,
            trueFails: count(random, labels, sp),
          }),
        );
        return [labels, se, sp, rate, percent(mean(found.map((each) => covers(each, rate))))];
      }),
    ),
  );
  return { columns: ["labels of each kind", "sensitivity", "specificity", "pass rate", "coverage"], rows };
}

/** Task difficulty from earlier runs; some tasks were not run. */
export function history() {
  const kinds = {
    exact: (rate) => rate,
    noisy: (rate, random) => rate + random.next() - 0.5,
    "three trials of another system": (rate, random) =>
      (Number(random.next() < rate) + Number(random.next() < rate) + Number(random.next() < rate)) / 3,
    random: (_, random) => random.next(),
    reversed: (rate) => 1 - rate,
  };
  const rows = Object.entries(kinds).flatMap(([kind, predict]) =>
    [30, 100].map((n) => {
      const found = repeat(`history ${kind} ${n}`, EXPERIMENTS, (random) => {
        const tasks = Array.from({ length: n + 400 }, () => {
          const rate = random.next() < 0.5 ? 0.95 : 0.25;
          return { value: Number(random.next() < rate), history: predict(rate, random) };
        });
        const pick = (key, from, to) => tasks.slice(from, to).map((task) => task[key]);
        return adjustByHistory({
          values: pick("value", 0, n),
          history: pick("history", 0, n),
          rest: pick("history", n),
        });
      });
      const bias = mean(found.map(({ value }) => value)) - 0.6;
      return [
        kind,
        n,
        fixed(bias, 4),
        fixed(Math.sqrt(0.24 / n / EXPERIMENTS), 4),
        percent(mean(found.map((each) => covers(each, 0.6)))),
        fixed(mean(found.map(width)) / mean(found.map(({ plain }) => width(plain))), 2),
      ];
    }),
  );
  return {
    columns: ["history", "tasks run, of 400 more", "bias", "its standard error", "coverage", "width, of the plain"],
    rows,
  };
}

/** Pass rate under faults over the usual one, three trials of each task. */
export function robustness() {
  const rows = [30, 100, 300].flatMap((n) =>
    [0.5, 0.8, 1].map((ratio) => {
      const found = repeat(`robustness ${n} ${ratio}`, EXPERIMENTS, (random) => {
        const usual = [];
        const perturbed = [];
        for (let task = 0; task < n; task++) {
          const rate = random.next() < 0.6 ? 0.95 : 0.4;
          const share = (chance) =>
            (Number(random.next() < chance) + Number(random.next() < chance) + Number(random.next() < chance)) / 3;
          usual.push(share(rate));
          perturbed.push(share(rate * ratio));
        }
        return robustnessRatio({ usual, perturbed });
      });
      return [n, ratio, percent(mean(found.map((each) => covers(each, ratio)))), fixed(mean(found.map(width)))];
    }),
  );
  return { columns: ["tasks", "true ratio", "coverage", "mean width"], rows };
}
