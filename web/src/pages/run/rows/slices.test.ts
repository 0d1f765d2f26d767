import { expect, test } from "vitest";
import { runInSlices } from "./slices.js";

function* busy(steps: number): Generator<void, number> {
  for (let step = 0; step < steps; step++) {
    const until = performance.now() + 3;
    while (performance.now() < until);
    yield;
  }
  return steps;
}

test("long work lets others have a turn, and gives its result", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++);
  const result = await runInSlices(busy(20), new AbortController().signal);
  clearInterval(timer);
  expect(result).toBe(20);
  expect(turns).toBeGreaterThan(1);
});

test("work that nobody wants any more is given up", async () => {
  const gone = new AbortController();
  const work = runInSlices(busy(1000), gone.signal);
  gone.abort();
  await expect(work).rejects.toThrow(/abort/i);
});
