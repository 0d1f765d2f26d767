import { chmodSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FileChange } from "../../core/environment.js";
import { encodeContent } from "./diff.js";
import { rebuildWorkspace, Workspace } from "./workspace.js";
import { createTestFolder, readFolderContents, writeTestFile } from "./workspace-testing.js";

const folder = createTestFolder();

/** What is at a path; a link points to a sibling or nowhere. Folders are empty. */
type Leaf = { readonly bytes: Buffer; readonly executable: boolean } | { readonly target: string } | "folder";

const leaf: fc.Arbitrary<Leaf> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      bytes: fc.constantFrom("", "a", "b", "\xff\xfe", "a\r\n\0").map((text) => Buffer.from(text, "latin1")),
      executable: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.constant("folder" as const) },
  { weight: 1, arbitrary: fc.record({ target: fc.constantFrom("a", "../b", "nowhere") }) },
);
const path = fc.array(fc.constantFrom("a", "b", "ü �"), { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
const tree = fc.uniqueArray(fc.tuple(path, leaf), { selector: ([place]) => place, maxLength: 6 }).map(withoutConflicts);

/** A file cannot be a folder too. */
function withoutConflicts(entries: readonly [string, Leaf][]): [string, Leaf][] {
  return entries.filter(([place]) => !entries.some(([other]) => place !== other && place.startsWith(`${other}/`)));
}

function lay(at: string, entries: readonly [string, Leaf][]): void {
  for (const [place, thing] of entries) {
    mkdirSync(dirname(join(at, place)), { recursive: true });
    if (thing === "folder") mkdirSync(join(at, place));
    else if ("target" in thing) symlinkSync(thing.target, join(at, place));
    else {
      writeTestFile(at, place, thing.bytes);
      chmodSync(join(at, place), thing.executable ? 0o755 : 0o644);
    }
  }
}

/** The set-up of a tree: its files as files, the rest by commands. */
function environmentOf(entries: readonly [string, Leaf][]) {
  const files = entries.flatMap(([dest, thing]) =>
    thing === "folder" || "target" in thing
      ? []
      : [{ dest, ...encodeContent(thing.bytes), executable: thing.executable }],
  );
  const others = entries.flatMap(([dest, thing]) => {
    if (thing === "folder") return [`mkdir -p "${dest}"`];
    return "target" in thing ? [`mkdir -p "$(dirname "${dest}")"; ln -s "${thing.target}" "${dest}"`] : [];
  });
  return { files, commands: others.length === 0 ? [] : [others.join("; ")] };
}

describe("rebuildWorkspace", () => {
  it("recreates the same folder after any changes", async () => {
    await fc.assert(
      fc.asyncProperty(tree, tree, async (before, after) => {
        const environment = environmentOf(before);
        const workspace = await Workspace.create({ root: folder.path, environment });
        rmSync(workspace.path, { recursive: true });
        mkdirSync(workspace.path);
        lay(workspace.path, after);
        const changes = await workspace.collectChanges();
        const again = await rebuildWorkspace({
          root: folder.path,
          environment,
          changes: JSON.parse(JSON.stringify(changes)),
        });
        expect(readFolderContents(again.path)).toEqual(readFolderContents(workspace.path));
        expect(await again.collectChanges()).toEqual(changes);
        await Promise.all([workspace.remove(), again.remove()]);
      }),
      { numRuns: 40 },
    );
  });

  it.each<[string, FileChange]>([
    ["a path above", { path: "../x", status: "added", content: "" }],
    ["an absolute path", { path: "/tmp/x", status: "deleted" }],
    ["a path behind a link that leaves the folder", { path: "out/x", status: "added", content: "" }],
    ["a deletion behind a link", { path: "out/kept", status: "deleted" }],
  ])("rejects %s", async (_, change) => {
    writeTestFile(folder.path, "outside/kept", "kept");
    const environment = { commands: [`ln -s ${folder.path}/outside out`] };
    const rebuilding = rebuildWorkspace({ root: folder.path, environment, changes: { changes: [change] } });
    await expect(rebuilding).rejects.toThrow("The folder cannot be recreated: ");
    expect(readFolderContents(folder.path)).toEqual({ "outside/kept": "kept" });
  });
});
