import { expect, test } from "vitest";
import type { CompareView, RunCard } from "../../../../src/report/dashboard/contract.js";
import { collectFlips, listBaselines } from "./baseline.js";

function run(id: string, day: number, rest: Partial<RunCard> = {}): RunCard {
  const createdAt = `2026-11-0${day}T08:00:00.000Z`;
  const datasets = [{ name: "towns", examples: 3, fingerprint: "f" }];
  return { id, createdAt, datasets, status: "complete", runTags: [], ...rest } as unknown as RunCard;
}

test("earlier runs over the same dataset can be the baseline, tagged ones first, then the newest", () => {
  const here = run("here", 5);
  const runs = [
    run("later", 6),
    here,
    run("newest", 4),
    run("tagged", 2, { runTags: ["baseline"] }),
    run("other", 3, { datasets: [] }),
    run("damaged", 3, { status: "damaged" }),
  ];
  expect(listBaselines(runs, here).map(({ id }) => id)).toEqual(["tagged", "newest"]);
});

test("flips are found by system and example, with the passes of the baseline", () => {
  const passes = { dataset: "towns", passesB: 0, trialsB: 3, trialsA: 3, isFlaky: false };
  const toFail = [{ ...passes, exampleId: 1, passesA: 3 }];
  const toPass = [{ ...passes, exampleId: "1", passesA: 1, passesB: 3 }];
  const comparisons = [{ systemA: "x", systemB: "x", flips: { toFail, toPass, flaky: [] } }];
  const flips = collectFlips({ comparison: { comparisons } } as unknown as CompareView);
  expect(flips.get("x", { dataset: "towns", exampleId: 1 })).toEqual({ to: "fail", passed: 3, trials: 3 });
  expect(flips.get("x", { dataset: "towns", exampleId: "1" })).toEqual({ to: "pass", passed: 1, trials: 3 });
  expect(flips.get("y", { dataset: "towns", exampleId: 1 })).toBeUndefined();
  expect(flips.get("x", { dataset: "towns", exampleId: 2 })).toBeUndefined();
});
