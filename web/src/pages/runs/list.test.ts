import { describe, expect, test } from "vitest";
import { sampleRun, sampleSystem } from "../overview/sample-cards.js";
import { fewOf, meanPassRate, runsChoices, runsThatFit } from "./list.js";

const RUNS = [
  sampleRun("a", { status: "running", command: "eval", systems: [sampleSystem("echo", { pass_rate: 0.5 })] }),
  sampleRun("b", { command: null, datasets: [{ name: "code", examples: 3, fingerprint: "c" }] }),
  sampleRun("c", { status: "damaged", problem: "it cannot be read", title: "Weekly" }),
];

function ids(filter: Parameters<typeof runsThatFit>[1]): string[] {
  return runsThatFit(RUNS, filter).map(({ id }) => id);
}

describe("the list of runs", () => {
  test("is narrowed by status, command, dataset and text", () => {
    expect(ids({})).toEqual(["a", "b", "c"]);
    expect(ids({ status: "damaged" })).toEqual(["c"]);
    expect(ids({ command: "program" })).toEqual(["b"]);
    expect(ids({ dataset: "code" })).toEqual(["b"]);
    expect(ids({ text: "ECHO" })).toEqual(["a"]);
    expect(ids({ text: "weekly", status: "running" })).toEqual([]);
  });

  test("offers what occurs", () => {
    expect(runsChoices(RUNS)).toEqual({
      statuses: ["running", "complete", "damaged"],
      commands: ["eval", "program", "run"],
      datasets: ["code", "qa"],
    });
  });

  test("sorts by the mean of the pass rates that are known", () => {
    const systems = [0.5, 1].map((rate) => sampleSystem(`s${rate}`, { pass_rate: rate }));
    expect(meanPassRate(sampleRun("x", { systems: [...systems, sampleSystem("none")] }))).toBe(0.75);
    expect(meanPassRate(sampleRun("x"))).toBeNull();
  });

  test("names a few, and says how many more there are", () => {
    expect([fewOf([]), fewOf(["a"]), fewOf(["a", "b", "c"]), fewOf(["a", "b", "c"], 2)]).toEqual([
      "",
      "a",
      "a +2",
      "a, b +1",
    ]);
  });
});
