import { describe, expect, test } from "vitest";
import { dayOf, formatDay, formatMoment, formatTime, isWithin } from "./dates.js";

const AT = "2026-11-14T16:05:09.000Z";

describe("dates", () => {
  test("moments, days and times read the same everywhere", () => {
    expect(formatMoment(AT, "UTC")).toBe("14 Nov 2026, 16:05");
    expect(formatDay(AT, "UTC")).toBe("14 Nov 2026");
    expect(formatTime("2026-11-14T00:05:00Z", "UTC")).toBe("00:05");
  });

  test("what is no date is shown as it is", () => {
    expect(formatMoment("yesterday")).toBe("yesterday");
    expect(dayOf("yesterday")).toBe("");
  });

  test("a range holds its first and its last day", () => {
    const day = dayOf(AT);
    expect(day).toMatch(/^2026-11-1[45]$/);
    expect(isWithin(AT, { from: day, to: day })).toBe(true);
    expect(isWithin(AT, {})).toBe(true);
    expect(isWithin(AT, { from: "2026-11-16" })).toBe(false);
    expect(isWithin(AT, { to: "2026-11-12" })).toBe(false);
  });
});
