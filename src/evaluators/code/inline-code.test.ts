import { describe, expect, it } from "vitest";
import { startCpuTimer } from "../../testing/cpu-time.js";
import type { CodeTask } from "./task.js";
import { extractTypedCode, findOneLineBlocks, findTaggedBlocks, listVariants } from "./variants.js";

const LABELS = new Set(["", "python", "py"]);
const WHOLE = "def total(xs): return sum(xs)";
const TASK: CodeTask = {
  language: "python",
  prompt: "",
  entryPoint: "total",
  before: "",
  tests: "assert total([]) == 0",
};
const first = (response: string, task = TASK) => listVariants(response, task)[0]?.text;

describe("code between fences on one line", () => {
  it.each([
    ["```python print(1)```", [{ info: "python", code: "print(1)" }]],
    ["```print(1)```", [{ info: "", code: "print(1)" }]],
    [
      "Try ```a = 1``` or ````py b = 2````.",
      [
        { info: "", code: "a = 1" },
        { info: "py", code: "b = 2" },
      ],
    ],
    ["Use ``` for code and `x` for names", []],
    ["``````", []],
    ["none", []],
  ])("is found in %j", (text, blocks) => {
    expect(findOneLineBlocks(text, LABELS)).toEqual(blocks);
  });
});

describe("code in tags", () => {
  it.each([
    ["<code>a &lt; b &amp;&amp; c</code>", [{ info: "", code: "a < b && c" }]],
    ['<pre><code class="language-python">\nx = 1\n</code></pre>', [{ info: "python", code: "x = 1" }]],
    ["<code>a = 1", [{ info: "", code: "a = 1" }]],
    ["<codec>a</codec>", []],
  ])("is found in %j", (text, blocks) => {
    expect(findTaggedBlocks(text)).toEqual(blocks);
  });

  it.each(["<code>", "<code ", "```a", "``` ", ">>> \n", "... "])("is searched quickly in %j", (part) => {
    const text = part.repeat(1_000_000 / part.length);
    const cpuMs = startCpuTimer();
    findTaggedBlocks(text);
    findOneLineBlocks(text, LABELS);
    extractTypedCode(text);
    expect(cpuMs()).toBeLessThan(10_000);
  });
});

describe("extractTypedCode", () => {
  it("extracts what was typed, without output and trial calls", () => {
    const session =
      ">>> import math\n>>> def f(x):\n...     return x + 1\n...\n>>> f(1)\n2\n>>> N = 3\n>>> g = f(N)\n4";
    expect(extractTypedCode(session)).toBe("import math\ndef f(x):\n    return x + 1\nN = 3\ng = f(N)");
  });

  it.each(["def f(x):\n    '''\n    >>> f(1)\n    2\n    '''\n    return 2", ">>> f(1)\n2", "x = 1"])(
    "leaves %j alone",
    (code) => {
      expect(extractTypedCode(code)).toBe(code);
    },
  );
});

describe("listVariants", () => {
  it.each([
    ["a fence on one line", `\`\`\`python ${WHOLE}\`\`\``],
    ["a fence on one line in prose", `The answer is \`\`\`${WHOLE}\`\`\`, which sums.`],
    ["tags", `Here:\n<code>${WHOLE}</code>\nIt sums.`],
    ["tags with a language", `<pre><code class="language-python">${WHOLE}\n</code></pre>`],
    ["a session", `Look:\n>>> ${WHOLE}\n>>> total([1])\n1`],
    ["a session in a fence", `\`\`\`python\n>>> ${WHOLE}\n>>> total([1])\n1\n\`\`\``],
  ])("extracts code from %s", (_, response) => {
    expect(first(response)?.trim()).toBe(WHOLE);
  });

  it("extracts a body from a one-line fence", () => {
    const prompt = "def total(xs):\n";
    expect(first("```return sum(xs)```", { ...TASK, prompt })).toBe(`${prompt}    return sum(xs)`);
  });

  it("does not take a tagged name for the program", () => {
    const response = `Uses <code>sum</code> and \`\`\`len\`\`\`.\n\n${WHOLE}`;
    expect(listVariants(response, TASK).map(({ text }) => text.trim())).toContain(WHOLE);
  });
});
