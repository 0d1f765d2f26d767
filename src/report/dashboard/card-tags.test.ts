import { describe, expect, it } from "vitest";
import type { DatasetConfig } from "../../core/result.js";
import { makeRow } from "../../core/row.js";
import { FacetBreakdown, summarize } from "../../metrics/index.js";
import { hasTag, listSummaryTags } from "./cards.js";

const dataset = (name: string, rest: Partial<DatasetConfig> = {}): DatasetConfig => ({
  name,
  examples: 1,
  fingerprint: "",
  tags: [name],
  primaryField: "score",
  evaluators: {},
  ...rest,
});
const row = (known: object) =>
  makeRow({ system: "a", exampleId: 1, outcome: "pass", scores: { score: 1 }, primaryField: "score", ...known });
const summaryOf = (rows: ReturnType<typeof row>[]) =>
  Object.values(summarize(rows, [new FacetBreakdown()], { scoreField: "score", threshold: 0.7, seed: 0 }).summary);

describe("listSummaryTags", () => {
  it("lists each value once, without derived keys", () => {
    const rows = ["law_n", "law_ci_high", "art", "a=b"].map((subject) =>
      row({ dataset: "mmlu", facets: { subject, year: 2020 } }),
    );
    const tags = listSummaryTags(summaryOf(rows), { datasets: [dataset("mmlu")] });
    expect(tags.sort()).toEqual(["subject=a=b", "subject=art", "subject=law_ci_high", "subject=law_n", "year=2020"]);
  });

  it("strips dataset names from the keys of a mixture", () => {
    const rows = ["mmlu", "gpqa"].map((name) => row({ dataset: name, facets: { subject: `${name} law` } }));
    const tags = listSummaryTags(summaryOf(rows), { datasets: [dataset("mmlu"), dataset("gpqa")] });
    expect(tags.sort()).toEqual(["subject=gpqa law", "subject=mmlu law"]);
  });

  it("reads all systems where a dataset is run by some of them only", () => {
    const rows = [row({ facets: { subject: "law" } }), row({ system: "b", facets: { subject: "art" } })];
    const alone = { terms: { systems: ["b"] } };
    expect(listSummaryTags(summaryOf(rows), { datasets: [dataset("x", alone)] }).sort()).toEqual([
      "subject=art",
      "subject=law",
    ]);
    expect(listSummaryTags([{ mean_score: 1 }], { datasets: [dataset("x")] })).toEqual([]);
  });
});

describe("hasTag", () => {
  it("compares field and value as text", () => {
    expect(hasTag(row({ facets: { depth: 0.5, isHard: true } }), "depth=0.5")).toBe(true);
    expect(hasTag(row({ facets: { depth: 0.5, isHard: true } }), "isHard=true")).toBe(true);
    expect(hasTag(row({ facets: { depth: 0.5 } }), "depth=0.25")).toBe(false);
    expect(hasTag(row({}), "depth=0.5")).toBe(false);
  });
});
