import { posix } from "node:path";
import type { GraderSpec } from "../../../core/grader.js";
import { getConfigList, getConfigText, listWantedParts } from "./config-values.js";
import { toDocumentFields } from "./places.js";
import type { EvalIssue, LintedStimulus } from "./subject.js";

/** Programs whose first argument is a file to run. */
const INTERPRETERS = new Set(["node", "python", "python3", "bash", "sh", "ruby", "perl", "tsx", "bun", "deno"]);
const SCRIPT_PATTERN = /^[\w./-]+\.(?:[cm]?[jt]s|py|sh|rb|pl)$/;

/** Finds graders that run a file which does not exist. */
export function findCommandIssues({ graders, given, asked }: LintedStimulus): EvalIssue[] {
  if (!given.isComplete) return [];
  return graders.flatMap(({ spec, title, placeOf }) =>
    listWantedParts(spec).flatMap((part): EvalIssue[] => {
      const file = findCommandFile(part);
      // A prompt that names the file asks for it.
      if (file === null || given.paths.has(file) || asked.includes(posix.basename(file))) return [];
      if (
        getConfigList(part, "files").some((placed) => posix.normalize(String(toDocumentFields(placed).dest)) === file)
      )
        return [];
      const message = `${title} runs ${file}, which is neither in the environment nor in the prompt.`;
      return [{ ...placeOf("config"), code: "EVAL-COMMAND-MISSING", message }];
    }),
  );
}

/** Returns the workspace file that a command runs; null if it runs an installed program or if that is unclear. */
function findCommandFile(spec: GraderSpec): string | null {
  if (spec.type !== "run-command") return null;
  const command = getConfigText(spec, "command") ?? "";
  const args = spec.config?.args === undefined ? null : getConfigList(spec, "args").map(String);
  // A shell line is checked only if it is one plain command.
  if (args === null && /[;&|<>$`(){}"'\\]/.test(command)) return null;
  const [program = "", ...rest] = args === null ? command.trim().split(/\s+/) : [command, ...args];
  const file = INTERPRETERS.has(program) ? findScriptArgument(rest) : program.includes("/") ? program : null;
  if (file === null || file.startsWith("/")) return null;
  const path = posix.join(getConfigText(spec, "sub_path") ?? ".", file);
  return path.startsWith("../") ? null : path;
}

function findScriptArgument(args: readonly string[]): string | null {
  const [first] = args;
  return first !== undefined && SCRIPT_PATTERN.test(first) ? first : null;
}
