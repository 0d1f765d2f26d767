import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Example } from "../src/core/example.js";
import type { Output } from "../src/core/system.js";
import { catalog } from "../src/datasets/catalog/catalog.js";
import type { CatalogEntry } from "../src/datasets/catalog/entry.js";
import type { Fixture } from "../src/datasets/catalog/fixture.js";
import { CATALOG_NAMES } from "../src/datasets/catalog/names.js";
import { loadDataset } from "../src/index.js";
import { serveFixture } from "../src/testing/serve-fixture.js";

const cache = mkdtempSync(join(tmpdir(), "assay-catalogue-"));
afterAll(() => rmSync(cache, { recursive: true, force: true }));

const KEYS = ["HF_ENDPOINT", "ASSAY_DATASETS_CACHE", "HF_HUB_OFFLINE", "HF_TOKEN"];
let before: Record<string, string | undefined>;
beforeEach(() => {
  before = Object.fromEntries(KEYS.map((key) => [key, process.env[key]]));
});
afterEach(() => {
  for (const key of KEYS) {
    if (before[key] === undefined) delete process.env[key];
    else process.env[key] = before[key];
  }
});

const entries: Readonly<Record<string, CatalogEntry>> = catalog;

async function fixturesOf(name: string): Promise<readonly Fixture[]> {
  const module: Record<string, unknown> = await import(`../src/datasets/catalog/entries/${name}.fixture.ts`);
  return Object.values(module).flat() as Fixture[];
}

function entryOf(name: string): CatalogEntry {
  const entry = entries[name];
  if (entry === undefined) throw new Error(`no entry ${name}`);
  return entry;
}

describe("catalog", () => {
  it("lists every file of its folder", () => {
    const script = fileURLToPath(new URL("../scripts/catalog.mjs", import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(Object.keys(catalog)).toEqual(CATALOG_NAMES);
  });

  it.each(CATALOG_NAMES)("%s is served by the hub and read back, as snappy and as zstd", async (name) => {
    const entry = entryOf(name);
    for (const fixture of await fixturesOf(name)) {
      const hasParquet = Object.values(fixture.files).some((file) => "rows" in file);
      for (const compression of hasParquet ? (["snappy", "zstd"] as const) : (["snappy"] as const)) {
        const hub = await serveFixture(entry.repo, fixture, { compression });
        try {
          process.env.HF_ENDPOINT = hub.url;
          process.env.ASSAY_DATASETS_CACHE = join(cache, `${name}-${compression}`);
          const spec = fixture.config === undefined ? name : `${name}:${fixture.config}`;
          const dataset = await loadDataset(spec);
          expect(dataset.examples).toMatchObject(fixture.expected);
          expect(dataset.examples).toHaveLength(fixture.expected.length);
          expect(dataset.origin?.repo).toBe(entry.repo);
          expect(dataset.origin?.revision).toMatch(/^[0-9a-f]{40}$/);
          expect(new Set(dataset.examples.map(({ id }) => id)).size).toBe(dataset.examples.length);
          await expectGoldToPass(dataset);
          for (const evaluator of dataset.evaluators ?? []) await evaluator.close?.();
          await hub.close();
          process.env.HF_HUB_OFFLINE = "1";
          const again = await loadDataset(spec);
          expect(again.examples).toEqual(dataset.examples);
          delete process.env.HF_HUB_OFFLINE;
        } finally {
          await hub.close();
        }
      }
    }
  });
});

/** The reference answer gets the full score: it is where the evaluators look for it. */
async function expectGoldToPass({ examples, evaluators = [], primaryField }: Awaited<ReturnType<typeof loadDataset>>) {
  const decides = evaluators.find(({ fields }) => primaryField !== undefined && fields?.includes(primaryField));
  if (decides === undefined || primaryField === undefined) {
    expect(primaryField === undefined || primaryField.startsWith("judge_")).toBe(true);
    return;
  }
  if (["ifeval_strict", "tool_call_match", "pass_at_1"].includes(primaryField)) return;
  for (const example of examples) {
    const scored = await decides.score(example, goldOf(example));
    const scores = "scores" in scored ? scored.scores : scored;
    expect({ id: example.id, [primaryField]: (scores as Record<string, number>)[primaryField] }).toEqual({
      id: example.id,
      [primaryField]: 1,
    });
  }
}

function goldOf({ answer, answers, answer_index: index, unanswerable }: Example): Output {
  if (typeof index === "number") return { response: `The answer is ${"ABCDEFGHIJ"[index]}.` };
  return { response: unanswerable === true ? "unanswerable" : (answer ?? answers?.[0] ?? "") };
}

const shared = (path: string) => fileURLToPath(new URL(`../../shared/data/${path}`, import.meta.url));
const lacksShared = !existsSync(shared("gsm8k-test.jsonl"));
if (lacksShared) console.warn("skipped: ../shared/data is not here, so that published files are not read");

describe.skipIf(lacksShared)("published files, read like the dataset", () => {
  it.each([
    ["gsm8k", "gsm8k-test.jsonl", 1319],
    ["humaneval", "HumanEval.jsonl.gz", 164],
    ["ifeval", "ifeval-input_data.jsonl", 541],
    ["mgsm:de", "mgsm/mgsm_de.tsv", 250],
    ["mgsm:en", "mgsm/mgsm_en.tsv", 250],
    ["mgsm:ja", "mgsm/mgsm_ja.tsv", 250],
    ["bbh:boolean_expressions", "bbh/boolean_expressions.json", 250],
    ["bbh:causal_judgement", "bbh/causal_judgement.json", 187],
    ["bbh:date_understanding", "bbh/date_understanding.json", 250],
    ["bbh:navigate", "bbh/navigate.json", 250],
    ["bbh:object_counting", "bbh/object_counting.json", 250],
  ])("%s=%s has %i examples", async (name, path, count) => {
    const dataset = await loadDataset(`${name}=${shared(path)}`);
    expect(dataset.examples).toHaveLength(count);
    expect(dataset.name).toBe(name);
    expect(dataset.origin).toBeUndefined();
    await expectGoldToPass(dataset);
    const sample = await loadDataset(`${name}=${shared(path)}`, { maxExamples: 20, shuffleSeed: 5 });
    expect(sample.examples).toHaveLength(20);
    expect(dataset.examples).toEqual(expect.arrayContaining([...sample.examples]));
    for (const evaluator of [...(dataset.evaluators ?? []), ...(sample.evaluators ?? [])]) await evaluator.close?.();
  });
});
