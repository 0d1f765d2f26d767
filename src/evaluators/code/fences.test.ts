import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startCpuTimer } from "../../testing/cpu-time.js";
import { findCodeBlocks } from "./source-text.js";

const block = (info: string, code: string) => ({ info, code });

describe("findCodeBlocks", () => {
  it.each([
    ["no fence at all", []],
    ["Text\n```python\na = 1\n```\nmore", [block("python", "a = 1")]],
    ["```\na\n```\n```js\nb\n```", [block("", "a"), block("js", "b")]],
    ["~~~Python\na\n~~~", [block("python", "a")]],
    ["```python title=x\na\n```", [block("python", "a")]],
    ["```python\nnever\nclosed", [block("python", "never\nclosed")]],
    ["```python\nfirst\n```python\nsecond\n```", [block("python", "first"), block("python", "second")]],
    ["````md\n```python\na\n```\n````", [block("md", "```python\na\n```")]],
    ["1. So:\n   ```python\n   def f():\n       pass\n   ```", [block("python", "def f():\n    pass")]],
    ["Use ``` for code and `x` for names", []],
    ["Answer: ```python\na = 1\n```", [block("python", "a = 1")]],
    ["Answer: ```\na = 1", []],
    ["> ```python\n> if a:\n>     b\n> ```\n> prose", [block("python", "if a:\n    b")]],
    [
      '```\ndef f():\n    """\n    ```\n    x\n    ```\n    """\n```',
      [block("", 'def f():\n    """\n    ```\n    x\n    ```\n    """')],
    ],
    ["```print(1)```", []],
    ["```\n\n```", [block("", "")]],
  ])("reads %j", (text, expected) => {
    expect(findCodeBlocks(text)).toEqual(expected);
  });

  it("finds any fenced code", () => {
    const code = fc.string().filter((text) => !/[`~\r]/.test(text));
    fc.assert(
      fc.property(code, (text) => {
        expect(findCodeBlocks(`Prose.\n\`\`\`python\n${text}\n\`\`\`\nProse.`)).toEqual([block("python", text)]);
      }),
    );
  });

  it.each(["`", " ", "\n", "```\n", "~~~a\n", "\t```", "a"])("handles a million characters of %j at once", (part) => {
    const cpuMs = startCpuTimer();
    findCodeBlocks(part.repeat(1_000_000 / part.length));
    expect(cpuMs()).toBeLessThan(10_000);
  });
});
