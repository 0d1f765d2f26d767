import { describe, expect, it } from "vitest";
import { renderChanges } from "./show-trial.js";

describe("renderChanges", () => {
  it("shows the status of each file", () => {
    const lines = renderChanges({
      changes: [
        { path: "new.js", status: "added", content: "1\n2\n" },
        { path: "open.txt", status: "added", content: "no line feed" },
        { path: "run.sh", status: "modified", content: "a\nb\nc", executable: true },
        { path: "a.png", status: "added", content: Buffer.alloc(2500).toString("base64"), encoding: "base64" },
        { path: "old.js", status: "deleted" },
        { path: "out", status: "folder" },
        { path: "link", status: "linked", target: "../\u001b[31mnew.js" },
      ],
      incomplete: "big.bin has 80 MB",
    });
    expect(lines).toEqual([
      "  added     new.js (+2 lines)",
      "  added     open.txt (+1 line)",
      "  modified  run.sh (3 lines now, executable)",
      "  added     a.png (2.5 kB, not text)",
      "  deleted   old.js",
      "  folder    out/ (empty)",
      "  linked    link → ../\ufffd[31mnew.js",
      "  Some changes are missing: big.bin has 80 MB",
    ]);
  });

  it("lists forty files, and all on request", () => {
    const changes = Array.from({ length: 50 }, (_, i) => ({ path: `f${i}`, status: "deleted" as const }));
    expect(renderChanges({ changes }).at(-1)).toBe("  and 10 more files: --full");
    expect(renderChanges({ changes }, { isFull: true })).toHaveLength(50);
  });
});
