import { describe, expect, it } from "vitest";
import type { Evaluator, Scores } from "../core/evaluator.js";
import { bindEvaluators, type DatasetPlanOptions, findPrimaryField } from "./dataset-plan.js";

const silent: Evaluator = { name: "silent", score: () => ({}) };
const declaring: Evaluator = {
  name: "declaring",
  score: () => ({}),
  fields: ["f1", "contains"],
  primaryFields: ["f1", "contains"],
};

function primary(options: Partial<DatasetPlanOptions>, scores: Scores, first: Scores | null = scores): string | null {
  const datasetPlan = bindEvaluators({
    dataset: { name: "" },
    evaluators: [silent],
    metrics: [],
    scoreField: "score",
    ...options,
  });
  return findPrimaryField(datasetPlan, scores, first);
}

describe("findPrimaryField", () => {
  it("returns the field that the run names, or null", () => {
    expect(primary({ scoreField: "f1" }, { score: 1, f1: 0.5 })).toBe("f1");
    expect(primary({ scoreField: "f1" }, { score: 1, em: 1 })).toBeNull();
  });

  it("prefers the evaluator's own score over declared fields", () => {
    expect(primary({ evaluators: [declaring] }, { f1: 1, score: 0 })).toBe("score");
    expect(primary({ dataset: { name: "", primaryField: "f1" } }, { f1: 1, score: 0 })).toBe("score");
  });

  it("returns the dataset's field, then the fallbacks of its evaluator", () => {
    const dataset = { name: "d", primaryField: "contains" };
    expect(primary({ dataset, evaluators: [declaring] }, { f1: 1, contains: 0 })).toBe("contains");
    expect(primary({ dataset, evaluators: [declaring] }, { f1: 1 })).toBe("f1");
    expect(primary({ dataset, evaluators: [declaring] }, { em: 1 })).toBeNull();
  });

  it("returns the first declared field that a row has", () => {
    expect(primary({ evaluators: [silent, declaring] }, { other: 1, contains: 1, f1: 0 })).toBe("f1");
    expect(primary({ evaluators: [silent, declaring] }, { other: 1, contains: 1 })).toBe("contains");
    expect(primary({ evaluators: [silent, declaring] }, { other: 1 })).toBeNull();
  });

  it("returns the first evaluator's first field when nothing is declared", () => {
    expect(primary({}, { b: 1, a: 0 })).toBe("b");
    expect(primary({}, { later: 1 }, null)).toBeNull();
    expect(primary({}, { later: 1 }, {})).toBeNull();
  });

  it("ignores inherited properties", () => {
    expect(primary({ scoreField: "constructor" }, { f1: 1 })).toBeNull();
    const inherited: Evaluator = { name: "inherited", score: () => ({}), fields: ["toString", "f1"] };
    const dataset = { name: "", primaryField: "toString", evaluators: [inherited] };
    expect(primary({ dataset, evaluators: undefined }, { f1: 1 })).toBeNull();
  });

  it("ignores a dataset's field when the run's evaluators do not produce it", () => {
    const own: Evaluator = { name: "own", score: () => ({}), fields: ["quality"], primaryFields: ["quality"] };
    const dataset = { name: "d", primaryField: "contains", evaluators: [declaring] };
    expect(primary({ dataset, evaluators: [own] }, { quality: 1 })).toBe("quality");
    expect(primary({ dataset, evaluators: undefined }, { contains: 1, f1: 0 })).toBe("contains");
    const silent: Evaluator = { name: "silent", score: () => ({}) };
    expect(primary({ dataset, evaluators: [silent] }, { mine: 1 })).toBe("mine");
  });
});

describe("a dataset whose primary field no evaluator produces", () => {
  it("is rejected before the run", () => {
    const dataset = { name: "d", primaryField: "fl", evaluators: [declaring] };
    expect(() => primary({ dataset, evaluators: undefined }, {})).toThrow(
      'No evaluator for d produces the score field "fl". Did you mean "f1"?',
    );
  });

  it("gets a hint about the judge when only a judge produces it", () => {
    const dataset = { name: "alpaca", primaryField: "judge_score", evaluators: [declaring] };
    expect(() => primary({ dataset, evaluators: undefined }, {})).toThrow(
      'No evaluator for alpaca produces the score field "judge_score". It comes from a judge: name one with --judge-model',
    );
  });
});
