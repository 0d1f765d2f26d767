import { describe, expect, it } from "vitest";
import { MAX_YAML_DEPTH, parseYaml } from "./yaml.js";

async function said(text: string): Promise<string[]> {
  const { problems } = await parseYaml(text);
  return problems.map(({ line, column, text: what }) => `${line}:${column} ${what}`);
}

const brackets = (levels: number) => `a: ${"[".repeat(levels)}${"]".repeat(levels)}`;

describe("parseYaml", () => {
  it("explains that a file has two documents", async () => {
    expect(await said("a: 1\n---\nb: 2\n")).toEqual([expect.stringMatching(/^2:1 a second document begins here/)]);
    expect(await said("---\na: 1\n...\n")).toEqual([]);
  });

  it("reports unknown tags and continues", async () => {
    const text = "a: !foo 1\nb: !bar { c: 2 }\nd: !!str 3\n";
    expect(await said(text)).toEqual(["1:4 unknown tag !foo. Remove it.", "2:4 unknown tag !bar. Remove it."]);
    expect(await parseYaml(text)).toMatchObject({ isBroken: false, value: { d: "3" } });
  });

  it.each([
    ["brackets", brackets(20_000)],
    ["brackets that are not closed", `a: ${"[".repeat(20_000)}`],
    ["dashes", `${"- ".repeat(5000)}a`],
    ["keys", Array.from({ length: 500 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
  ])("rejects nesting that is too deep, with its position: %s", async (_, text) => {
    const tree = await parseYaml(text);
    expect(tree.isBroken).toBe(true);
    expect(tree.value).toBeNull();
    expect(tree.problems).toEqual([
      { line: expect.any(Number), column: expect.any(Number), text: expect.stringMatching(/^the file is nested more/) },
    ]);
    expect(tree.locate(["a"])).toEqual({ line: 1, column: 1 });
  });

  it("accepts nesting up to the limit and no deeper", async () => {
    expect(await said(brackets(MAX_YAML_DEPTH))).toEqual([]);
    expect(await said(brackets(MAX_YAML_DEPTH + 1))).toEqual([expect.stringContaining("nested more than")]);
  });
});
