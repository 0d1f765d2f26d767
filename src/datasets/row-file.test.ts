import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { closeFiles, openRowFile, type RowFile } from "./row-file.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-row-file-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const OPEN_FILES = "/proc/self/fd";

function isOpen(path: string): boolean {
  return readdirSync(OPEN_FILES).some((number) => {
    try {
      return readlinkSync(join(OPEN_FILES, number)) === path;
    } catch {
      return false; // Closed since it was listed.
    }
  });
}

it.runIf(existsSync(OPEN_FILES))("leaves nothing open if a file is not a table", async () => {
  const path = join(folder, "broken.parquet");
  writeFileSync(path, "this is no table at all");
  await expect(openRowFile({ path })).rejects.toThrow(/is not a Parquet file/);
  expect(isOpen(path)).toBe(false);
});

it("closes all files, even if one fails to close", async () => {
  const closed: string[] = [];
  const file = (name: string) =>
    ({
      table: {
        async close() {
          if (name === "first") throw new Error("no");
          closed.push(name);
        },
      },
    }) as unknown as RowFile;
  await expect(closeFiles([file("first"), file("second"), file("third")])).rejects.toThrow("no");
  expect(closed).toEqual(["second", "third"]);
});
