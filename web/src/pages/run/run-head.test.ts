import { expect, test } from "vitest";
import { formatPassRule } from "./run-head.js";

test("names the field that decides: the requested one, else those of the datasets", () => {
  const format = (scoreField: string, ...fields: (string | null)[]) =>
    formatPassRule({ scoreField, threshold: 0.7, datasets: fields.map((primaryField) => ({ primaryField })) });
  expect(format("score", "contains")).toBe("contains ≥ 0.7");
  expect(format("score", "contains", "f1", "contains")).toBe("contains or f1 ≥ 0.7");
  expect(format("f1", "contains")).toBe("f1 ≥ 0.7");
  expect(format("score", null)).toBe("score ≥ 0.7");
  expect(format("score")).toBe("score ≥ 0.7");
});
