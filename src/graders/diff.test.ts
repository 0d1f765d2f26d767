import { describe, expect, it } from "vitest";
import type { FileChange } from "../core/environment.js";
import { classifyVerdict, findConfigProblem, runBuiltInGrader } from "./graded-testing.js";

const environment = { files: [{ dest: "./add.js", content: "one\nkept\nold\n" }] };
const example = { id: 1, question: "Do it.", environment };
const CHANGES: readonly FileChange[] = [
  { path: "add.js", status: "modified", content: "one\nkept\nnew\n" },
  { path: "src/sub.js", status: "added", content: "subtract\n" },
];

function parts(changes: readonly FileChange[] = CHANGES, more: object = {}) {
  return { example, output: { workspace: { changes, ...more } } };
}

describe("diff graders", () => {
  it.each([
    ["diff-contains", { value: "new" }, "pass"],
    ["diff-contains", { pattern: "^-old$", flags: "m" }, "pass"],
    ["diff-contains", { value: "kept" }, "fail"],
    ["diff-contains", { value: "NEW" }, "fail"],
    ["diff-contains", { value: "NEW", case_sensitive: false }, "pass"],
    ["diff-contains", { pattern: "src/.*\\.js" }, "pass"],
    ["diff-contains", { value: "new", path: "src/**" }, "fail"],
    ["diff-not-contains", { value: "kept" }, "pass"],
    ["diff-not-contains", { value: "subtract" }, "fail"],
    ["diff-empty", {}, "fail"],
    ["diff-empty", { path: "test/**" }, "pass"],
  ])("%s %j: %s", async (type, config, expected) => {
    const verdict = await runBuiltInGrader(type, config, parts());
    expect(classifyVerdict(verdict), verdict.evidence).toBe(expected);
  });

  it("reports that nothing was changed", async () => {
    expect(classifyVerdict(await runBuiltInGrader("diff-empty", {}, parts([])))).toBe("pass");
    expect(classifyVerdict(await runBuiltInGrader("diff-contains", { value: "a" }, parts([])))).toBe("fail");
  });

  it("ends in error if the changes are not known", async () => {
    expect(classifyVerdict(await runBuiltInGrader("diff-empty", {}))).toBe("error");
    expect(classifyVerdict(await runBuiltInGrader("diff-empty", {}, parts([], { incomplete: "too large" })))).toBe(
      "error",
    );
    const unknown: FileChange[] = [{ path: "from-git.js", status: "modified", content: "new\n" }];
    expect(classifyVerdict(await runBuiltInGrader("diff-not-contains", { value: "x" }, parts(unknown)))).toBe("error");
    expect(classifyVerdict(await runBuiltInGrader("diff-contains", { value: "from-git.js" }, parts(unknown)))).toBe(
      "pass",
    );
  });

  it("ignores commits and empty folders", async () => {
    const incomplete = "what the agent did in git, such as a commit, is not kept";
    const folder: FileChange[] = [{ path: ".cache", status: "folder" }];
    expect(classifyVerdict(await runBuiltInGrader("diff-empty", {}, parts(folder, { incomplete })))).toBe("pass");
    expect(classifyVerdict(await runBuiltInGrader("diff-contains", { value: ".cache" }, parts(folder)))).toBe("fail");
    expect(classifyVerdict(await runBuiltInGrader("diff-empty", {}, parts(CHANGES, { incomplete })))).toBe("fail");
    expect(
      classifyVerdict(await runBuiltInGrader("diff-empty", {}, parts([], { incomplete: `too large; ${incomplete}` }))),
    ).toBe("error");
  });

  it("uses the diff of a workspace that still exists", async () => {
    const unknown: FileChange[] = [{ path: "from-git.js", status: "modified", content: "kept\nnew\n" }];
    const diff =
      "diff --git a/from-git.js b/from-git.js\n--- a/from-git.js\n+++ b/from-git.js\n@@ -1 +1,2 @@\n kept\n+new\n";
    expect(classifyVerdict(await runBuiltInGrader("diff-contains", { value: "new" }, parts(unknown, { diff })))).toBe(
      "pass",
    );
    expect(
      classifyVerdict(await runBuiltInGrader("diff-not-contains", { value: "kept" }, parts(unknown, { diff }))),
    ).toBe("pass");
    expect(
      classifyVerdict(await runBuiltInGrader("diff-contains", { value: "new" }, parts(unknown, { diff: "" }))),
    ).toBe("error");
  });

  it.each([
    ["diff-contains", {}, "needs one of value and pattern"],
    ["diff-contains", { value: "a", pattern: "b" }, "needs one of value and pattern"],
    ["diff-empty", { value: "a" }, 'unknown key "value"'],
  ])("%s rejects %j", (type, config, words) => {
    expect(findConfigProblem(type, config)).toContain(words);
  });
});
