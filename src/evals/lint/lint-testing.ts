import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Registry } from "../../core/registry.js";
import { type LintOptions, lint } from "./lint.js";
import { formatFindings } from "./render.js";

/** File contents by relative path. */
export type LintFiles = Readonly<Record<string, string>>;

/** A temporary folder for tests. */
export interface LintFolder extends Disposable {
  readonly path: string;
}

export function createLintFolder(files: LintFiles): LintFolder {
  const path = mkdtempSync(join(tmpdir(), "assay-lint-"));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Lint options for tests: a judge without a model, and a few metrics. */
export function createLintOptions(): LintOptions {
  const registry = new Registry();
  const judge = () => ({ name: "prompt", kind: "llm" as const, grade: () => ({ passed: true, evidence: "" }) });
  registry.register("grader", "prompt", judge, { replace: true });
  const curve = (runs: number) => Array.from({ length: runs }, (_, k) => `pass_hat_${k + 1}`);
  return { registry, metricKeys: (runs) => new Set(["pass_rate", ...curve(runs)]) };
}

/**
 * Throws with all findings if a folder has any, or if it has nothing to lint.
 * @example
 * await requireClean("examples/tidy");
 */
export async function requireClean(dir: string, options: LintOptions = createLintOptions()): Promise<void> {
  const report = await lint([dir], { cwd: dir, ...options });
  if (report.findings.length > 0) throw new Error(`Findings in ${dir}:\n${formatFindings(report)}`);
}
