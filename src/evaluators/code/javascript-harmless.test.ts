import vm from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inspected } from "../../sandbox/javascript/harmless.js";
import { KEY_CHECK, rewritten } from "../../sandbox/javascript/rewritten.js";
import { tokensOf } from "../../sandbox/javascript/tokens.js";

/** What a program comes to when it is written from its tokens; the keys it was checked for go to `keys`. */
function run(text: string, keys: unknown[] = []): unknown {
  const check = (key: unknown) => {
    keys.push(key);
    return key;
  };
  return vm.runInNewContext(rewritten(tokensOf(text)) ?? "throw 1", { [KEY_CHECK]: check });
}

describe("a program that is written from its tokens", () => {
  it.each([
    ["1 + 2 // three\n", 3],
    ["const a = 8, g = 2; a /2/ g", 2],
    ["const f = () => 8\nf() / 2", 4],
    ["/[/]\\/x/g.test('a//x') ? 'y' : 'n'", "y"],
    ["if (true) /b/.test('b')", true],
    ["`a$" + "{1 + `b$" + "{2}`}c`", "a1b2c"],
    ["'\\x41\\u{42}\\\n\\n'.length", 3],
    ["let i = 1, j = 1; i++ < !--j ? 'a' : 'b'", "b"],
    ["const o = { [`x`]: [1, [2]] }; o?.['x'][1][0]", 2],
    ["let a = [1, 2]\n;[a[0], a[1]] = [a[1], a[0]]\na.join()", "2,1"],
    [
      "class A { static [`n`] = [1]; x = [2];\n *[`g`]() { yield [3] } }; [A.n, new A().x, [...new A().g()]].join()",
      "1,2,3",
    ],
    ["let s = ''; for (const [k, v] of [['a', 1]]) s += k + v; s", "a1"],
    ["const { ['k']: v, ...rest } = { k: 1, l: 2 }; v + rest.l", 3],
    ["const f = function () { return [1][0] }\nf()", 1],
    ["1_000.5 + 0x10 + .5 + 1e3", 2017],
  ])("comes to the same: %j", (text, value) => {
    expect(run(text)).toEqual(value);
    expect(vm.runInNewContext(text)).toEqual(value);
  });

  it("has every computed key checked, and no list", () => {
    const keys: unknown[] = [];
    run(
      "const o = { ['a']: [7] }; const { ['a']: x } = o; o['a'][0]; o?.['b']; (o)['c']; `t`['length']; if (o) [o.z] = [1]",
      keys,
    );
    expect(keys).toEqual(["a", "a", "a", 0, "b", "c", "length"]);
  });

  it.each(["if (1) {} [1].x", "var of = 1; of[1]", "async () => { await [1] }"])(
    "is not written where it is not sure: %j",
    (text) => {
      expect(rewritten(tokensOf(text))).toBeNull();
    },
  );

  it("says what its strings say", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(run(`(${JSON.stringify(text)})`)).toBe(text);
      }),
    );
  });

  it("never hides a word from the inspection, whatever marks stand around it", () => {
    const marks = fc.array(
      fc.constantFrom(
        "`",
        "'",
        '"',
        "/",
        "\\",
        "${",
        "}",
        "{",
        "(",
        ")",
        "[",
        "]",
        "<!--",
        "-->",
        "//",
        "/*",
        "*/",
        "\n",
        " ",
        "a",
        "1",
        "++",
        "=",
        "$",
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(marks, marks, (before, after) => {
        let isReached = false;
        const text = `${before.join("")} process() ${after.join("")}`;
        const found = inspected(text);
        if ("doubt" in found) return;
        const written = rewritten(found.tokens) ?? "";
        const process = () => {
          isReached = true;
        };
        try {
          vm.runInNewContext(written, { process, a: 1, $: 1, [KEY_CHECK]: (key: unknown) => key }, { timeout: 100 });
        } catch {
          // What is no program, or fails, has not reached it.
        }
        expect([text, isReached]).toEqual([text, false]);
      }),
      { numRuns: 3000 },
    );
  });
});

describe("inspected", () => {
  it.each([
    "const f = (xs) => xs.map((x) => x * 2).filter(Boolean)",
    "class A extends Map { constructor() { super() } get size2() { return this.size } }",
    "function F() {}\nF.prototype.run = function () { return this.constructor.name }",
    "const { EventEmitter } = require('node:events')",
    "console.log(Math.max(...[1, 2]))",
    "Array.prototype.slice.call(arguments)",
    "p.then((x) => x).catch(() => {})",
    "const o = Object.assign({}, { a: 1 })",
    "module.exports = { f: 1 }",
  ])("lets in %j", (text) => {
    expect(inspected(text)).toHaveProperty("tokens");
  });

  it.each([
    "process.exit()",
    "x.constructor",
    "const { constructor: C } = []",
    "({ 'constructor': C } = [])",
    "x.__proto__ = y",
    "Array.prototype.map = 1",
    "const P = Array.prototype",
    "xs.push = 1",
    "Object.assign(xs, {})",
    "const { assign } = Object",
    "console.log = 1",
    "const c = console",
    "require(name)",
    "require('fs')",
    "({ then() {} })",
    "({ valueOf: 1 })",
    "({ get toJSON() { return 1 } })",
    "new Proxy({}, {})",
    "Reflect.get(a, b)",
    "globalThis.x",
    "Buffer.from = 1",
    "const b = Buffer",
    "setTimeout = 1",
    "assay$key = 1",
    "import('fs')",
    "pr\\u006fcess",
    "f(x.arguments)",
    "a\u2028b",
    "'unclosed",
    "(]",
  ])("refuses %j", (text) => {
    expect(inspected(text)).toHaveProperty("doubt");
  });
});
