import { describe, expect, it } from "vitest";
import { type EvalRow, makeRow } from "../core/index.js";
import { createRandom, hashSeed } from "../stats/index.js";
import {
  correctByOtherLabels,
  correctDifference,
  correctPassRates,
  MIN_LABELS,
  planLabels,
  type RandomLabel,
} from "./label-correction.js";

interface Answer {
  row: EvalRow;
  isRight: boolean;
}

/** Answers that are right with a rate, and a judge that sees each as it is with a chance. */
function simulate({ system = "a", tasks = 300, rate = 0.7, accuracy = 0.85, seed = 1 } = {}): Answer[] {
  const random = createRandom(hashSeed(seed, system));
  return Array.from({ length: tasks }, (_, exampleId) => {
    const isRight = random.next() < rate;
    const passed = random.next() < accuracy ? isRight : !isRight;
    const outcome = passed ? "pass" : "fail";
    return { row: makeRow({ system, exampleId, outcome, passed, scores: { verdict: Number(passed) } }), isRight };
  });
}

function label(answers: readonly Answer[], count: number, seed: number): RandomLabel[] {
  const truth = new Map(answers.map(({ row, isRight }) => [`${row.system} ${row.exampleId}`, isRight]));
  const rows = answers.map(({ row }) => row);
  return planLabels(rows, { count, seed }).map((trial) => ({
    ...trial,
    isRight: truth.get(`${trial.system} ${trial.exampleId}`) ?? false,
  }));
}

describe("the trials to label", () => {
  it("are the same for the same seed, about as many as wanted, and all systems on the same examples", () => {
    const rows = ["a", "b"].flatMap((system) => simulate({ system }).map(({ row }) => row));
    const planned = planLabels(rows, { count: 60, seed: 3 });
    expect(planned).toEqual(planLabels(rows, { count: 60, seed: 3 }));
    expect(planned).not.toEqual(planLabels(rows, { count: 60, seed: 4 }));
    expect(planned).toHaveLength(60);
    const examples = (system: string) => new Set(planned.filter((t) => t.system === system).map((t) => t.exampleId));
    expect(examples("a")).toEqual(examples("b"));
  });

  it("are more often those whose trials disagree, each with its stated chance", () => {
    // Half of the examples are passed by one system only.
    const rows = ["a", "b"].flatMap((system) =>
      Array.from({ length: 100 }, (_, exampleId) => {
        const passed = exampleId < 50 || system === "a";
        return makeRow({ system, exampleId, outcome: passed ? "pass" : "fail", passed, scores: { v: Number(passed) } });
      }),
    );
    const drawn = Array.from({ length: 400 }, (_, seed) => planLabels(rows, { count: 40, seed })).flat();
    const shareOf = (isDoubtful: boolean) =>
      drawn.filter(({ exampleId }) => Number(exampleId) >= 50 === isDoubtful).length / (400 * 100);
    const chanceOf = (isDoubtful: boolean) =>
      drawn.find(({ exampleId }) => Number(exampleId) >= 50 === isDoubtful)?.chance ?? 0;
    expect(shareOf(true)).toBeGreaterThan(shareOf(false) * 1.2);
    expect(shareOf(true)).toBeCloseTo(chanceOf(true), 1);
    expect(shareOf(false)).toBeCloseTo(chanceOf(false), 1);
  });

  it("are none without a verdict, and all if more are wanted than there are", () => {
    expect(
      planLabels([makeRow({ system: "a", exampleId: 1, outcome: "error", errorCategory: "api_error" })], {
        count: 5,
        seed: 0,
      }),
    ).toEqual([]);
    const rows = simulate({ tasks: 12 }).map(({ row }) => row);
    expect(planLabels(rows, { count: 60, seed: 0 })).toHaveLength(12);
  });
});

describe("corrected pass rates", () => {
  it.each([0.6, 0.85, 0.95])("contain the truth in 92 of 100 runs or more with a judge of accuracy %s", (accuracy) => {
    const runs = 400;
    let [covered, biased] = [0, 0];
    for (let seed = 0; seed < runs; seed++) {
      const answers = simulate({ accuracy, seed });
      const [found] = correctPassRates(
        answers.map(({ row }) => row),
        label(answers, 60, seed),
      );
      const { low, high } = found?.corrected ?? { low: null, high: null };
      if (low !== null && high !== null && low <= 0.7 && 0.7 <= high) covered += 1;
      biased += (found?.judgeAlone ?? 0) / runs;
    }
    // What the judge alone says is off by up to 0.16.
    expect(biased).toBeCloseTo(0.7 * accuracy + 0.3 * (1 - accuracy), 1);
    expect(covered / runs).toBeGreaterThan(0.92);
  });

  it("are narrower than those of the labels alone if the judge is good", () => {
    const answers = simulate({ accuracy: 0.95, tasks: 1000 });
    const [found] = correctPassRates(
      answers.map(({ row }) => row),
      label(answers, 100, 1),
    );
    expect(found?.effectiveLabels).toBeGreaterThan(150);
    expect(found?.neededLabels).toBeGreaterThan(20);
  });

  it("need a few labels", () => {
    const answers = simulate({ tasks: 50 });
    const [found] = correctPassRates(
      answers.map(({ row }) => row),
      label(answers, MIN_LABELS - 1, 1),
    );
    expect(found).toMatchObject({ corrected: null, reason: "9 labels are too few: at least 10 are needed" });
  });
});

it("corrects a difference by examples that are labeled on both sides", () => {
  const runs = 200;
  let covered = 0;
  for (let seed = 0; seed < runs; seed++) {
    const [a, b] = [simulate({ system: "a", rate: 0.6, seed }), simulate({ system: "b", rate: 0.8, seed })];
    const labels = label([...a, ...b], 120, seed);
    const own = (answers: readonly Answer[], system: string) => ({
      rows: answers.map(({ row }) => row),
      labels: labels.filter((each) => each.system === system),
    });
    const { corrected, judgeAlone } = correctDifference(own(a, "a"), own(b, "b"));
    // The judge makes a difference of 0.2 look like 0.14.
    expect(judgeAlone).toBeLessThan(0.3);
    if ((corrected?.low ?? 1) <= 0.2 && (corrected?.high ?? 0) >= 0.2) covered += 1;
  }
  expect(covered / runs).toBeGreaterThan(0.92);
});

describe("labels of another set", () => {
  const rows = simulate({ tasks: 400 }).map(({ row }) => row);
  const judged = (n: number, isRight: boolean, isPassed: boolean) =>
    Array.from({ length: n }, () => ({ isRight, isPassed }));

  it("correct by how often the judge was wrong there", () => {
    const labels = [
      ...judged(170, true, true),
      ...judged(30, true, false),
      ...judged(15, false, true),
      ...judged(85, false, false),
    ];
    const [found] = correctByOtherLabels(rows, labels);
    const expected = ((found?.judgeAlone ?? 0) + 0.85 - 1) / (0.85 + 0.85 - 1);
    expect(found?.corrected?.value).toBeCloseTo(expected, 10);
    expect(found).toMatchObject({ method: "rogan-gladen", labels: 300 });
  });

  it("do not correct a judge that is no better than a coin, or without wrong answers", () => {
    const coin = [true, false].flatMap((isRight) => [...judged(50, isRight, true), ...judged(50, isRight, false)]);
    expect(correctByOtherLabels(rows, coin)[0]?.reason).toContain("hardly better than a coin");
    expect(correctByOtherLabels(rows, judged(9, true, true))[0]?.reason).toContain("right and answers that are wrong");
  });
});
