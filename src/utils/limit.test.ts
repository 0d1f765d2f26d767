import { expect, it } from "vitest";
import { ConcurrencyLimit } from "./async.js";

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

it("runs no more than the limit at a time, and everything in order", async () => {
  const limit = new ConcurrencyLimit(3);
  const { signal } = new AbortController();
  let running = 0;
  let most = 0;
  const order: number[] = [];
  const work = (number: number) => async () => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    order.push(number);
    running -= 1;
  };
  await Promise.all(Array.from({ length: 20 }, (_, number) => limit.run(work(number), signal)));
  expect(most).toBe(3);
  expect(order).toEqual(Array.from({ length: 20 }, (_, number) => number));
});

it("stops waiting when the signal is aborted, without losing a slot", async () => {
  const limit = new ConcurrencyLimit(1);
  const { signal } = new AbortController();
  const impatient = new AbortController();
  const first = gate();
  const held = limit.run(() => first.opened, signal);
  const waiting = limit.run(async () => "never", impatient.signal);
  impatient.abort(new Error("stop"));
  await expect(waiting).rejects.toThrow("stop");
  await expect(limit.run(async () => "never", impatient.signal)).rejects.toThrow("stop");
  first.open();
  await held;
  expect(await limit.run(async () => "free", signal)).toBe("free");
});

it("frees the slot of failed work", async () => {
  const limit = new ConcurrencyLimit(1);
  const { signal } = new AbortController();
  await expect(limit.run(() => Promise.reject(new Error("broken")), signal)).rejects.toThrow("broken");
  expect(await limit.run(async () => 1, signal)).toBe(1);
});
