import { describe, expect, it } from "vitest";
import { Capacity } from "./capacity.js";

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("what containers are guaranteed", () => {
  it("is never more than there is, and given in the order of asking", async () => {
    const capacity = new Capacity({ cpus: 2, memoryGib: 4 });
    const started: string[] = [];
    const take = async (name: string, wanted: object, signal?: AbortSignal) => {
      const giveBack = await capacity.take(wanted, signal);
      started.push(name);
      return giveBack;
    };
    const first = await take("first", { cpus: 1.5 });
    const large = take("large", { cpus: 1, memoryGib: 4 });
    const small = take("small", { cpus: 0.5 });
    await take("nothing", {});
    await settle();
    expect(started).toEqual(["first", "nothing"]);
    first();
    first();
    const [giveLarge, giveSmall] = await Promise.all([large, small]);
    expect(started).toEqual(["first", "nothing", "large", "small"]);
    const stopping = new AbortController();
    const stopped = take("stopped", { cpus: 2 }, stopping.signal);
    const last = take("last", { cpus: 0.5 });
    stopping.abort(new Error("enough"));
    await expect(stopped).rejects.toThrow("enough");
    await last;
    giveLarge();
    giveSmall();
    expect(started).toEqual(["first", "nothing", "large", "small", "last"]);
  });

  it("is refused if the machine never has it", async () => {
    const capacity = new Capacity({ cpus: 2, memoryGib: 4 });
    await expect(capacity.take({ cpus: 3 })).rejects.toThrow(
      "The example is guaranteed 3 cores and 0 GiB, but this machine has 2 cores and 4.0 GiB.",
    );
    await expect(capacity.take({ cpus: 1 }, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
  });
});
