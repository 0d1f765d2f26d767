import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, computeFingerprint, digest } from "./fingerprint.js";
import type { System } from "./system.js";

describe("canonicalJson", () => {
  it("does not depend on the order of keys, at any depth", () => {
    expect(canonicalJson({ b: 1, a: [{ d: 1, c: 2 }] })).toBe('{"a":[{"c":2,"d":1}],"b":1}');
    expect(canonicalJson([2, 1])).toBe("[2,1]");
    expect(canonicalJson(undefined)).toBe("null");
    expect(canonicalJson({ n: 10n })).toBe('{"n":"10n"}');
  });

  it("parses back to the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe("digest", () => {
  it("returns SHA-256 in hex, equal only for equal content", () => {
    // printf '{}' | sha256sum
    expect(digest({})).toBe("44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
    expect(digest({ a: 1, b: 2 })).toBe(digest({ b: 2, a: 1 }));
    expect(digest({ a: 1 })).not.toBe(digest({ a: "1" }));
  });
});

class Prompted implements System {
  readonly name = "prompted";
  prompt: string;
  options: Record<string, unknown>;

  constructor(prompt: string, options: Record<string, unknown> = {}) {
    this.prompt = prompt;
    this.options = options;
  }

  process() {
    return { response: this.prompt };
  }
}

const print = (system: System) => computeFingerprint(system, "process");

describe("computeFingerprint", () => {
  it("covers the name, own plain fields and the source of the method", () => {
    const base: System = { name: "a", process: () => ({ response: "x" }) };
    expect(print(base)).toBe(print({ ...base }));
    expect(print(base)).not.toBe(print({ ...base, name: "b" }));
    expect(print(base)).not.toBe(print({ ...base, process: () => ({ response: "y" }) }));
    expect(print(new Prompted("one"))).toBe(print(new Prompted("one")));
    expect(print(new Prompted("one"))).not.toBe(print(new Prompted("two")));
    expect(print(new Prompted("one", { model: "m1" }))).not.toBe(print(new Prompted("one", { model: "m2" })));
  });

  it("covers regular expressions, URLs, dates, functions and collections in fields", () => {
    const pairs: [unknown, unknown][] = [
      [/a/g, /b/g],
      [new URL("http://one/"), new URL("http://two/")],
      [new Date(0), new Date(1)],
      [() => 1, () => 2],
      [new Map([["a", 1]]), new Map([["a", 2]])],
      [new Set([1]), new Set([2])],
      [
        [1, [2]],
        [1, [3]],
      ],
    ];
    for (const [one, two] of pairs) {
      expect(print(new Prompted("p", { value: one }))).not.toBe(print(new Prompted("p", { value: two })));
    }
  });

  it("identifies a live object by its strings, so that a client's counters do not change it", () => {
    class Client {
      readonly model: string;
      readonly openedAt: number;
      constructor(model: string, openedAt: number) {
        this.model = model;
        this.openedAt = openedAt;
      }
    }
    const one = print(new Prompted("p", { client: new Client("m", 1) }));
    expect(print(new Prompted("p", { client: new Client("m", 2) }))).toBe(one);
    expect(print(new Prompted("p", { client: new Client("n", 1) }))).not.toBe(one);
  });

  it("distinguishes classes by their whole source, not only by `process`", () => {
    const first = new (class {
      readonly name = "s";
      process() {
        return this.ask();
      }
      ask() {
        return { response: "one" };
      }
    })();
    const second = new (class {
      readonly name = "s";
      process() {
        return this.ask();
      }
      ask() {
        return { response: "two" };
      }
    })();
    expect(computeFingerprint(first, "process")).not.toBe(computeFingerprint(second, "process"));
  });

  it("handles cycles, and distinguishes a repeated value from a missing one", () => {
    const circle: Record<string, unknown> = { model: "m" };
    circle.self = circle;
    expect(print(new Prompted("p", circle))).toMatch(/^[0-9a-f]{64}$/);
    const shared = { text: "x" };
    expect(print(new Prompted("p", { a: shared, b: shared }))).not.toBe(print(new Prompted("p", { a: shared })));
  });

  it("prefers the object's own fingerprint(), combined with its name", () => {
    const own = (name: string, value: unknown): System => ({
      name,
      process: () => ({ response: String(value) }),
      fingerprint: () => value,
    });
    expect(print(own("a", { model: 1 }))).toBe(print({ ...own("a", { model: 1 }), process: () => ({}) }));
    expect(print(own("a", 1))).not.toBe(print(own("a", 2)));
    expect(print(own("a", 1))).not.toBe(print(own("b", 1)));
  });

  it("rejects a promise", () => {
    const system: System = { name: "late", process: () => ({}), fingerprint: async () => "abc" };
    expect(() => print(system)).toThrow(/fingerprint\(\) of "late" returned a promise/);
  });
});
