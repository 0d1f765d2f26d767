import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPrice } from "../budget/index.js";
import type { Limits } from "../core/price.js";
import { loadFile } from "../datasets/index.js";
import { evaluate } from "../evaluate.js";
import { ModelSystem } from "../systems/index.js";
import { makePng } from "../testing/images.js";
import { type Mock, type MockScript, startMock } from "../testing/mock/index.js";

let dir: string;
let mock: Mock;
const models: ModelSystem[] = [];

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "assay-images-"));
  for (const id of [1, 2, 3]) writeFileSync(join(dir, `${id}.png`), makePng(640, 640));
  const rows = [1, 2, 3].map((id) => JSON.stringify({ id, question: "Size?", answer: "fine", images: [`${id}.png`] }));
  writeFileSync(join(dir, "rows.jsonl"), rows.join("\n"));
  mock = await startMock({ reply: "fine" });
});
afterEach(async () => {
  for (const model of models.splice(0)) await model.close();
  await mock.close();
  rmSync(dir, { recursive: true, force: true });
});

const LIMITS: Limits = {
  price: createPrice({ input_per_1k: 0.001, output_per_1k: 0.001 }, "test"),
  maxCostUsd: null,
  hardTimeoutMs: null,
};

async function run(more: object = {}, limits = LIMITS) {
  const model = new ModelSystem({ name: "m", model: "gpt-4o", baseUrl: mock.url, maxTokens: 10, limits });
  models.push(model);
  const dataset = await loadFile(join(dir, "rows.jsonl"));
  return evaluate({ systems: [model], dataset, runsDir: join(dir, "runs"), ...more });
}

async function restartMock(script: MockScript): Promise<void> {
  await mock.close();
  mock = await startMock(script);
}

/** A question of two tokens and a hundred squares of 64 pixels. */
const USAGE = { input: 102, output: 1 };

describe("a run with images", () => {
  it("counts them in usage, cost and budget exactly, and stores no content", async () => {
    const result = await run({ budget: { run: { maxCostUsd: 1 } } });
    expect(result.rows.map(({ outcome, usage }) => [outcome, usage])).toEqual(Array(3).fill(["pass", USAGE]));
    expect(result.budget?.spentUsd).toBeCloseTo((3 * 103) / 1e6, 12);
    for (const file of ["rows.jsonl", "outputs.jsonl", "examples.jsonl"]) {
      const stored = readFileSync(join(result.runDir ?? "", file), "utf8");
      expect(stored).not.toContain(makePng(640, 640).toString("base64").slice(0, 40));
      if (file !== "outputs.jsonl") expect(stored).toMatch(/"path":"1\.png".*"sha256":"[\da-f]{64}"/);
    }
  });

  it("reserves the most that an image can cost before it is sent", async () => {
    // 640 × 640 pixels are four tiles: 85 + 4 × 170 tokens, besides the question and the longest answer.
    const most = (765 + 2 + 10) / 1e6;
    const first = await run({ budget: { run: { maxCostUsd: most * 0.99 } } });
    expect(first.rows.filter(({ outcome }) => outcome === "skipped")).toHaveLength(3);
    expect(mock.counts.requests).toBe(0);
    const second = await run({ budget: { run: { maxCostUsd: most * 1.01 } } });
    expect(second.rows.filter(({ outcome }) => outcome === "pass").length).toBeGreaterThan(0);
    expect(mock.counts.requests).toBeGreaterThan(0);
  });

  it("takes outputs from the cache until an image changes", async () => {
    const cacheDir = join(dir, "cache");
    await run({ cacheDir });
    const again = await run({ cacheDir });
    expect(again.rows.every(({ cached }) => cached)).toBe(true);
    expect(mock.counts.requests).toBe(3);
    writeFileSync(join(dir, "2.png"), makePng(640, 641));
    const changed = await run({ cacheDir });
    expect(changed.rows.map(({ exampleId, cached }) => [exampleId, cached])).toEqual([
      [1, true],
      [2, false],
      [3, true],
    ]);
  });

  it("is resumed with its images, and not with others", async () => {
    await restartMock({ reply: "fine", faults: [{ kind: 500 }] });
    const broken = await run({ retry: { maxRetries: 0 } });
    expect(broken.rows.every(({ outcome }) => outcome === "error")).toBe(true);
    const { url } = mock;
    await mock.close();
    mock = await startMock({ reply: "fine", port: Number(new URL(url).port) });
    const resumed = await run({ resume: broken.runDir });
    expect(resumed.rows.map(({ outcome, usage }) => [outcome, usage])).toEqual(Array(3).fill(["pass", USAGE]));
    writeFileSync(join(dir, "2.png"), makePng(640, 641));
    await expect(run({ resume: broken.runDir })).rejects.toThrow(/dataset|different|changed/i);
  });
});
