import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createChartSystem } from "./chart-system.fixture.js";
import { buildRadarChart } from "./run-charts.js";

const radar = (...seconds: (number | null)[]) =>
  buildRadarChart(
    seconds.map((each, i) =>
      createChartSystem(`s${i}`, { summary: { median_time_to_success_ms: each === null ? null : each * 1000 } }),
    ),
  );

describe("buildRadarChart", () => {
  it("clips at five times the median, which is the mean of the middle two", () => {
    const { limitSeconds, spokes } = radar(10, 20, 8, 200);
    expect(limitSeconds).toBe(75);
    expect(spokes.map(({ isClipped }) => isClipped)).toEqual([false, false, false, true]);
    expect(spokes[3]).toEqual({ system: "s3", seconds: 200, isClipped: true });
  });

  it("clips in the same way where all are fast", () => {
    expect(radar(0.1, 0.2, 3)).toMatchObject({ limitSeconds: 1, spokes: [{}, {}, { isClipped: true }] });
  });

  it("has no limit when no time was measured", () => {
    expect(radar(null)).toEqual({ limitSeconds: null, spokes: [{ system: "s0", seconds: null, isClipped: false }] });
    expect(radar(null, 4)).toMatchObject({ limitSeconds: 20, spokes: [{ seconds: null }, { seconds: 4 }] });
  });

  it("clips fewer than half of the systems", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1e6 }), { minLength: 1 }), (seconds) => {
        const clipped = radar(...seconds).spokes.filter(({ isClipped }) => isClipped);
        expect(clipped.length).toBeLessThan(Math.max(1, seconds.length / 2 + 0.5));
      }),
    );
  });
});
