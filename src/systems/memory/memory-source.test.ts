import { describe, expect, it } from "vitest";
import { ShapeError } from "../../core/errors.js";
import { createMemoryFromModule } from "./memory-system.js";
import { MemoryTrials } from "./memory-trials.js";

class Blank {
  readonly name = "blank";
  async reset() {}
  async ingest() {}
  async query() {
    return { answer: "" };
  }
}

async function made(exports: Record<string, unknown>) {
  const source = createMemoryFromModule(exports, "./mine.ts");
  return typeof source === "function" ? source() : source;
}

describe("createMemoryFromModule", () => {
  it("accepts a class, a function, an async function and an object, as default or named export", async () => {
    const object = new Blank();
    for (const exported of [Blank, () => new Blank(), async () => new Blank(), object]) {
      expect(await made({ default: exported })).toBeInstanceOf(Blank);
      expect(await made({ memory: exported, other: 1 })).toBeInstanceOf(Blank);
    }
    expect(await made({ default: object })).toBe(object);
    expect(await made({ default: Blank })).not.toBe(await made({ default: Blank }));
  });

  it("says what a module lacks", async () => {
    expect(() => createMemoryFromModule({ recall: 1 }, "./mine.ts")).toThrow(ShapeError);
    expect(() => createMemoryFromModule({ recall: 1 }, "./mine.ts")).toThrow(
      /mine\.ts exports no memory.*It exports recall\./,
    );
    expect(() => createMemoryFromModule({ default: { name: "x", reset() {} } }, "./mine.ts")).toThrow(
      'The memory in ./mine.ts "x" has no method ingest()',
    );
    expect(() => createMemoryFromModule({ default: 7 }, "./mine.ts")).toThrow("but is the number 7");
    await expect(made({ default: () => "x" })).rejects.toThrow('a function that returned the string "x"');
    await expect(made({ default: () => ({ name: "y" }) })).rejects.toThrow('"y" has no method reset()');
  });

  it("says only once why a memory could not be made", async () => {
    const fails = () => {
      throw new Error("no connection");
    };
    const source = createMemoryFromModule({ default: fails }, "./mine.ts");
    const opening = MemoryTrials.open(source, { conversations: new Map() });
    await expect(opening).rejects.toThrow(
      /^The memory in \.\/mine\.ts could not be made: no connection\. A function must return a memory and is called without arguments\.$/,
    );
    const wrong = MemoryTrials.open(createMemoryFromModule({ default: () => 3 }, "./mine.ts"), {
      conversations: new Map(),
    });
    await expect(wrong).rejects.toThrow(
      /^The memory in \.\/mine\.ts is a function that returned the number 3, not a memory\.$/,
    );
  });
});
