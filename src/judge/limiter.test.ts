import { expect, it } from "vitest";
import { Limiter } from "./limiter.js";

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

it("runs no more than its places at a time, and everything in order in the end", async () => {
  const limiter = new Limiter(3);
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
  await Promise.all(Array.from({ length: 20 }, (_, number) => limiter.run(signal, work(number))));
  expect(most).toBe(3);
  expect(order).toEqual(Array.from({ length: 20 }, (_, number) => number));
});

it("gives up waiting when the signal is aborted, and loses no place by that", async () => {
  const limiter = new Limiter(1);
  const { signal } = new AbortController();
  const impatient = new AbortController();
  const first = gate();
  const held = limiter.run(signal, () => first.opened);
  const waiting = limiter.run(impatient.signal, async () => "never");
  impatient.abort(new Error("stop"));
  await expect(waiting).rejects.toThrow("stop");
  await expect(limiter.run(impatient.signal, async () => "never")).rejects.toThrow("stop");
  first.open();
  await held;
  expect(await limiter.run(signal, async () => "free")).toBe("free");
});

it("frees the place of work that fails", async () => {
  const limiter = new Limiter(1);
  const { signal } = new AbortController();
  await expect(limiter.run(signal, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(await limiter.run(signal, async () => 1)).toBe(1);
});
