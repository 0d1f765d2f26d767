import { expect, test } from "vitest";
import { passRule } from "./pass-rule.js";

test("the field that decides is named: the one that was asked for, else those of the datasets", () => {
  const ruleOf = (scoreField: string, ...fields: (string | null)[]) =>
    passRule({ scoreField, threshold: 0.7, datasets: fields.map((primaryField) => ({ primaryField })) });
  expect(ruleOf("score", "contains")).toBe("contains ≥ 0.7");
  expect(ruleOf("score", "contains", "f1", "contains")).toBe("contains or f1 ≥ 0.7");
  expect(ruleOf("f1", "contains")).toBe("f1 ≥ 0.7");
  expect(ruleOf("score", null)).toBe("score ≥ 0.7");
  expect(ruleOf("score")).toBe("score ≥ 0.7");
});
