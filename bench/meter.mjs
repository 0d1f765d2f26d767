// The meter is called for every event of a stream: what one call costs, and what it leaves to be collected.
import { CostBudget } from "../dist/lib/index.js";

const CALLS = 5_000_000;
const ROUNDS = 5;

function nanoseconds(call) {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const started = process.hrtime.bigint();
    for (let i = 0; i < CALLS; i++) call(i);
    best = Math.min(best, Number(process.hrtime.bigint() - started) / CALLS);
  }
  return best;
}

export function measure() {
  const pricing = { input_per_1k: 0.0003, output_per_1k: 0.0012, cache_read_per_1k: 0.00003 };
  const budget = new CostBudget({ pricing, maxCostUsd: 1e6 });
  const usage = { input: 3, output: 1, cacheRead: 2 };
  const before = process.memoryUsage().heapUsed;
  const add = nanoseconds(() => budget.add(usage));
  const estimate = nanoseconds((i) => budget.estimate(i & 1023));
  const bytes = Math.max(0, process.memoryUsage().heapUsed - before) / (2 * CALLS * ROUNDS);
  return [
    ["one `add` to a trial's budget", "nanoseconds, nothing allocated", `${add.toFixed(0)} ns, ${bytes.toFixed(2)} B`],
    ["one `estimate`", "nanoseconds", `${estimate.toFixed(0)} ns`],
  ];
}
