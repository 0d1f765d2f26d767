import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** Text, or rows to write as JSON lines. */
export type TestFileContent = string | readonly unknown[];

/** A temporary folder for one test, removed afterwards. */
export class TempProject {
  readonly dir = mkdtempSync(join(tmpdir(), "assay-test-"));

  constructor(files: Readonly<Record<string, TestFileContent>> = {}) {
    onTestFinished(() => rmSync(this.dir, { recursive: true, force: true }));
    for (const [path, content] of Object.entries(files)) this.write(path, content);
  }

  path(...parts: string[]): string {
    return join(this.dir, ...parts);
  }

  writeBytes(path: string, content: Uint8Array): void {
    writeFileSync(this.path(path), content);
  }

  write(path: string, content: TestFileContent): void {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    const text = typeof content === "string" ? content : content.map((row) => `${JSON.stringify(row)}\n`).join("");
    writeFileSync(this.path(path), text);
  }

  read(...parts: string[]): string {
    return readFileSync(this.path(...parts), "utf8");
  }

  /** Lets modules in this folder import the package by name. */
  linkAssay(): void {
    mkdirSync(this.path("node_modules"), { recursive: true });
    symlinkSync(fileURLToPath(new URL("../..", import.meta.url)), this.path("node_modules", "assay"));
  }

  /** Run folders, oldest first. */
  runs(runsDir = ".assay/runs"): string[] {
    if (!existsSync(this.path(runsDir))) return [];
    return readdirSync(this.path(runsDir))
      .sort()
      .map((name) => join(runsDir, name));
  }
}

export const CAPITAL_EXAMPLES = [
  { id: "fr", question: "Capital of France?", answer: "Paris", part: "west" },
  { id: "it", question: "Capital of Italy?", answer: "Rome", part: "south" },
  { id: "es", question: "Capital of Spain?", answer: "Madrid", part: "south" },
  { id: "de", question: "Capital of Germany?", answer: "Berlin", part: "west" },
];

/** A system that returns the expected answer. */
export const ORACLE_SYSTEM = `export default { name: "oracle", process: (example) => ({ response: example.answer }) };`;

/** A system that always answers Paris: right once in CAPITAL_EXAMPLES. */
export const PARIS_SYSTEM = `export default { name: "paris", process: () => ({ response: "Paris" }) };`;
