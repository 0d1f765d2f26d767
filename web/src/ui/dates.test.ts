import { describe, expect, test } from "vitest";
import { formatDay, formatMoment, formatTime, getLocalDay, isWithinDays } from "./dates.js";

const AT = "2026-11-14T16:05:09.000Z";

describe("dates", () => {
  test("moments, days and times read the same everywhere", () => {
    expect(formatMoment(AT, "UTC")).toBe("14 Nov 2026, 16:05");
    expect(formatDay(AT, "UTC")).toBe("14 Nov 2026");
    expect(formatTime("2026-11-14T00:05:00Z", "UTC")).toBe("00:05");
  });

  test("what is no date is shown as it is", () => {
    expect(formatMoment("yesterday")).toBe("yesterday");
    expect(getLocalDay("yesterday")).toBe("");
  });

  test("a range holds its first and its last day", () => {
    const day = getLocalDay(AT);
    expect(day).toMatch(/^2026-11-1[45]$/);
    expect(isWithinDays(AT, { from: day, to: day })).toBe(true);
    expect(isWithinDays(AT, {})).toBe(true);
    expect(isWithinDays(AT, { from: "2026-11-16" })).toBe(false);
    expect(isWithinDays(AT, { to: "2026-11-12" })).toBe(false);
  });
});
