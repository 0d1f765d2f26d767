import { describe, expect, it } from "vitest";
import { passRateInterval, wilsonInterval } from "./intervals.js";
import { mean } from "./mean.js";
import { passAtK, passCurves, passToTheK, type TaskCounts } from "./pass-at-k.js";

/** The published airline run: how many of 50 tasks passed 0, 1, 2, 3 and 4 of their 4 trials. */
const AIRLINE: TaskCounts[] = [14, 12, 10, 4, 10].flatMap((tasks, c) =>
  Array.from({ length: tasks }, () => ({ n: 4, c })),
);

describe("passCurves", () => {
  it("reproduces the airline reference point, which p^k misses", () => {
    const curve = passCurves(AIRLINE);
    expect(AIRLINE).toHaveLength(50);
    expect(curve.map((point) => point.passHatK.toFixed(3))).toEqual(["0.420", "0.273", "0.220", "0.200"]);
    const plugIn = (k: number) => mean(AIRLINE.map(({ n, c }) => passToTheK(c / n, k)));
    expect(plugIn(2)).toBeCloseTo(0.31, 10);
    expect(plugIn(3)).toBeCloseTo(0.2625, 10);
    expect(plugIn(4)).toBeCloseTo(0.23875, 10);
  });

  it("uses only the tasks with enough trials and counts them", () => {
    const curve = passCurves([
      { n: 1, c: 1 },
      { n: 3, c: 1 },
      { n: 3, c: 3 },
      { n: 4, c: 2 },
    ]);
    expect(curve.map(({ k, tasks }) => [k, tasks])).toEqual([
      [1, 4],
      [2, 3],
      [3, 3],
      [4, 1],
    ]);
    expect(curve[1]?.passAtK).toBeCloseTo((passAtK(3, 1, 2) + 1 + passAtK(4, 2, 2)) / 3, 12);
    expect(curve[3]?.passAtKInterval).toBeNull();
    expect(curve[3]?.passHatKInterval).toBeNull();
  });

  it("has the interval of the pass rate at k = 1", () => {
    const [first] = passCurves(AIRLINE);
    const { low, high } = passRateInterval(
      AIRLINE.map(({ n, c }) => c / n),
      200,
    );
    expect(first?.passAtKInterval?.low).toBeCloseTo(low ?? Number.NaN, 12);
    expect(first?.passHatKInterval?.high).toBeCloseTo(high ?? Number.NaN, 12);
    const [single] = passCurves([
      { n: 1, c: 1 },
      { n: 1, c: 0 },
    ]);
    expect(single?.passAtKInterval).toEqual(wilsonInterval(1, 2));
  });

  it("has some width if all tasks agree", () => {
    const curve = passCurves([0, 1, 2].map(() => ({ n: 2, c: 2 })));
    for (const { passHatK, passHatKInterval } of curve) {
      expect(passHatK).toBe(1);
      expect(passHatKInterval?.low).toBeLessThan(0.5);
      expect(passHatKInterval?.high).toBe(1);
    }
  });

  it("increases for pass@k and decreases for pass^k if all tasks have the same number of trials", () => {
    const curve = passCurves(AIRLINE);
    curve.slice(1).forEach((point, i) => {
      expect(point.passAtK).toBeGreaterThanOrEqual(curve[i]?.passAtK ?? 1);
      expect(point.passHatK).toBeLessThanOrEqual(curve[i]?.passHatK ?? 0);
    });
  });

  it("returns an empty list without tasks and names impossible counts", () => {
    expect(passCurves([])).toEqual([]);
    expect(() => passCurves([{ n: 2, c: 3 }])).toThrow(/^c must/);
  });

  it("treats clusters as independent units, for each k over the tasks with enough trials", () => {
    const tasks = [
      { n: 2, c: 2 },
      { n: 2, c: 2 },
      { n: 2, c: 0 },
      { n: 2, c: 1 },
      { n: 1, c: 1 },
    ];
    const clusters = ["a", "a", "b", "b", "c"];
    const [plain, clustered] = [passCurves(tasks), passCurves(tasks, { clusters })];
    expect(clustered.map(({ tasks, clusters }) => [tasks, clusters])).toEqual([
      [5, 3],
      [4, 2],
    ]);
    expect(clustered.map(({ passHatK }) => passHatK)).toEqual(plain.map(({ passHatK }) => passHatK));
    const first = passRateInterval([1, 1, 0, 0.5, 1], 9, { clusters });
    expect(clustered[0]?.passAtKInterval).toEqual({ low: first.low, high: first.high });
    const second = passRateInterval([1, 1, 0, 0], 8, { clusters: clusters.slice(0, 4) });
    expect(clustered[1]?.passHatKInterval).toEqual({ low: second.low, high: second.high });
    expect(plain[0]).not.toHaveProperty("clusters");
    expect(passCurves(tasks, { clusters: tasks.map(() => 1) })[0]).toMatchObject({
      passAtKInterval: null,
      clusters: 1,
    });
    expect(() => passCurves(tasks, { clusters: ["a"] })).toThrow(/^tasks and clusters must/);
  });
});
