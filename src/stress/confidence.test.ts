import { describe, expect, it } from "vitest";
import { askConfidence, CONFIDENCE_INSTRUCTION, takeConfidence } from "./confidence.js";

describe("takeConfidence", () => {
  it.each([
    ["Paris\nConfidence: 85%", "Paris", 0.85],
    ["Paris\n\n**Confidence:** 90 %\n", "Paris", 0.9],
    ["Paris\nconfidence = 0.7", "Paris", 0.7],
    ["Paris\nConfidence: 1", "Paris", 1],
    ["Paris\nConfidence: 70", "Paris", 0.7],
    ["Paris\nConfidence level: 0%", "Paris", 0],
    ["Paris. (Confidence: 12.5%)", "Paris.", 0.125],
    ["Paris. Confidence: 99%.", "Paris.", 0.99],
    ["Confidence: 10%\nNo, wait.\nConfidence: 60%\nParis", "Confidence: 10%\nNo, wait.\nParis", 0.6],
  ])("reads it from %j and removes it", (response, kept, confidence) => {
    expect(takeConfidence({ response })).toEqual({ response: kept, confidence });
  });

  it.each(["Paris", "Confidence: high", "Confidence: 140%", "My confidence grew by 3% a year", "", "Confidence: -5%"])(
    "leaves %j as it is",
    (response) => {
      expect(takeConfidence({ response })).toEqual({ response });
    },
  );

  it("leaves outputs without a response", () => {
    expect(takeConfidence({ context: "Confidence: 80%" })).toEqual({ context: "Confidence: 80%" });
  });
});

it("asks at the end of the question, or of the last turn", () => {
  expect(askConfidence({ id: 1, question: "Where?" }).question).toBe(`Where?\n\n${CONFIDENCE_INSTRUCTION}`);
  const turns = [{ role: "user", content: "Where?" }];
  expect(askConfidence({ id: 1, turns }).turns?.[0]?.content).toContain(CONFIDENCE_INSTRUCTION);
  expect(askConfidence({ id: 1, context: "Only this" })).toEqual({ id: 1, context: "Only this" });
});
