import { describe, expect, it } from "vitest";
import { createYielder } from "./run-list.js";

describe("createYielder", () => {
  it("yields to the event loop after a while, and not before", async () => {
    let now = 0;
    const pause = createYielder(() => now);
    expect(pause()).toBeUndefined();
    now = 7;
    expect(pause()).toBeUndefined();
    now = 9;
    let isOthersTurn = false;
    setImmediate(() => {
      isOthersTurn = true;
    });
    await pause();
    expect(isOthersTurn).toBe(true);
    expect(pause()).toBeUndefined();
    now = 18;
    expect(pause()).toBeInstanceOf(Promise);
  });
});
