import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Registry } from "../../core/registry.js";
import { GraderError } from "../../graders/grader-error.js";

/** A temporary folder for tests of eval files. */
export interface SpecFolder extends Disposable {
  readonly path: string;
  readonly file: string;
}

export const TIDY_SKILL = "---\nname: tidy\ndescription: Tidies up.\n---\n# Tidy\n";

/** Creates a folder with an eval.yaml and other files. */
export function createSpecFolder(spec: string, files: Readonly<Record<string, string>> = {}): SpecFolder {
  const path = mkdtempSync(join(tmpdir(), "assay-specs-"));
  for (const [name, content] of Object.entries({ "eval.yaml": spec, ...files })) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  const remove = () => rmSync(path, { recursive: true, force: true });
  return { path, file: join(path, "eval.yaml"), [Symbol.dispose]: remove };
}

/** A registry with a `prompt` and a `panel` grader that call no model but require a model and a prompt. */
export function createJudgingRegistry(): Registry {
  const registry = new Registry();
  const judge = (name: string, model: string) => (config: Readonly<Record<string, unknown>>) => {
    if (config[model] === undefined) throw new GraderError(`${model} is missing`);
    if (config.prompt === undefined && config.rubric === undefined) throw new GraderError("prompt is missing");
    return { name, kind: "llm" as const, grade: () => ({ passed: true, evidence: "fine" }) };
  };
  registry.register("grader", "prompt", judge("prompt", "model"));
  registry.register("grader", "panel", judge("panel", "models"));
  return registry;
}
