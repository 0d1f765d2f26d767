import { posix } from "node:path";
import type { EvalIssue, LintedStimulus } from "./subject.js";

interface PatchedFile {
  readonly path: string;
  readonly isNew: boolean;
}

/** Finds golden patches that change nothing, or change files that do not exist. */
export function findGoldenPatchIssues({ stimulus, given, placeOf }: LintedStimulus): EvalIssue[] {
  const { goldenPatch } = stimulus;
  if (goldenPatch === null) return [];
  const place = placeOf("golden_patch");
  const files = parsePatchedFiles(goldenPatch.text);
  if (files.length === 0) {
    const message = `The golden patch of "${stimulus.name}" changes no file.`;
    return [{ ...place, code: "EVAL-GOLDEN-PATCH", message }];
  }
  if (!given.isComplete) return [];
  return files
    .filter(({ path, isNew }) => given.paths.has(path) === isNew)
    .map(({ path, isNew }): EvalIssue => {
      const why = isNew
        ? `creates ${path}, which the environment already has`
        : `changes ${path}, which the environment does not have`;
      return { ...place, code: "EVAL-GOLDEN-PATCH", message: `The golden patch of "${stimulus.name}" ${why}.` };
    });
}

/** Files are named as they are before the patch. */
function parsePatchedFiles(text: string): PatchedFile[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index): PatchedFile[] => {
    const next = lines[index + 1] ?? "";
    if (!line.startsWith("--- ") || !next.startsWith("+++ ")) return [];
    const before = parsePatchFileName(line);
    const after = parsePatchFileName(next);
    if (before === null) return after === null ? [] : [{ path: after, isNew: true }];
    return [{ path: before, isNew: false }];
  });
}

function parsePatchFileName(line: string): string | null {
  const name = line
    .slice(4)
    .replace(/\t.*$/, "")
    .replace(/\r$/, "")
    .replace(/^"(.*)"$/, "$1");
  return name === "/dev/null" ? null : posix.normalize(name.replace(/^[abiwco]\//, ""));
}
