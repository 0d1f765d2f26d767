import { describe, expect, it } from "vitest";
import { quantile } from "./quantile.js";
import { createRandom, type Random } from "./random.js";
import { type TaskValues, taskResampler } from "./task-resampler.js";
import { gammaVariate } from "./variates.js";

/** Draws tasks one by one and sorts all their values. */
function plainly(tasks: TaskValues, p: number): (random: Random) => number {
  return (random) =>
    quantile(
      tasks.flatMap(() => tasks[random.int(tasks.length)] ?? []),
      p,
    );
}

/** Kolmogorov's distance of two samples, in units in which 1.95 has a chance of 0.001. */
function distance(first: Float64Array, second: Float64Array): number {
  const shareUpTo = (sorted: Float64Array, x: number) => sorted.filter((value) => value <= x).length / sorted.length;
  const gaps = Array.from(first, (x) => Math.abs(shareUpTo(first, x) - shareUpTo(second, x)));
  return Math.max(...gaps) * Math.sqrt((first.length * second.length) / (first.length + second.length));
}

function tasksOf(n: number, sizeOf: (index: number) => number): number[][] {
  const random = createRandom(n);
  return Array.from({ length: n }, (_, i) => {
    const difficulty = gammaVariate(2, random);
    return Array.from({ length: sizeOf(i) }, () => difficulty * gammaVariate(5, random));
  });
}

describe("taskResampler", () => {
  it("repeats the plain bootstrap draw by draw where every task contends", () => {
    const tasks = tasksOf(20, (i) => 1 + (i % 3));
    const [ours, plain] = [taskResampler(tasks, 0.5).next, plainly(tasks, 0.5)];
    const [random, same] = [createRandom(1), createRandom(1)];
    for (let i = 0; i < 200; i++) expect(ours(random)).toBe(plain(same));
  });

  it.each([
    ["even", 0.5, tasksOf(1500, () => 2)],
    ["even", 0.95, tasksOf(1500, () => 2)],
    ["of different sizes", 0.9, tasksOf(1500, (i) => 1 + (i % 4))],
    ["tied", 0.9, tasksOf(1500, () => 2).map((task) => task.map((value) => Math.round(value / 4)))],
  ] as const)("has the distribution of the plain bootstrap for tasks that are %s at p = %d", (_, p, tasks) => {
    const { next, cost } = taskResampler(tasks, p);
    const [random, other] = [createRandom("ours"), createRandom("plain")];
    const plain = plainly(tasks, p);
    const ours = Float64Array.from({ length: 300 }, () => next(random));
    const theirs = Float64Array.from({ length: 300 }, () => plain(other));
    expect(distance(ours, theirs)).toBeLessThan(1.95);
    expect(cost).toBeLessThan(tasks.length + tasks.flat().length);
  });
});
