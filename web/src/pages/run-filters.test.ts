import { describe, expect, test } from "vitest";
import { createRunCard, createSystemCard } from "../../../src/report/dashboard/card-testing.js";
import { parseRoute } from "../ui/index.js";
import { createSystemMatcher, listRunFilterChoices, parseSystemFilter } from "./run-filters.js";
import { buildRowsAddress } from "./run-groups.js";

const run = createRunCard("r1", { title: "Nightly check", createdAt: "2026-11-05T12:00:00Z" });
const card = createSystemCard("gpt-5-mini", {}, { harness: "codex", model: "GPT-5" });

function isListed(query: Record<string, string>): boolean {
  return createSystemMatcher(parseSystemFilter(query))({ run, card });
}

describe("the filters of a list", () => {
  test("must all match", () => {
    expect(isListed({})).toBe(true);
    expect(isListed({ harness: "codex", from: "2026-11-04", to: "2026-11-06", q: "codex" })).toBe(true);
    expect(isListed({ harness: "pi" })).toBe(false);
    expect(isListed({ from: "2026-11-07" })).toBe(false);
    expect(isListed({ to: "2026-11-03" })).toBe(false);
  });

  test("search every word in the names of the system alone, ignoring case", () => {
    expect(isListed({ q: "MINI codex" })).toBe(true);
    expect(isListed({ q: "mini nightly" })).toBe(false);
  });

  test("offer each value once, sorted", () => {
    const datasets = [{ name: "d10", examples: 1, fingerprint: "x" }];
    const runs = [
      createRunCard("a", { datasets, tags: ["level=2", "level=10"], systems: [card] }),
      createRunCard("b", {
        datasets: [{ name: "d9", examples: 1, fingerprint: "y" }],
        tags: ["level=2"],
        systems: [card],
      }),
    ];
    expect(listRunFilterChoices(runs)).toEqual({
      datasets: ["d9", "d10"],
      tags: ["level=2", "level=10"],
      harnesses: ["codex"],
    });
  });
});

test("an entry links to the rows behind its figures", () => {
  const { path, query } = parseRoute(buildRowsAddress({ run, card }, { dataset: "qa", tag: "level=2" }));
  expect(path).toEqual(["run", "r1", "rows"]);
  expect(query).toEqual({ system: "gpt-5-mini", dataset: "qa", tag: "level=2" });
});

test("sorts numeric tags by value, others by name", () => {
  const tags = ["depth=1", "depth=0.5", "subject=b", "depth=0.25", "length=4000", "length=500", "subject=a", "depth=0"];
  expect(listRunFilterChoices([createRunCard("r", { tags })]).tags).toEqual([
    "depth=0",
    "depth=0.25",
    "depth=0.5",
    "depth=1",
    "length=500",
    "length=4000",
    "subject=a",
    "subject=b",
  ]);
});
