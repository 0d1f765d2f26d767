import { describe, expect, it } from "vitest";
import { EditDiffBuilder } from "./timeline.js";

const diffOf = (given: unknown) => new EditDiffBuilder().build(given);

const BEFORE = "const a = 1;\nconst b = 2;\n";
const AFTER = "const a = 1;\nconst b = 3;\n";
const CHANGED = [" const a = 1;", "-const b = 2;", "+const b = 3;"];

describe("the diff of a tool call", () => {
  it.each([
    ["Claude Edit, Gemini replace", { file_path: "a.js", old_string: BEFORE, new_string: AFTER }],
    ["OpenCode edit", { filePath: "a.js", oldString: BEFORE, newString: AFTER }],
    ["pi edit", { path: "a.js", oldText: BEFORE, newText: AFTER }],
    ["a text editor", { command: "str_replace", path: "a.js", old_str: BEFORE, new_str: AFTER }],
    ["one edit of several", { path: "a.js", edits: [{ oldText: BEFORE, newText: AFTER }] }],
    ["arguments as the model wrote them", JSON.stringify({ path: "a.js", oldText: BEFORE, newText: AFTER })],
  ])("%s", (_, given) => {
    expect(diffOf(given)).toEqual(CHANGED);
  });

  it.each([
    ["Claude Write, Gemini write_file", { file_path: "a.js", content: "1\n2\n" }],
    ["OpenCode write", { filePath: "a.js", content: "1\n2\n" }],
    ["pi write", { path: "a.js", content: "1\n2" }],
    ["a text editor", { command: "create", path: "a.js", file_text: "1\n2\n" }],
    ["an edit of nothing", { file_path: "a.js", old_string: "", new_string: "1\n2\n" }],
  ])("shows a whole file: %s", (_, given) => {
    expect(diffOf(given)).toEqual(["+1", "+2"]);
  });

  it("shows each edit of a MultiEdit", () => {
    const edits = [
      { old_string: "a", new_string: "b" },
      { old_string: "c", new_string: "" },
    ];
    expect(diffOf({ file_path: "x", edits })).toEqual(["-a", "+b", " …", "-c"]);
  });

  const PATCH = "*** Begin Patch\n*** Update File: a.js\n@@ f\n keep\n-old\n+new\n*** End Patch\n";
  const PATCHED = [" *** Update File: a.js", " @@ f", " keep", "-old", "+new"];

  it.each([
    ["apply_patch", { input: PATCH }],
    ["apply_patch as plain text", PATCH],
    ["OpenCode", { patchText: PATCH }],
    ["a command", { command: ["bash", "-lc", `apply_patch <<'EOF'\n${PATCH}EOF\nrm x`] }],
  ])("shows a patch: %s", (_, given) => {
    expect(diffOf(given)).toEqual(PATCHED);
  });

  it("shows the diffs of a list of changed files", () => {
    expect(diffOf({ changes: [{ path: "a", kind: "update", diff: "@@\n-1\n+2" }, null, 3] })).toEqual([
      " @@",
      "-1",
      "+2",
    ]);
    expect(diffOf({ changes: [{ path: "a", kind: "add" }] })).toBeNull();
  });

  it.each([
    null,
    undefined,
    3,
    "text",
    [],
    {},
    { command: "ls" },
    { content: "no file" },
    { path: "a" },
    { edits: [null] },
  ])("is null where nothing is edited: %j", (given) => {
    expect(diffOf(given)).toBeNull();
  });

  it("shows long edits as replaced, within limits", () => {
    const before = Array.from({ length: 9000 }, (_, i) => `${i}`).join("\n");
    const lines = diffOf({ path: "a", oldText: before, newText: `${before}\nmore` }) ?? [];
    expect(lines.length).toBeLessThan(10_000);
    expect(lines).toContainEqual(expect.stringMatching(/^\+… \d+ more characters$/));
    const diffs = new EditDiffBuilder();
    const small = { path: "a", oldText: BEFORE.repeat(90), newText: AFTER.repeat(90) };
    const all = Array.from({ length: 5000 }, () => diffs.build(small));
    expect(all[0]?.filter((line) => line.startsWith(" ")).length).toBeGreaterThan(80);
    expect(all[400]?.filter((line) => line.startsWith(" "))).toEqual([]);
    expect(all.at(-1)).toEqual([expect.stringContaining("not shown")]);
    expect(JSON.stringify(all).length).toBeLessThan(4_000_000);
  });
});
