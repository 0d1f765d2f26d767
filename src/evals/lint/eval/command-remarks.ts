import { posix } from "node:path";
import type { GraderSpec } from "../../../core/grader.js";
import { listOf, textOf, wantedParts } from "./config-values.js";
import { fieldsOf } from "./places.js";
import type { EvalRemark, Subject } from "./subject.js";

/** Programs whose first argument is a file to run. */
const INTERPRETERS = new Set(["node", "python", "python3", "bash", "sh", "ruby", "perl", "tsx", "bun", "deno"]);
const SCRIPT = /^[\w./-]+\.(?:[cm]?[jt]s|py|sh|rb|pl)$/;

/** Finds graders that run a file which does not exist. */
export function commandRemarks({ graders, given, asked }: Subject): EvalRemark[] {
  if (!given.isComplete) return [];
  return graders.flatMap(({ spec, title, placeOf }) =>
    wantedParts(spec).flatMap((part): EvalRemark[] => {
      const file = fileOf(part);
      // A prompt that names the file asks for it.
      if (file === null || given.paths.has(file) || asked.includes(posix.basename(file))) return [];
      if (listOf(part, "files").some((placed) => posix.normalize(String(fieldsOf(placed).dest)) === file)) return [];
      const message = `${title} runs ${file}, which is neither in the environment nor in the prompt.`;
      return [{ ...placeOf("config"), code: "EVAL-COMMAND-MISSING", message }];
    }),
  );
}

/** Returns the workspace file that a command runs; null if it runs an installed program or if that is unclear. */
function fileOf(spec: GraderSpec): string | null {
  if (spec.type !== "run-command") return null;
  const command = textOf(spec, "command") ?? "";
  const args = spec.config?.args === undefined ? null : listOf(spec, "args").map(String);
  // A shell line is checked only if it is one plain command.
  if (args === null && /[;&|<>$`(){}"'\\]/.test(command)) return null;
  const [program = "", ...rest] = args === null ? command.trim().split(/\s+/) : [command, ...args];
  const file = INTERPRETERS.has(program) ? scriptIn(rest) : program.includes("/") ? program : null;
  if (file === null || file.startsWith("/")) return null;
  const path = posix.join(textOf(spec, "sub_path") ?? ".", file);
  return path.startsWith("../") ? null : path;
}

function scriptIn(args: readonly string[]): string | null {
  const [first] = args;
  return first !== undefined && SCRIPT.test(first) ? first : null;
}
