import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRetryAfter } from "./response.js";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const asked = (value: string | string[]) => parseRetryAfter({ "retry-after": value }, NOW);

describe("parseRetryAfter", () => {
  it.each([
    ["0", 0],
    ["2", 2000],
    ["1.5", 1500],
    ["  7 ", 7000],
    ["Sun, 01 Mar 2026 12:00:30 GMT", 30_000],
    ["Sunday, 01-Mar-26 12:00:30 GMT", 30_000],
    ["Sun Mar  1 12:00:30 2026", 30_000],
  ])("reads %j", (value, ms) => expect(asked(value)).toBe(ms));

  it.each(["", "-1", "soon", "1 2", "5 apples", "NaN", "Infinity", "0x10", "Sun, 01 Mar 2026 11:59:59 GMT", "Sunny"])(
    "returns null for %j",
    (value) => expect(asked(value)).toBeNull(),
  );

  it("returns at most an hour", () => {
    expect(asked("86400")).toBe(3_600_000);
    expect(asked("Mon, 01 Mar 2027 12:00:00 GMT")).toBe(3_600_000);
  });

  it("prefers milliseconds", () => {
    expect(parseRetryAfter({ "retry-after-ms": "250", "retry-after": "9" }, NOW)).toBe(250);
    expect(parseRetryAfter({ "retry-after-ms": "junk", "retry-after": "9" }, NOW)).toBe(9000);
  });

  it("uses the first of several, and null for none", () => {
    expect(asked(["3", "4"])).toBe(3000);
    expect(parseRetryAfter({}, NOW)).toBeNull();
  });

  it("returns null or a wait from 0 to an hour for any text", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.double().map(String), fc.date({ noInvalidDate: true }).map(String)),
        (text) => {
          const ms = asked(text);
          expect(ms === null || (Number.isInteger(ms) && ms >= 0 && ms <= 3_600_000)).toBe(true);
        },
      ),
    );
  });
});
