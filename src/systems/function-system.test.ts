import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { ShapeError, TrialError } from "../core/errors.js";
import type { TrialContext } from "../core/system.js";
import { FunctionSystem, type FunctionSystemOptions } from "./function-system.js";

const trial: TrialContext = { signal: new AbortController().signal, budget: null, trial: 2, seed: 7, log: () => {} };
const example = { id: 1, question: "hi" };
const run = (fn: FunctionSystemOptions["fn"]) => new FunctionSystem({ name: "f", fn }).process(example, trial);

describe("FunctionSystem", () => {
  it("uses a string as the response and leaves an output unchanged", async () => {
    expect(run(() => "yes")).toEqual({ response: "yes" });
    expect(run(() => ({ context: "c" }))).toEqual({ context: "c" });
    expect(await run(async () => "later")).toEqual({ response: "later" });
    expect(await run(async () => ({ response: "later", costUsd: 1 }))).toEqual({ response: "later", costUsd: 1 });
    expect(run(() => "")).toEqual({ response: "" });
  });

  it("awaits promises of other libraries", async () => {
    const own: Promise<string> = runInNewContext('Promise.resolve("later")');
    expect(own).not.toBeInstanceOf(Promise);
    expect(await run(() => own)).toEqual({ response: "later" });
  });

  it("passes the example and the trial", () => {
    expect(run((given, { trial: number, seed }) => `${given.question} ${number} ${seed}`)).toEqual({
      response: "hi 2 7",
    });
  });

  it("does not wrap the function's own errors", async () => {
    const error = new TrialError("rate_limit", "slow down");
    expect(() =>
      run(() => {
        throw error;
      }),
    ).toThrow(error);
    await expect(run(() => Promise.reject(error))).rejects.toBe(error);
  });

  it.each([undefined, null, 3, ["a"]])("rejects a result of %j", async (result) => {
    const fn = (() => result) as unknown as FunctionSystemOptions["fn"];
    expect(() => run(fn)).toThrow(TrialError);
    expect(() => run(fn)).toThrow(/The function of "f" returned .*Return a string/);
    await expect(run(async (...given) => fn(...given))).rejects.toThrow(/returned/);
  });

  it("is identified by its name and source, or by its fingerprint option", () => {
    const one = new FunctionSystem({ name: "f", fn: () => "1" });
    expect(one.fingerprint()).toEqual(new FunctionSystem({ name: "f", fn: () => "1" }).fingerprint());
    expect(one.fingerprint()).not.toEqual(new FunctionSystem({ name: "f", fn: () => "2" }).fingerprint());
    expect(one.fingerprint()).not.toEqual(new FunctionSystem({ name: "g", fn: () => "1" }).fingerprint());
    expect(new FunctionSystem({ name: "f", fn: () => "1", fingerprint: { v: 2 } }).fingerprint()).toEqual({ v: 2 });
  });

  it("says which option is missing", () => {
    expect(() => new FunctionSystem({ name: "", fn: () => "" })).toThrow(ShapeError);
    expect(() => new FunctionSystem({ name: "f" } as FunctionSystemOptions)).toThrow(/"f" needs a function `fn`/);
  });
});
