import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findFirstCall } from "./tool-calling.js";

describe("findFirstCall", () => {
  it.each([
    ["def f(x):\n  return x", "assert f(1) == 1", "f(1)"],
    ["def f(a, b):\n  return a", "assert set(f((1, 2), [3])) == {1}", "f((1, 2), [3])"],
    ["def f(s): return s", 'assert f("a)(\\")") == \'\'', 'f("a)(\\")")'],
    ["def f(s): return s", "assert not f('it\"s (')", "f('it\"s (')"],
    ["def len_of(x): return 1", "assert len(len_of([1])) == 1", "len_of([1])"],
    ["import re\ndef helper(): pass\ndef main(x): pass", "assert main(4)", "main(4)"],
    ["set(())\ndef f(x): pass", "assert set(f(1)) == set()", "f(1)"],
    ["f = lambda x: x", "assert f (2) == 2", "f (2)"],
    ["class Pair(object):\n  pass\ndef best(ps): pass", "assert best([Pair(1, 2)], 1) == 3", "best([Pair(1, 2)], 1)"],
    ["def f(x): pass", "assert math.isclose(f(10), 4.2, rel_tol=0.01)", "f(10)"],
  ])("%j, %j", (program, test, call) => {
    expect(findFirstCall(program, test)).toBe(call);
  });

  it.each([
    ["def f(x): pass", "assert g(1)"],
    ["def f(x): pass", "assert f == 1"],
    ["def f(x): pass", "assert f((1)"],
    ["", "assert f(1)"],
    ["  def inner(x): pass", "assert inner(1)"],
    ["x == 1", "assert x(1)"],
  ])("finds no call of %j in %j", (program, test) => {
    expect(findFirstCall(program, test)).toBeNull();
  });

  it("ends at the end of the call, whatever strings and brackets it contains", () => {
    const argument = fc.letrec<{ any: string; nested: string }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.string().map((text) => JSON.stringify(text)),
        fc.constant("1"),
        tie("nested"),
      ),
      nested: fc.array(tie("any"), { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
    })).any;
    fc.assert(
      fc.property(argument, argument, (one, two) => {
        expect(findFirstCall("def f(a): pass", `assert (f(${one})) == ${two}`)).toBe(`f(${one})`);
      }),
    );
  });
});
