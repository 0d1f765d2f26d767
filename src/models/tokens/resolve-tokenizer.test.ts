import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registry, type Tokenizer } from "../../core/index.js";
import { resolveTokenizer } from "./resolve-tokenizer.js";
import { loadTokenizer } from "./tokenizer.js";

class Words {
  readonly separator = " ";
  count(text: string) {
    return text.split(this.separator).length;
  }
  countPieces(text: string) {
    return text.split(this.separator).map(() => 1);
  }
}

describe("resolveTokenizer", () => {
  it("returns the default, also if nothing is registered", () => {
    expect(resolveTokenizer()).toBe(loadTokenizer("cl100k_base"));
  });

  it("returns a tokenizer as it is, and refuses what cannot count", () => {
    const own: Tokenizer = { count: () => 3 };
    expect(resolveTokenizer(own)).toBe(own);
    for (const wrong of [{}, null, 3])
      expect(() => resolveTokenizer(wrong as unknown as Tokenizer)).toThrow("an object with a method count(text)");
  });

  describe("of a plugin", () => {
    beforeAll(() => {
      registry.register("tokenizer", "test-words", new Words());
      registry.register("tokenizer", "test-made", () => ({ name: "test-made", count: () => 7 }));
      registry.register("tokenizer", "test-broken", () => ({}) as Tokenizer);
    });
    // The registry is shared by the process; other tests only look for their own names.
    afterAll(() => registry.register("tokenizer", "test-broken", { count: () => 0 }, { replace: true }));

    it("has the name it was registered under, and keeps its own methods", () => {
      const words = resolveTokenizer("test-words");
      expect(words.name).toBe("test-words");
      expect(words.count("a b c")).toBe(3);
      expect([...(words.countPieces?.("a b c") ?? [])]).toEqual([1, 1, 1]);
    });

    it("may be made when it is used", () => {
      expect(resolveTokenizer("test-made").count("")).toBe(7);
    });

    it("is refused if it cannot count or is unknown", () => {
      expect(() => resolveTokenizer("test-broken")).toThrow('The tokenizer "test-broken"');
      expect(() => resolveTokenizer("test-word")).toThrow('Unknown tokenizer "test-word". Did you mean "test-words"?');
      expect(() => registry.register("tokenizer", "x", {} as Tokenizer)).toThrow("count()");
    });
  });
});
