import { describe, expect, test } from "vitest";
import { createRunCard, createSystemCard } from "./card-testing.js";
import type { RunListQuery } from "./contract.js";
import { buildRunPage, computeMeanPassRate, filterRuns, listRunChoices } from "./run-query.js";

const RUNS = [
  createRunCard("a", { status: "running", command: "eval", systems: [createSystemCard("echo", { pass_rate: 0.5 })] }),
  createRunCard("b", { command: null, datasets: [{ name: "code", examples: 3, fingerprint: "c" }], tags: ["depth=1"] }),
  createRunCard("c", { status: "damaged", problem: "it cannot be read", title: "Weekly" }),
];

function ids(query: RunListQuery): string[] {
  return filterRuns(RUNS, query).map(({ id }) => id);
}

describe("the list of runs", () => {
  test("is filtered by status, command, dataset, tag and words", () => {
    expect(ids({})).toEqual(["a", "b", "c"]);
    expect(ids({ status: "damaged" })).toEqual(["c"]);
    expect(ids({ command: "program" })).toEqual(["b"]);
    expect(ids({ hasDataset: "code" })).toEqual(["b"]);
    expect(ids({ dataset: "code" })).toEqual(["b"]);
    expect(ids({ tag: "depth=1" })).toEqual(["b"]);
    expect(ids({ q: "ECHO" })).toEqual(["a"]);
    expect(ids({ q: "weekly", status: "running" })).toEqual([]);
  });

  test("offers the values that occur", () => {
    expect(listRunChoices(RUNS)).toEqual({
      statuses: ["running", "complete", "damaged"],
      commands: ["eval", "program", "run"],
      datasets: ["code", "qa"],
    });
  });

  test("sorts by the mean of the known pass rates", () => {
    const systems = [0.5, 1].map((rate) => createSystemCard(`s${rate}`, { pass_rate: rate }));
    expect(computeMeanPassRate(createRunCard("x", { systems: [...systems, createSystemCard("none")] }))).toBe(0.75);
    expect(computeMeanPassRate(createRunCard("x"))).toBeNull();
  });
});

describe("a page of runs", () => {
  const many = Array.from({ length: 250 }, (_, day) =>
    createRunCard(`r${day}`, {
      title: day % 2 === 0 ? "even" : "odd",
      createdAt: new Date(Date.UTC(2026, 0, 1 + day)).toISOString(),
      costUsd: day === 7 ? null : 250 - day,
    }),
  ).toReversed();
  const shown = (query: RunListQuery) => buildRunPage(many, query).runs.map(({ id }) => id);

  test("has the hundred newest runs, and the total", () => {
    const page = buildRunPage(many, {});
    expect(page).toMatchObject({ total: 250, all: 250, unread: 0 });
    expect(page.runs.map(({ id }) => id)).toEqual(many.slice(0, 100).map(({ id }) => id));
  });

  test("starts at the offset, and is short at the end", () => {
    expect(shown({ limit: 2, offset: 100 })).toEqual(["r149", "r148"]);
    expect(shown({ offset: 200 })).toHaveLength(50);
    expect(shown({ offset: 250 })).toEqual([]);
  });

  test("is cut after all matching runs are sorted", () => {
    expect(shown({ sort: "cost", limit: 3 })).toEqual(["r249", "r248", "r247"]);
    expect(shown({ sort: "-cost", limit: 2 })).toEqual(["r0", "r1"]);
    expect(shown({ sort: "-cost", limit: 1, offset: 249 })).toEqual(["r7"]);
    expect(shown({ sort: "when", q: "odd", limit: 2, offset: 1 })).toEqual(["r3", "r5"]);
    expect(buildRunPage(many, { q: "odd", limit: 2 })).toMatchObject({ total: 125, all: 250 });
  });

  test("keeps the newest first among equals", () => {
    expect(shown({ sort: "title", limit: 2 })).toEqual(["r248", "r246"]);
  });
});
