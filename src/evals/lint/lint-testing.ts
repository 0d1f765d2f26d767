import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Registry } from "../../core/registry.js";
import { type LintOptions, lint } from "./lint.js";
import { asText } from "./render.js";

/** The content of files, by their paths below a folder. */
export type Files = Readonly<Record<string, string>>;

/** A folder with files in it, for tests; it is removed in the end. */
export interface LintFolder extends Disposable {
  readonly path: string;
}

/** Makes a folder with files in it. */
export function lintFolder(files: Files): LintFolder {
  const path = mkdtempSync(join(tmpdir(), "assay-lint-"));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** What tests look through files with: a judge that asks nobody, and a few metrics. */
export function testOptions(): LintOptions {
  const registry = new Registry();
  const judge = () => ({ name: "prompt", kind: "llm" as const, grade: () => ({ passed: true, evidence: "" }) });
  registry.register("grader", "prompt", judge, { replace: true });
  const curve = (runs: number) => Array.from({ length: runs }, (_, k) => `pass_hat_${k + 1}`);
  return { registry, metricKeys: (runs) => new Set(["pass_rate", ...curve(runs)]) };
}

/**
 * Throws with all findings unless there are none in a folder, which has to have something to look through.
 * @example
 * await expectClean("examples/tidy");
 */
export async function expectClean(dir: string, options: LintOptions = testOptions()): Promise<void> {
  const report = await lint([dir], { cwd: dir, ...options });
  if (report.findings.length > 0) throw new Error(`Findings in ${dir}:\n${asText(report)}`);
}
