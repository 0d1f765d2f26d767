import { describe, expect, it } from "vitest";
import { startCpuTimer } from "../../testing/cpu-time.js";
import type { CodeTask } from "./task.js";
import { convertToScript, listVariants } from "./variants.js";

const PROMPT = 'from typing import List\n\n\ndef total(xs: List[int]) -> int:\n    """ Sum. """\n';
const TASK: CodeTask = {
  language: "python",
  prompt: PROMPT,
  entryPoint: "total",
  before: "",
  tests: "def check(c): pass",
};
const PLAIN: CodeTask = { ...TASK, prompt: "", entryPoint: "", tests: "assert Stack().size() == total([])" };
const first = (response: string, task = TASK) => listVariants(response, task)[0]?.text;
const all = (response: string, task = TASK) => listVariants(response, task).map(({ text }) => text);

const WHOLE = "def total(xs):\n    return sum(xs)";
const fence = (code: string, info = "python") => `\`\`\`${info}\n${code}\n\`\`\``;

describe("listVariants, Python", () => {
  it("continues the prompt with a body unchanged", () => {
    expect(first("    return sum(xs)\n")).toBe(`${PROMPT}    return sum(xs)\n`);
    expect(first("\n    return sum(xs)\n")).toBe(`${PROMPT}\n    return sum(xs)\n`);
    expect(first("\treturn sum(xs)\n")).toBe(`${PROMPT}\treturn sum(xs)\n`);
  });

  it("restores the first indent of a trimmed body, or all of them", () => {
    const body = "for x in xs:\n        pass\n    return sum(xs)";
    expect(first(body)).toBe(`${PROMPT}    ${body}`);
    expect(all("if xs:\n    return 1\nreturn 0")).toContain(`${PROMPT}    if xs:\n        return 1\n    return 0`);
  });

  it("converts a body's tabs if the prompt has spaces", () => {
    expect(all("\tif xs:\n\t\treturn 1\n\treturn 0")).toContain(`${PROMPT}    if xs:\n        return 1\n    return 0`);
  });

  it("uses a whole function, with the prompt for its imports", () => {
    expect(all(WHOLE)).toEqual(expect.arrayContaining([`${PROMPT}\n\n${WHOLE}`, WHOLE]));
    expect(first(`${PROMPT}    return sum(xs)`)).toContain("return sum(xs)");
  });

  it.each([
    ["a fence", fence(WHOLE)],
    ["a fence without a language", fence(WHOLE, "")],
    ["a fence of another language", fence(WHOLE, "text")],
    ["prose around a fence", `Sure!\n\n${fence(WHOLE)}\n\nIt sums.`],
    ["a fence that is never closed", `Sure:\n\`\`\`python\n${WHOLE}`],
    ["Windows newlines", `Sure!\r\n\`\`\`python\r\n${WHOLE.replaceAll("\n", "\r\n")}\r\n\`\`\`\r\n`],
    ["thoughts", `<think>\n${fence("def total(xs):\n    return 0")}\n</think>\n${fence(WHOLE)}`],
    ["a first try", `${fence("def total(xs):\n    return 0")}\nThat is wrong. Better:\n${fence(WHOLE)}`],
    ["an example of its use", `${fence(WHOLE)}\nUse it:\n${fence("result = total([1])\nprint(result)")}`],
    ["a shell command", `${fence("pip install x", "bash")}\n${fence(WHOLE)}\n${fence("6", "text")}`],
    ["a fence that the prompt had opened", `${WHOLE}\n\`\`\`\n\nIt sums.`],
    ["a fence behind text", `Answer: ${fence(WHOLE)}`],
    ["a quote", `> ${fence(WHOLE).replaceAll("\n", "\n> ")}`],
    ["a text with a byte-order mark", `\uFEFF${fence(WHOLE)}`],
    ["no-break spaces", fence(WHOLE.replaceAll("    ", "\u00A0\u00A0\u00A0\u00A0"))],
    ["a usage that imports it", `${fence(WHOLE)}\n${fence("from solution import total\nprint(total([1]))")}`],
    ["an outline after it", `${fence(WHOLE)}\nOr:\n${fence("def total(xs):\n    # your code here\n    ...")}`],
    ["an outline on one line after it", `${fence(WHOLE)}\nOr:\n${fence("def total(xs): pass")}`],
    ["markers", `[BEGIN]\n${fence(WHOLE)}\n[DONE]`],
    ["a list", `1. Code:\n   \`\`\`python\n   ${WHOLE.replace("\n", "\n   ")}\n   \`\`\``],
  ])("finds the function in %s", (_, response) => {
    expect(listVariants(response, TASK)[0]).toEqual({ text: `${PROMPT}\n\n${WHOLE}`, mayCut: false });
  });

  it("joins blocks that build on each other, in any order", () => {
    const helper = "import math\n\ndef helper(x):\n    return math.floor(x)";
    const main = "def total(xs):\n    return helper(sum(xs))";
    expect(first(`${fence(helper)}\nthen\n${fence(main)}`)).toBe(`${PROMPT}\n\n${helper}\n\n${main}`);
    expect(first(`${fence(main)}\nwith\n${fence(helper)}`)).toBe(`${PROMPT}\n\n${main}\n\n${helper}`);
  });

  it.each([
    "from math import *",
    "from math import (\n    fsum,\n    pi,\n)",
    "import math\nfrom typing import Any",
    "memo = {}",
    "from math import (\n    fsum,\n)\nmemo: dict = dict()",
  ])("keeps a block that sets up %j", (block) => {
    const main = "def total(xs):\n    memo[1] = fsum(xs)\n    return memo[1]";
    expect(first(`${fence(block)}\nthen\n${fence(main)}`)).toBe(`${PROMPT}\n\n${block}\n\n${main}`);
  });

  it("drops a block that shows how a function is used, even if it defines a value of the same name", () => {
    const main = "def total(values):\n    return sum(values)";
    expect(first(`${fence(main)}\n${fence("values = [1]\nprint(total(values))")}`)).toBe(`${PROMPT}\n\n${main}`);
  });

  it("ends at MBPP's markers, and only there", () => {
    for (const response of [`[BEGIN]\n${WHOLE}\n[DONE]`, `${WHOLE}\n[DONE]\n\nYou are an expert`, `${WHOLE}[DONE]`]) {
      expect(first(response, PLAIN)?.trim()).toBe(WHOLE);
    }
    const streaming = 'def total(xs):\n    return xs == "data: [DONE]"';
    expect(first(streaming, PLAIN)).toBe(streaming);
  });

  it("adds the types that a class Solution does not import", () => {
    const solution = "class Solution:\n    def total(self, xs: List[int]) -> Optional[int]:\n        return sum(xs)";
    const task = { ...PLAIN, tests: "assert Solution().total([1]) == 1" };
    expect(first(fence(solution), task)).toBe(`from typing import List, Optional\n${solution}`);
    const whole = `from typing import List, Optional\n${solution}`;
    expect(first(fence(whole), task)).toBe(whole);
    const future = "from __future__ import annotations\n";
    expect(first(fence(future + solution), task)).toBe(`${future}from typing import List, Optional\n${solution}`);
    expect(first(fence(WHOLE.replace("xs", "xs: List")), PLAIN)).not.toContain("import");
  });

  it("finds what plain tests need", () => {
    const stack = "class Stack:\n    def size(self): return 0";
    const response = `${fence(stack)}\n${fence(WHOLE)}\n${fence("print(Stack())")}`;
    expect(first(response, PLAIN)).toBe(`${stack}\n\n${WHOLE}`);
  });

  it("lets prose around bare code be cut", () => {
    const response = `Here is the code:\n\n${WHOLE}\n\nIt sums.`;
    expect(listVariants(response, TASK)).toContainEqual({ text: `${PROMPT}\n\n${WHOLE}\n\nIt sums.`, mayCut: true });
  });

  it("ends a body at the fence that the prompt opened", () => {
    expect(first("    return sum(xs)\n```\nIt sums.")).toBe(`${PROMPT}    return sum(xs)`);
  });

  it("finds no code where there is none", () => {
    for (const response of ["", " \n\t", "```python\n```", "<think>\nI wonder", "<think>code</think>  "]) {
      expect(listVariants(response, TASK)).toEqual([]);
    }
  });

  it.each([
    "a",
    " ",
    "\t",
    "\n",
    "`",
    "```\n",
    "def f\n",
    "import ",
    "```python\ndef a(): b\n```\n",
    "x = ",
    "from . ",
    "<think>",
    "> ```\n",
    "a: ```py\n",
    "from a import (",
    "[DONE] ",
    "\u00A0",
    "class Solution:\n",
    'def total(xs):\n    """\n',
  ])("handles a million characters of %j at once", (part) => {
    const text = part.repeat(1_000_000 / part.length);
    const cpuMs = startCpuTimer();
    listVariants(text, TASK);
    listVariants(text, { ...TASK, language: "javascript" });
    listVariants(text, PLAIN);
    expect(cpuMs()).toBeLessThan(10_000);
  });
});

describe("listVariants, JavaScript", () => {
  const prompt = "const poly = (x) => x\n/* Sum. */\nconst total = (xs) => {\n";
  const task: CodeTask = { language: "javascript", prompt, entryPoint: "total", before: "", tests: "total([1])" };

  it("continues the prompt with a body, closed or not", () => {
    expect(first("  return 1\n}\n", task)).toBe(`${prompt}  return 1\n}\n`);
    expect(all("  return 1\n", task)).toContain(`${prompt}  return 1\n\n}`);
  });

  it("uses a whole function, with the part of the prompt before it", () => {
    const whole = "function total(xs) { return poly(1) }";
    expect(first(fence(whole, "js"), task)).toBe(`const poly = (x) => x\n/* Sum. */\n${whole}`);
    expect(all(fence(whole, "js"), task)).toContain(whole);
  });
});

describe("convertToScript", () => {
  it.each([
    ["export function f() {}", "function f() {}"],
    ["export default function f() {}", "function f() {}"],
    ["export const a = 1", "const a = 1"],
    ["export default f;", "module.exports = f;"],
    ["export { f };", ""],
    ['import fs from "fs";', 'const fs = require("fs");'],
    ["import * as path from 'node:path'", 'const path = require("node:path");'],
    ["import { a, b as c } from 'm'", 'const { a, b: c } = require("m");'],
    ["import d, { a } from 'm'", 'const d = require("m"); const { a } = require("m");'],
    ["import {\n  a,\n  b as c,\n} from 'm'", 'const { a, b: c } = require("m");\n\n\n'],
    ["export {\n  a,\n};\nb()", "\n\n\nb()"],
    ["importance = 1", "importance = 1"],
    ["  export = 1", "  export = 1"],
  ])("turns %j into %j", (line, expected) => {
    expect(convertToScript(line)).toBe(expected);
  });
});
