import { describe, expect, it } from "vitest";
import { type RetryState, retry } from "./async.js";

function failing(times: number): () => Promise<number> {
  let asked = 0;
  return async () => {
    asked += 1;
    if (asked <= times) throw new Error(`failure ${asked}`);
    return asked;
  };
}

describe("retry", () => {
  it("retries until it succeeds and adds up the waits", async () => {
    const seen: RetryState[] = [];
    const waitAfter = (_: unknown, tries: RetryState) => {
      seen.push(tries);
      return 2 * tries.failed;
    };
    expect(await retry(failing(2), { waitAfter })).toBe(3);
    expect(seen).toEqual([
      { failed: 1, waitedMs: 0 },
      { failed: 2, waitedMs: 2 },
    ]);
  });

  it("gives up with the last error", async () => {
    const waitAfter = (_: unknown, { failed }: RetryState) => (failed < 3 ? 0 : null);
    await expect(retry(failing(5), { waitAfter })).rejects.toThrow("failure 3");
  });

  it("stops waiting when the signal is aborted, with its reason", async () => {
    const controller = new AbortController();
    const waitAfter = () => {
      setImmediate(() => controller.abort("enough"));
      return 60_000;
    };
    await expect(retry(failing(1), { waitAfter, signal: controller.signal })).rejects.toBe("enough");
  });
});
