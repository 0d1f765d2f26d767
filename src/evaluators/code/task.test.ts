import { describe, expect, it } from "vitest";
import type { Example } from "../../core/example.js";
import { type CodeTask, readCodeTask } from "./task.js";

const read = (example: Omit<Example, "id">) => readCodeTask({ id: 1, ...example }) as CodeTask;
const STUB = 'def add(a, b):\n    """Adds."""\n';

describe("readCodeTask", () => {
  it("reads HumanEval", () => {
    const tests = "def check(candidate):\n    assert candidate(1, 2) == 3\n";
    const expected = { language: "python", prompt: STUB, entryPoint: "add", before: "", tests };
    expect(read({ prompt: STUB, entry_point: "add", test: tests })).toEqual(expected);
    expect(read({ context: STUB, question: "Complete it.", entry_point: "add", test: tests })).toEqual(expected);
    expect(read({ question: STUB, entry_point: "add", test: tests })).toEqual(expected);
  });

  it("finds the prompt in a fence", () => {
    const question = `Complete this:\n\n\`\`\`python\n${STUB}\`\`\`\n`;
    expect(read({ question, entry_point: "add", test: "t" }).prompt).toBe(STUB);
  });

  it("does not take prose for a prompt", () => {
    expect(read({ question: "Write add(a, b).", entry_point: "add", test: "assert add(1, 2) == 3" }).prompt).toBe("");
  });

  it("reads MBPP", () => {
    const task = read({
      question: "Write a function to find the area.",
      test_imports: ["import math"],
      test_setup_code: "SIDE = 2",
      test_list: ["assert area(SIDE) == 4", "assert area(3) == 9"],
    });
    expect(task.before).toBe("import math\nSIDE = 2");
    expect(task.tests).toBe("import math\nSIDE = 2\nassert area(SIDE) == 4\nassert area(3) == 9");
    expect(task.entryPoint).toBe("");
  });

  it("finds the function of a plain prompt by the calls in the tests", () => {
    const prompt = "import math\n\ndef helper(x):\n    return x\n\ndef area(r):\n    pass\n";
    expect(read({ prompt, test: "assert area(1) > 3" }).entryPoint).toBe("area");
  });

  it("reads HumanEval-X, which has its language in its id", () => {
    const prompt = "const poly = (xs) => { return 1 }\nconst findZero = (xs) => {\n";
    const task = read({ task_id: "JavaScript/32", prompt, test: "console.assert(findZero([1]) === 0)" });
    expect(task).toMatchObject({ language: "javascript", entryPoint: "findZero", prompt });
  });

  it.each([
    ["js", "javascript"],
    ["Node", "javascript"],
    ["py", "python"],
    ["Python", "python"],
    ["", "python"],
    [null, "python"],
  ])("reads %j as %s", (language, expected) => {
    expect(read({ language, test: "t" }).language).toBe(expected);
  });

  it("accepts a builtin's name as the requested function if the tests call nothing else", () => {
    const tests = ["assert sum(10,15) == 6", "assert sum(100,150) == 93"];
    expect(read({ question: "q", test_list: tests })).toMatchObject({ entryPoint: "sum" });
    expect(read({ question: "q", test_list: ["assert set(f([1])) == {1}"] })).toMatchObject({ entryPoint: "" });
    expect(read({ question: "q", test_list: ["assert add(1, 2) == 3"] })).toMatchObject({ entryPoint: "" });
  });

  it("reports what is missing", () => {
    expect(read({ question: "q" })).toBe("the example has no test, tests or test_list");
    expect(read({ question: "q", test: " ", test_list: [] })).toBe("the example has no test, tests or test_list");
    expect(read({ question: "q", test: "t", language: "rust" })).toBe(
      'the language is "rust", not python or javascript',
    );
    expect(readCodeTask({ id: 1, question: "q", test: "t", language: "rust" }, "python")).toMatchObject({
      language: "python",
    });
  });
});
