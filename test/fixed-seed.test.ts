import fc from "fast-check";
import { expect, it } from "vitest";

it("draws the same cases again", () => {
  const draw = () => fc.sample(fc.array(fc.string()), 20);
  expect(draw()).toEqual(draw());
});
