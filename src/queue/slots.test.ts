import { expect, it } from "vitest";
import { Rate } from "./rate.js";
import { Slots } from "./slots.js";

it("gives places in the order they are asked for, and never more than there are", async () => {
  const slots = new Slots(2);
  const order: number[] = [];
  const take = async (who: number) => {
    await slots.take();
    order.push(who);
  };
  const all = [1, 2, 3, 4].map(take);
  await new Promise((resolve) => setImmediate(resolve));
  expect(order).toEqual([1, 2]);
  slots.give();
  slots.give();
  await Promise.all(all);
  expect(order).toEqual([1, 2, 3, 4]);
  slots.give();
  slots.give();
  await Promise.all([take(5), take(6)]);
  expect(order).toEqual([1, 2, 3, 4, 5, 6]);
});

it("tells a rate over the last ten seconds", () => {
  const rate = new Rate();
  expect(rate.at(0, 0)).toBe(0);
  expect(rate.at(1000, 50)).toBe(50);
  expect(rate.at(9000, 100)).toBe(11.1);
  // What was before is forgotten.
  expect(rate.at(12_000, 100)).toBe(0);
});
