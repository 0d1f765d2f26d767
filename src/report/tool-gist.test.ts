import { describe, expect, it } from "vitest";
import { formatToolArguments, summarizeToolCall } from "./timeline.js";

describe("summarizeToolCall", () => {
  it.each<[string, unknown, string]>([
    ["a command", { command: "npm test", description: "Run the tests" }, "npm test"],
    ["a command in words", { cmd: ["bash", "-lc", "ls"] }, "bash -lc ls"],
    ["a file to write", { file_path: "a.js", content: "\nexport {};\n" }, "a.js: export {};"],
    ["a file to edit", { filePath: "a.js", oldString: "1", newString: "2" }, "a.js: 2"],
    ["a file to read", { path: "a.js", offset: 3 }, "a.js"],
    ["an editor that has commands", { command: "view", path: "a.js" }, "view a.js"],
    ["files that were changed", { changes: [{ path: "a", kind: "add" }, { path: "b" }, 3] }, "a, b"],
    ["a patch", { input: "*** Begin Patch\n*** Update File: a.js\n@@\n*** Add File: b.js\n+1" }, "a.js, b.js"],
    ["a search", { pattern: "TODO", "-n": true }, "TODO"],
    ["anything else", { depth: 2, deep: { x: 1 } }, '{"depth":2,"deep":{"x":1}}'],
    ["arguments as text", '{"command":"ls"}', "ls"],
    ["text that only looks like it", "{ broken", "{ broken"],
    ["a list", [1, 2], "[1,2]"],
    ["nothing", undefined, ""],
    ["null", null, "null"],
  ])("summarizes %s", (_, given, gist) => {
    expect(summarizeToolCall(given)).toBe(gist);
  });
});

describe("formatToolArguments", () => {
  it("shows all arguments, and a single string unchanged", () => {
    expect(formatToolArguments({ command: "a\nb" })).toBe("a\nb");
    expect(formatToolArguments({ path: "a", content: "x" })).toBe('{\n  "path": "a",\n  "content": "x"\n}');
    expect(formatToolArguments("plain")).toBe("plain");
  });
});
