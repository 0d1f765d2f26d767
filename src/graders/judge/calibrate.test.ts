import { describe, expect, it } from "vitest";
import { calibrateJudge } from "./calibrate.js";
import type { Calibration } from "./calibration.js";
import { listFindings } from "./calibration.js";
import type { LabelRow } from "./labels.js";
import { LLMJudge } from "./llm-judge.js";
import { createScriptedJudge, extractTagged, type ScriptedJudge } from "./scripted-judge.js";

const wordsOf = (calibration: Calibration) =>
  Object.fromEntries(listFindings(calibration).map(({ figure, words }) => [figure, words]));

/** Repeats the verdict in the response: rows are written as "pass …" or "fail …". */
const literal = createScriptedJudge((message) => {
  const [said = ""] = (extractTagged("answer", message)[0] ?? "").split(" ");
  return JSON.stringify({ reasoning: "So it says.", cannot_judge: said === "unsure", verdict: said });
});

const rows = (count: number, response: string, label: LabelRow["label"]): LabelRow[] =>
  Array.from({ length: count }, (_, i) => ({ question: `${response} ${i}?`, response: `${response} ${i}`, label }));

describe("calibrating a judge of single answers", () => {
  it("computes accuracy, kappa and confusion as worked out by hand", async () => {
    // 20 and 15 agree of 50: pₒ = 0.7, pₑ = 0.5·0.6 + 0.5·0.4 = 0.5, kappa 0.4.
    const labels = [...rows(20, "fail", 0), ...rows(5, "pass", 0), ...rows(10, "fail", 1), ...rows(15, "pass", 1)];
    const calibration = await calibrateJudge({ judge: new LLMJudge({ model: literal }), labels });
    expect(calibration).toMatchObject({
      scale: "binary",
      labels: 50,
      judged: 50,
      notJudged: 0,
      failed: 0,
      position: null,
    });
    const { agreement } = calibration;
    expect(agreement).toMatchObject({
      categories: ["fail", "pass"],
      confusion: [
        [20, 5],
        [10, 15],
      ],
      quadraticKappa: null,
    });
    expect(agreement?.accuracy).toMatchObject({ value: 0.7, n: 50 });
    // Wilson for 35 of 50.
    expect(agreement?.accuracy.low).toBeCloseTo(0.5625, 3);
    expect(agreement?.accuracy.high).toBeCloseTo(0.809, 3);
    expect(agreement?.kappa.value).toBeCloseTo(0.4, 12);
    expect(agreement?.kappa.low).toBeGreaterThan(0.1);
    expect(agreement?.kappa.high).toBeLessThan(0.7);
    expect(agreement?.meanDifference?.value).toBeCloseTo(-0.1, 12);
    expect(calibration.costUsd).toBeCloseTo(0.5, 9);
    expect(wordsOf(calibration)).toMatchObject({
      accuracy: "agrees with people on 70 % of 50 rows",
      "Cohen's kappa": "weak agreement beyond chance",
      "judge − people": expect.stringContaining("no significant difference in strictness"),
    });
  });

  it("gives a null kappa, not NaN, for a single label", async () => {
    const calibration = await calibrateJudge({ judge: new LLMJudge({ model: literal }), labels: rows(4, "pass", 1) });
    expect(calibration.agreement?.kappa).toEqual({ value: null, low: null, high: null, n: 4 });
    expect(JSON.stringify(calibration)).not.toContain("NaN");
    expect(wordsOf(calibration)["Cohen's kappa"]).toContain("not defined");
    const mixed = [...rows(3, "pass", 1), ...rows(2, "fail", 1)];
    const oneSided = await calibrateJudge({ judge: new LLMJudge({ model: literal }), labels: mixed });
    expect(oneSided.agreement?.kappa.value).toBe(0);
    expect(wordsOf(oneSided)["Cohen's kappa"]).toBe("says little: people gave every row the same label");
  });

  it("draws no conclusions from a few rows", async () => {
    const model = createScriptedJudge(() => JSON.stringify({ reasoning: "So.", cannot_judge: false, score: 5 }));
    const labels = [1, 5, 2].map((label, i): LabelRow => ({ response: "x".repeat(9 - 2 * i), label }));
    const calibration = await calibrateJudge({ judge: new LLMJudge({ model, scale: "1-5" }), labels });
    const none = { low: null, high: null, n: 3 };
    expect(calibration.agreement).toMatchObject({ accuracy: none, kappa: none, quadraticKappa: none });
    expect(calibration.agreement?.meanDifference).toMatchObject({ value: expect.closeTo(7 / 3, 12), ...none });
    expect(calibration.length).toMatchObject({ correlation: none, longerHalf: none });
    for (const { estimate, words } of listFindings(calibration)) {
      expect(estimate.low).toBeNull();
      expect(words).toContain("too few to tell");
    }
    expect(wordsOf(calibration).accuracy).toBe("agrees with people on 33.3 % of 3 rows, too few to tell");
  });

  it("gives intervals from ten rows on", async () => {
    const judge = new LLMJudge({ model: literal });
    const nine = await calibrateJudge({ judge, labels: [...rows(4, "fail", 0), ...rows(5, "pass", 1)] });
    const ten = await calibrateJudge({ judge, labels: [...rows(5, "fail", 0), ...rows(5, "pass", 1)] });
    expect(nine.agreement?.accuracy).toEqual({ value: 1, low: null, high: null, n: 9 });
    expect(ten.agreement?.accuracy).toMatchObject({ value: 1, low: expect.closeTo(0.7225, 3), high: 1, n: 10 });
    expect(wordsOf(nine)["Cohen's kappa"]).toBe("too few to tell: 9 rows");
    expect(wordsOf(ten)["Cohen's kappa"]).toBe("very good agreement beyond chance");
  });

  it("counts rows that could not be judged with their reasons, and lists bad rows", async () => {
    const labels = [...rows(2, "pass", 1), ...rows(1, "unsure", 1), { response: "x", label: "maybe" }, { label: 1 }];
    const calibration = await calibrateJudge({ judge: new LLMJudge({ model: literal }), labels });
    expect(calibration).toMatchObject({
      labels: 3,
      judged: 2,
      notJudged: 1,
      reasons: ["the judge says it cannot judge: So it says."],
      badRows: [
        { row: 4, problem: expect.stringContaining('must be "pass" or "fail"') },
        { row: 5, problem: 'has no "response"' },
      ],
    });
    await expect(calibrateJudge({ judge: new LLMJudge({ model: literal }), labels: [{ label: 1 }] })).rejects.toThrow(
      'No label row can be used. Row 1 has no "response".',
    );
  });

  it("detects a length bias", async () => {
    const lengths = Array.from({ length: 60 }, (_, i) => i + 1);
    const labels = lengths.map((length): LabelRow => ({ response: "x".repeat(length), label: 3 }));
    const model = createScriptedJudge((message) => {
      const { length } = extractTagged("answer", message)[0] ?? "";
      return JSON.stringify({ reasoning: "Long.", cannot_judge: false, score: length > 40 ? 5 : length > 20 ? 3 : 1 });
    });
    const calibration = await calibrateJudge({ judge: new LLMJudge({ model, scale: "1-5" }), labels });
    const { length, agreement } = calibration;
    expect(length?.kind === "single" && length.correlation.value).toBeGreaterThan(0.9);
    // Shorter half: 20 × −2 and 10 × 0; longer half: 10 × 0 and 20 × 2.
    expect(length?.kind === "single" && length.longerHalf.value).toBeCloseTo(8 / 3, 12);
    expect(agreement?.meanDifference?.value).toBeCloseTo(0, 12);
    expect(agreement?.confusion[2]).toEqual([20, 0, 20, 0, 20]);
    expect(agreement?.quadraticKappa?.value).toBe(0);
    expect(wordsOf(calibration)["length correlation"]).toBe("favors longer answers more than people do");
  });

  it("omits the length bias if all answers are equally long", async () => {
    const labels = ["pass a", "fail a"].map((response) => ({ response, label: 1 }));
    const calibration = await calibrateJudge({ judge: new LLMJudge({ model: literal }), labels });
    expect(calibration.length).toMatchObject({ correlation: { value: null }, longerHalf: { value: null } });
  });

  it("gives the same figures whichever answer comes first", async () => {
    const slow = (seed: number): ScriptedJudge => ({
      ...literal,
      ask: async (request, signal) => {
        const answer = await literal.ask(request, signal);
        await new Promise((resolve) => setTimeout(resolve, ((answer.response?.length ?? 0) * seed) % 7));
        return answer;
      },
    });
    const labels = [...rows(9, "fail", 0), ...rows(5, "pass", 0), ...rows(7, "pass", 1)];
    const [one, two] = await Promise.all(
      [3, 5].map((seed) => calibrateJudge({ judge: new LLMJudge({ model: slow(seed) }), labels })),
    );
    expect({ ...one, costUsd: 0 }).toEqual({ ...two, costUsd: 0 });
  });

  it("reports partial results when it is stopped", async () => {
    const controller = new AbortController();
    const labels = rows(30, "pass", 1);
    const calibration = await calibrateJudge({
      judge: new LLMJudge({ model: literal, maxWorkers: 1 }),
      labels,
      signal: controller.signal,
      onProgress: ({ done, total }) => {
        expect(total).toBe(30);
        if (done === 7) controller.abort();
      },
    });
    expect(calibration).toMatchObject({ judged: 7, notAsked: 23, agreement: { accuracy: { value: 1, n: 7 } } });
  });

  it("counts rows whose judge could not be reached", async () => {
    const model = {
      name: "down",
      ask: () => {
        throw new Error("down");
      },
    };
    const calibration = await calibrateJudge({ judge: new LLMJudge({ model }), labels: rows(2, "pass", 1) });
    expect(calibration).toMatchObject({
      judged: 0,
      failed: 2,
      agreement: null,
      costUsd: null,
      reasons: ["The judge failed. down"],
    });
    expect(listFindings(calibration)).toEqual([]);
  });
});

describe("calibrating a judge of pairs", () => {
  const verdict = (winner: string) => JSON.stringify({ reasoning: "So.", cannot_judge: false, winner });
  const pairOf = (a: string, b: string, label: string): LabelRow => ({ response_a: a, response_b: b, label });
  const calibrated = (model: ScriptedJudge, labels: readonly LabelRow[]) =>
    calibrateJudge({ judge: new LLMJudge({ model, pairwise: true }), labels });

  it("detects a judge that always prefers the first", async () => {
    const labels = Array.from({ length: 40 }, (_, i) => pairOf(`a${i}`, `b${i}${"x".repeat(i)}`, i % 2 ? "a" : "b"));
    const calibration = await calibrated(
      createScriptedJudge(() => verdict("A")),
      labels,
    );
    expect(calibration.position).toMatchObject({
      firstShown: { value: 1, n: 80 },
      flipped: { value: 1, n: 40 },
      contradicted: { value: 1, n: 40 },
    });
    expect(calibration.agreement).toMatchObject({
      categories: ["b", "tie", "a"],
      confusion: [
        [0, 20, 0],
        [0, 0, 0],
        [0, 20, 0],
      ],
    });
    expect(wordsOf(calibration)["first shown wins"]).toContain("favors the answer shown first");
    expect(calibration.length).toMatchObject({ kind: "pairwise", difference: { value: null, n: 0 } });
  });

  it("does not report a bias from two pairs", async () => {
    const first = createScriptedJudge(() => verdict("A"));
    const calibration = await calibrated(first, [pairOf("a", "bb", "a"), pairOf("cc", "d", "b")]);
    expect(calibration.position).toEqual({
      firstShown: { value: 1, low: null, high: null, n: 4 },
      flipped: { value: 1, low: null, high: null, n: 2 },
      contradicted: { value: 1, low: null, high: null, n: 2 },
    });
    expect(wordsOf(calibration)).toMatchObject({
      "first shown wins": "too few to tell: 4 decided verdicts",
      "flips when swapped": "the verdict changes with the order for 100 % of 2 pairs, too few to tell",
    });
  });

  it("computes intervals over pairs, not over verdicts or judges", async () => {
    const labels = Array.from({ length: 12 }, (_, i) => pairOf(`a${i}`, `b${i}`, "a"));
    const models = [1, 2, 3].map((n) => ({ ...createScriptedJudge(() => verdict("A")), name: `judge ${n}` }));
    const { position } = await calibrateJudge({ judge: new LLMJudge({ models, pairwise: true }), labels });
    // Wilson for 12 of 12.
    const interval = { value: 1, low: expect.closeTo(0.7575, 3), high: 1 };
    expect(position).toEqual({
      firstShown: { ...interval, n: 72 },
      flipped: { ...interval, n: 36 },
      contradicted: { ...interval, n: 36 },
    });
  });

  it("detects a judge that always prefers the longer answer", async () => {
    const longer = createScriptedJudge((message) => {
      const [a, b] = [extractTagged("answer-a", message)[0] ?? "", extractTagged("answer-b", message)[0] ?? ""];
      return verdict(a.length > b.length ? "A" : "B");
    });
    const labels = Array.from({ length: 40 }, (_, i) => pairOf(`short${i}`, `rather long ${i}`, i % 2 ? "a" : "b"));
    const calibration = await calibrated(longer, labels);
    expect(calibration.position).toMatchObject({ firstShown: { value: 0.5 }, flipped: { value: 0 } });
    expect(calibration.length).toMatchObject({
      judge: { value: 1, n: 40 },
      people: { value: 0.5 },
      difference: { value: 0.5 },
    });
    expect(wordsOf(calibration)).toMatchObject({
      "longer wins: judge": "prefers the longer answer more often than people do: 100 % vs 50 %, n = 40",
      "first shown wins": expect.stringContaining("no significant position bias"),
    });
    expect(calibration.agreement?.accuracy.value).toBe(0.5);
    expect(calibration.agreement?.meanDifference).toBeNull();
  });
});

describe("maxCostUsd", () => {
  it.each([
    [0.1, 10],
    [0.045, 4],
    [0.001, 1],
  ])("of %d stops before it is exceeded, at %d labels of a cent each", async (maxCostUsd, judged) => {
    const judge = new LLMJudge({ model: literal, maxWorkers: 3 });
    const calibration = await calibrateJudge({ judge, labels: rows(30, "pass", 1), maxCostUsd });
    expect(calibration).toMatchObject({ judged, notAsked: 30 - judged });
    expect(calibration.costUsd).toBeCloseTo(judged * 0.01, 9);
    expect(calibration.reasons).toEqual(["judging the rest might exceed the cost limit"]);
  });

  it("changes nothing if it is high enough", async () => {
    const judge = new LLMJudge({ model: literal });
    const calibration = await calibrateJudge({ judge, labels: rows(5, "pass", 1), maxCostUsd: 1 });
    expect(calibration).toMatchObject({ judged: 5, notAsked: 0, reasons: [] });
  });
});
