import { expect, test } from "vitest";
import { parseTimestamp } from "./moment.js";

test("dates of runs are moments, and nothing else is", () => {
  expect(parseTimestamp("2026-11-14T12:00:00Z")).toBe(1794657600000);
  for (const text of ["", "soon", "+275760-09-13T00:00:00Z", "-000001-01-01T00:00:00Z"])
    expect(parseTimestamp(text)).toBeNull();
});
