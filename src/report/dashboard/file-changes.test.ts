import { describe, expect, it } from "vitest";
import type { FileChange, WorkspaceChanges } from "../../core/environment.js";
import { listFileChanges } from "./trial-view.js";

const of = (...changes: FileChange[]): WorkspaceChanges => ({ changes });

describe("listFileChanges", () => {
  it("shows new files, and changes of files that the example provides", () => {
    const files = [
      { dest: "./b.txt", content: "1\n2\n3\n" },
      { dest: "gone.txt", content: "bye\n" },
    ];
    const changes = of(
      { path: "a.txt", status: "added", content: "hi\nyou" },
      { path: "b.txt", status: "modified", content: "1\ntwo\n3\n" },
      { path: "gone.txt", status: "deleted" },
    );
    expect(listFileChanges(changes, { files })).toEqual([
      { path: "a.txt", change: "added", diff: ["@@ -0,0 +1,2 @@", "+hi", "+you", "\\ No newline at end of file"] },
      { path: "b.txt", change: "changed", diff: ["@@ -1,3 +1,3 @@", " 1", "-2", "+two", " 3"] },
      { path: "gone.txt", change: "removed", diff: ["@@ -1 +0,0 @@", "-bye"] },
    ]);
  });

  it("does not show a whole file as changed", () => {
    const marked = "x\n… 900 characters are not kept with the run …\ny\n";
    const changes = of({ path: "b.txt", status: "modified", content: "1\n2\n" }, { path: "c.txt", status: "deleted" });
    for (const files of [[], [{ dest: "b.txt", content: marked }]])
      expect(listFileChanges(changes, { files })).toEqual([
        {
          path: "b.txt",
          change: "changed",
          diff: ["@@ current content: the content before is not stored @@", " 1", " 2"],
        },
        { path: "c.txt", change: "removed", diff: null },
      ]);
  });

  it("has no lines for binary files", () => {
    const changes = of(
      { path: "a.png", status: "added", content: "AAAA", encoding: "base64" },
      { path: "b", status: "modified", content: "a\0b" },
      { path: "d", status: "folder" },
      { path: "l", status: "linked", target: "a.png" },
    );
    expect(listFileChanges(changes)).toEqual([
      { path: "a.png", change: "added", diff: null },
      { path: "b", change: "changed", diff: null },
      { path: "d/", change: "changed", diff: null },
      { path: "l", change: "changed", diff: ["+(a link to a.png)"] },
    ]);
  });

  it("accepts an environment of any shape", () => {
    const changes = of({ path: "a", status: "added", content: "1\n" });
    for (const environment of [{ files: "no" }, { files: [null, 1, { dest: 2 }] }, "x"])
      expect(listFileChanges(changes, environment as never)).toHaveLength(1);
  });

  it("limits its size", () => {
    const long = "x\n".repeat(6000);
    const [change] = listFileChanges(of({ path: "a", status: "added", content: long }));
    expect(change?.diff?.at(-1)).toBe("@@ 1001 more lines are not shown @@");
    const many = Array.from({ length: 1200 }, (_, i): FileChange => ({ path: `${i}`, status: "added", content: long }));
    const all = listFileChanges({ changes: many });
    expect(all).toHaveLength(1001);
    expect(all.at(-1)?.path).toBe("(and 200 more, not shown)");
    expect(all.at(-2)?.diff).toEqual(["@@ too long to show @@"]);
  });
});
