import { expect, it } from "vitest";
import { type Price, selectPrices } from "./price.js";

const EACH = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1, cacheWrite1h: 1 };

it("selects the highest tier that the prompt exceeds", () => {
  const [long, longest] = [
    { ...EACH, input: 2, over: 100 },
    { ...EACH, input: 3, over: 1000 },
  ];
  const price: Price = { ...EACH, source: "test", tiers: [long, longest] };
  expect([0, 100, 101, 1000, 1001].map((prompt) => selectPrices(price, prompt).input)).toEqual([1, 1, 2, 2, 3]);
  expect(selectPrices({ ...EACH, source: "test" }, 1e9).input).toBe(1);
});
