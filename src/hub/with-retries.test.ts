import { describe, expect, it } from "vitest";
import { HubError } from "./errors.js";
import { REAL_PORTS } from "./ports.js";
import { retryAfterMs } from "./retry-after.js";
import { withRetries } from "./with-retries.js";

const again = () => new HubError("no luck", { retry: { afterMs: null } });

function bench() {
  const waits: number[] = [];
  const sleep = async (ms: number) => void waits.push(ms);
  return { waits, options: { ports: { ...REAL_PORTS, sleep, random: () => 1 }, signal: undefined } };
}

describe("withRetries", () => {
  it("gives up after as many tries as it may make, and keeps the cause", async () => {
    const { waits, options } = bench();
    const error = again();
    const failing = withRetries(() => Promise.reject(error), options);
    await expect(failing).rejects.toThrow("no luck It was tried 5 times.");
    await expect(failing).rejects.toMatchObject({ cause: error, isOutage: true });
    expect(waits).toEqual([500, 1000, 2000, 4000]);
  });

  it("does not count tries that got far", async () => {
    const { waits, options } = bench();
    let mark = 0;
    const work = async () => {
      mark += 2_000_000;
      if (mark < 20_000_000) throw again();
      return mark;
    };
    expect(await withRetries(work, { ...options, mark: () => mark })).toBe(20_000_000);
    expect(waits).toEqual(Array.from({ length: 9 }, () => 500));
  });

  it("leaves alone what trying again does not help", async () => {
    const { waits, options } = bench();
    await expect(withRetries(() => Promise.reject(new HubError("wrong")), options)).rejects.toThrow(/^wrong$/);
    await expect(withRetries(() => Promise.reject(new TypeError("bug")), options)).rejects.toThrow(TypeError);
    expect(waits).toEqual([]);
  });
});

describe("retryAfterMs", () => {
  const now = Date.parse("2024-05-01T00:00:00Z");
  it.each([
    ["3", 3000],
    ["0.5", 500],
    ["Wed, 01 May 2024 00:00:09 GMT", 9000],
    ["Wed, 01 May 2019 00:00:09 GMT", 0],
    ["-1", null],
    ["soon", null],
    ["1 2", null],
    [null, null],
  ])("of %o is %o", (header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected);
  });
});
