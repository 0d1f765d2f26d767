import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { evaluate } from "../evaluate.js";
import { AnswerQuality } from "../evaluators/index.js";
import { ReplaySystem } from "../systems/index.js";

const dir = mkdtempSync(join(tmpdir(), "replayed-time-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const EXAMPLES = Array.from({ length: 4 }, (_, id) => ({ id, question: `q ${id}`, answer: "yes" }));

function replay(latencies: readonly (number | null)[], more: { cacheDir?: string } = {}) {
  const records = latencies.map((latency, id) => ({ id, response: "yes", latency }));
  const system = new ReplaySystem({ name: "recorded", records });
  return evaluate({ systems: [system], dataset: EXAMPLES, evaluators: [new AnswerQuality()], ...more });
}

describe("a replayed output", () => {
  it("keeps its recorded time in latency, duration, time to success and efficiency", async () => {
    const { rows, summary } = await replay([0.787, 0.787, 30.25, 59.713]);
    expect(rows.map(({ latency, durationMs }) => [latency, durationMs])).toEqual([
      [0.787, 787],
      [0.787, 787],
      [30.25, 30_250],
      [59.713, 59_713],
    ]);
    expect(summary.recorded).toMatchObject({
      median_time_to_success_ms: (787 + 30_250) / 2,
      speed_efficiency_score: 1 / (1 + (787 + 30_250) / 2 / 60_000),
    });
  });

  it("has no time if none was recorded, rather than the time of reading it", async () => {
    for (const latencies of [
      [null, null, null, null],
      [0, 0, 0, 0],
    ]) {
      const { rows, summary } = await replay(latencies);
      expect(rows.map(({ latency, durationMs }) => [latency, durationMs])).toEqual(Array(4).fill([null, null]));
      expect(summary.recorded).toMatchObject({
        pass_rate: 1,
        latency_mean_n: 0,
        median_time_to_success_ms: null,
        speed_efficiency_score: null,
        time_to_success_fallback: 0,
      });
    }
  });

  it("counts only outputs with a time", async () => {
    const { summary } = await replay([null, 2, null, 4]);
    expect(summary.recorded).toMatchObject({ latency_mean: 3, latency_mean_n: 2, median_time_to_success_ms: 3000 });
  });

  it("does so with a cache, too", async () => {
    for (let turn = 0; turn < 2; turn++) {
      const { rows } = await replay([null, 2, null, 4], { cacheDir: join(dir, "cache") });
      expect(rows.map(({ durationMs }) => durationMs)).toEqual([null, 2000, null, 4000]);
    }
  });
});
