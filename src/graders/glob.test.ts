import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findGlobProblem, readGlob } from "./glob.js";

const CASES: readonly [pattern: string, path: string, isMeant: boolean][] = [
  ["add.js", "add.js", true],
  ["./add.js", "add.js", true],
  ["add.js", "src/add.js", false],
  ["*.js", "add.js", true],
  ["*.js", "src/add.js", false],
  ["*.js", "add.jsx", false],
  ["**/*.js", "add.js", true],
  ["**/*.js", "a/b/add.js", true],
  ["src/**", "src/a/b.txt", true],
  ["src/**/test/*.ts", "src/a/b/test/c.ts", true],
  ["src/**/test/*.ts", "src/test/c.ts", true],
  ["src/**/test/*.ts", "src/a/c.ts", false],
  ["a?c", "abc", true],
  ["a?c", "ac", false],
  ["{add,sub}.{js,ts}", "sub.ts", true],
  ["{add,sub}.{js,ts}", "mul.ts", false],
  ["{a,b{1,2}}.txt", "b2.txt", true],
  ["{a}.txt", "{a}.txt", true],
  ["[ab].txt", "b.txt", true],
  ["[!ab].txt", "b.txt", false],
  ["[a-c]1", "b1", true],
  ["[a-c]1", "d1", false],
  ["*.txt", ".txt", true],
  ["a.b", "axb", false],
  ["**/*.js", "node_modules/x/a.js", false],
  ["node_modules/**/*.js", "node_modules/x/a.js", true],
  ["**/node_modules/**/*.js", "a/node_modules/x/a.js", true],
  ["**", ".git/config", false],
  ["**/.gitignore", "a/.git/.gitignore", false],
  ["app/(group)/*.tsx", "app/(group)/page.tsx", true],
  ["!a*", "!ab", true],
  ["#a*", "#ab", true],
  ["+(a)", "+(a)", true],
];

describe("readGlob", () => {
  it.each(CASES)("%s on %s: %s", (pattern, path, isMeant) => {
    expect(readGlob(pattern).matches(path)).toBe(isMeant);
  });

  it("agrees with a brute-force matcher", () => {
    const part = fc.constantFrom("*", "?", "a", "b", "[ab]", "[!a]");
    const segment = fc.oneof(
      fc.constant("**"),
      fc.array(part, { minLength: 1, maxLength: 4 }).map((all) => all.join("")),
    );
    const name = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 4 });
    const segments = fc
      .array(segment, { minLength: 1, maxLength: 4 })
      .map((all) => all.map((each) => each.replace(/^\*{3,}$/, "*")));
    fc.assert(
      fc.property(segments, fc.array(name, { minLength: 1, maxLength: 5 }), (pattern, path) => {
        expect(readGlob(pattern.join("/")).matches(path.join("/"))).toBe(tried(pattern, path));
      }),
      { numRuns: 2000 },
    );
  });

  it("never skips a folder that contains a match", () => {
    for (const [pattern, path, isMeant] of CASES) {
      const parts = path.split("/");
      const folders = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join("/"));
      if (isMeant) for (const folder of folders) expect(readGlob(pattern).canContain(folder), pattern).toBe(true);
    }
    expect(readGlob("src/*.js").canContain("lib")).toBe(false);
    expect(readGlob("src/*.js").canContain("src/deep")).toBe(false);
    expect(readGlob("**/*.js").canContain("a/node_modules")).toBe(false);
  });

  it("is fast for many stars", () => {
    expect(readGlob(`${"*a".repeat(30)}b`).matches("a".repeat(200))).toBe(false);
  });
});

function tried(pattern: readonly string[], path: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return path.length === 0;
  if (first === "**" && rest.length === 0) return path.length > 0;
  if (first === "**") return path.some((_, at) => tried(rest, path.slice(at))) || tried(rest, []);
  const expression = first.replaceAll("*", ".*").replaceAll("?", ".").replaceAll("[!", "[^");
  return path.length > 0 && new RegExp(`^${expression}$`).test(path[0] ?? "") && tried(rest, path.slice(1));
}

describe("findGlobProblem", () => {
  it.each([
    ["/etc/passwd", "relative"],
    ["C:\\x", "relative"],
    ["a/../../b", "leave"],
    ["a\\b", "slashes"],
    ["a\0b", "null"],
    ["{a,b}".repeat(12), "too many"],
  ])("rejects %j", (pattern, word) => {
    expect(findGlobProblem(pattern)).toContain(word);
  });

  it("accepts valid patterns", () => {
    for (const [pattern] of CASES) expect(findGlobProblem(pattern)).toBeNull();
  });
});
