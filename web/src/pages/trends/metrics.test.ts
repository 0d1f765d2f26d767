import { describe, expect, test } from "vitest";
import { createRunCard, createSystemCard } from "../../../../src/report/dashboard/card-testing.js";
import { filterRuns, groupTrendRuns, listSystems, parseTrendMetric, renameByHarness } from "./metrics.js";

const a = createSystemCard("a", {}, { harness: "codex" });
const b = createSystemCard("b");
const other = [{ name: "code", examples: 3, fingerprint: "c" }];
const RUNS = [
  createRunCard("new", { createdAt: "2026-11-03T12:00:00Z", systems: [b, a] }),
  createRunCard("other", { createdAt: "2026-11-04T12:00:00Z", systems: [b], datasets: other }),
  createRunCard("old", { createdAt: "2026-11-01T12:00:00Z", systems: [a] }),
  createRunCard("broken", { status: "damaged" }),
];

describe("trends", () => {
  test("use the metric of the address, and the success rate by default", () => {
    expect(parseTrendMetric("cost").figure).toBe("cost_per_pass_usd");
    expect(parseTrendMetric("nonsense").figure).toBe("pass_rate");
    expect(parseTrendMetric(undefined).figure).toBe("pass_rate");
  });

  test("show the matching systems in order of time", () => {
    const shown = filterRuns(RUNS, { harness: "codex" });
    expect(shown.map(({ id, systems }) => [id, systems.map(({ system }) => system)])).toEqual([
      ["old", ["a"]],
      ["new", ["a"]],
    ]);
  });

  test("leave out damaged runs, and do not change their input", () => {
    expect(filterRuns(RUNS, {}).map(({ id }) => id)).toEqual(["old", "new", "other"]);
    expect(RUNS[0]?.systems).toHaveLength(2);
  });

  test("begin with the group that has the most runs", () => {
    const parts = groupTrendRuns(filterRuns(RUNS, {}));
    expect(parts.map(({ runs }) => runs.length)).toEqual([2, 1]);
  });

  test("have a line for each harness of a system", () => {
    const twice = [a, createSystemCard("a", {}, { harness: "pi" }), b].map((card, place) =>
      createRunCard(`r${place}`, { systems: [card] }),
    );
    expect(listSystems(renameByHarness(twice))).toEqual(["a (codex)", "a (pi)", "b"]);
    expect(listSystems(renameByHarness(twice.slice(1)))).toEqual(["a", "b"]);
  });

  test("keep the colors of systems as runs are added", () => {
    const runs = filterRuns(RUNS, {});
    expect(listSystems(runs)).toEqual(["a", "b"]);
    expect(listSystems(runs.slice(0, 1))).toEqual(["a"]);
  });
});
