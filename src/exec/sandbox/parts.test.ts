import { PassThrough } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../core/errors.js";
import { DEFAULT_LIMITS, formatKernelLimits, resolveSandboxLimits } from "./limits.js";
import { LineChannel } from "./line-channel.js";
import { UidPool } from "./uid-pool.js";

function allOf(pool: UidPool): number[] {
  const uids: number[] = [];
  for (let uid = pool.take(); uid !== null; uid = pool.take()) uids.push(uid);
  return uids;
}

describe("UidPool", () => {
  const HIGHEST = 2 ** 32 - 2;

  it("returns unused ids", () => {
    const uids = allOf(new UidPool(4_194_303, HIGHEST));
    expect(new Set(uids).size).toBe(64);
    expect(Math.min(...uids)).toBeGreaterThan(1_879_048_191);
    expect(Math.max(...uids)).toBeLessThan(2 ** 31);
  });

  it("gives two processes different ids", () => {
    const pid = fc.integer({ min: 1, max: 4_194_303 });
    fc.assert(
      fc.property(pid, pid, (one, other) => {
        fc.pre(one !== other);
        const shared = new Set([...allOf(new UidPool(one, HIGHEST)), ...allOf(new UidPool(other, HIGHEST))]);
        expect(shared.size).toBe(128);
      }),
    );
  });

  it("stays within the ids of a container, and never returns root's", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4_194_303 }), fc.integer({ min: 1000, max: 100_000 }), (pid, highest) => {
        const uids = allOf(new UidPool(pid, highest));
        expect(Math.max(...uids)).toBeLessThanOrEqual(highest);
        expect(Math.min(...uids)).toBeGreaterThan(0);
      }),
    );
  });

  it("reuses an id only after it was released", () => {
    const pool = new UidPool(7, HIGHEST);
    const [first = 0, ...rest] = allOf(pool);
    expect(rest).not.toContain(first);
    pool.release(first);
    expect([pool.take(), pool.take()]).toEqual([first, null]);
  });
});

describe("resolveSandboxLimits", () => {
  it("fills in the defaults", () => {
    expect(resolveSandboxLimits({ wallMs: 5 })).toEqual({ ...DEFAULT_LIMITS, wallMs: 5 });
    expect(formatKernelLimits(resolveSandboxLimits({ cpuSecs: 1.5 }), "python")).toContain("--cpu=2:3");
  });

  it("rejects invalid limits", () => {
    expect(() => resolveSandboxLimits({ wallMs: 0 })).toThrow(UsageError);
    expect(() => resolveSandboxLimits({ memoryBytes: Number.NaN })).toThrow("memoryBytes must be above 0, but is NaN");
    expect(() => resolveSandboxLimits({ speed: 1 } as object)).toThrow('Unknown sandbox limit "speed"');
  });
});

describe("LineChannel", () => {
  it("returns the lines of any chunks", async () => {
    const texts = fc.array(fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", "")));
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 7 }), async (lines, size) => {
        const stream = new PassThrough();
        const channel = new LineChannel(stream, 1000);
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        for (let at = 0; at < bytes.length; at += size) stream.write(bytes.subarray(at, at + size));
        stream.end();
        const read: string[] = [];
        for (let line = await channel.next(); line !== null; line = await channel.next()) read.push(line);
        expect(read).toEqual(lines);
      }),
      { numRuns: 50 },
    );
  });

  it("ends at a line that is too long", async () => {
    const stream = new PassThrough();
    const channel = new LineChannel(stream, 10);
    stream.write("short\n");
    stream.write("x".repeat(11));
    expect([await channel.next(), await channel.next()]).toEqual(["short", null]);
    channel.send("nobody is there any more");
  });
});
