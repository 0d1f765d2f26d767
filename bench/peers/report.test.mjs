import { describe, expect, it } from "vitest";
import { aimsOf } from "./aims.mjs";
import { drawChart, logScale } from "./chart.mjs";
import { medianOf, takeTurns } from "./turns.mjs";
import { table } from "./words.mjs";

const CONTENDERS = [
  { name: "assay", role: "ours", stores: "rows" },
  { name: "kit", role: "library", stores: null },
  { name: "tool", role: "command", stores: "rows" },
  { name: "promptfoo", role: "command", stores: "rows" },
];
const figure = (perSecond, peakBytes) => ({ perSecond, peakBytes: peakBytes * 2 ** 20 });

describe("aimsOf", () => {
  const figures = {
    assay: figure(10_000, 90),
    kit: figure(6_000, 100),
    tool: figure(9_000, 80),
    promptfoo: figure(250, 200),
  };

  it("compares with the fastest library, with promptfoo, and with the lightest of all", () => {
    expect(aimsOf(CONTENDERS, figures).map(({ holds }) => holds)).toEqual([true, false, false]);
  });

  it("does not call met what was not measured", () => {
    expect(aimsOf(CONTENDERS, { kit: figure(1, 1) }).map(({ holds }) => holds)).toEqual([null, null, null]);
    const failed = { ...figures, kit: { perSecond: null, peakBytes: null } };
    expect(aimsOf(CONTENDERS, failed)[0].holds).toBeNull();
  });
});

describe("takeTurns", () => {
  it("keeps the order of rounds, and goes on without one that fails", async () => {
    const order = [];
    const run = ({ name }) => {
      order.push(name);
      if (name === "tool") throw new Error("broken");
      return { seconds: order.length };
    };
    const found = await takeTurns(CONTENDERS.slice(1, 3), { rounds: 3, run, say: () => {} });
    expect(order).toEqual(["kit", "tool", "kit", "kit"]);
    expect(found.get("tool")).toEqual({ runs: [], problem: "broken" });
    expect(medianOf(found.get("kit"), "seconds")).toBe(3);
    expect(medianOf(found.get("tool"), "seconds")).toBeNull();
  });

  it("runs once what takes long", async () => {
    let runs = 0;
    const run = () => {
      runs += 1;
      return { seconds: 500 };
    };
    await takeTurns(CONTENDERS.slice(0, 1), { rounds: 3, run, say: () => {} });
    expect(runs).toBe(1);
  });
});

describe("the chart", () => {
  it("gives each power of ten the same width", () => {
    const { at, ticks } = logScale([3, 450]);
    expect(ticks).toEqual([1, 10, 100, 1000]);
    expect(at(100) - at(10)).toBeCloseTo(at(10) - at(1));
  });

  it("says everything in words, too, and escapes it", () => {
    const bars = [{ name: "<kit>", role: "library", value: 12, label: "12/s" }];
    const svg = drawChart("Speed", [
      { title: "Examples", bars },
      { title: "Nothing", bars: [] },
    ]);
    expect(svg).toContain("<desc>Examples: &lt;kit&gt; 12/s.</desc>");
    expect(svg).not.toContain("Nothing");
  });
});

describe("table", () => {
  it("lines up words to the left and figures to the right", () => {
    expect(table(["name", "n"], [["a", "1,000"]])).toBe("| name |     n |\n| ---- | ----: |\n| a    | 1,000 |");
  });
});
