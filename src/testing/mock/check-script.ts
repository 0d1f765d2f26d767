import type * as z from "zod";
import { UsageError } from "../../core/errors.js";
import { didYouMean } from "../../core/suggest.js";
import type { MockScript } from "./script.js";
import { KNOWN_KEYS, scriptSchema } from "./script-schema.js";

type Issue = z.core.$ZodIssue;

/** Something wrong in a script, and where. */
export interface ScriptProblem {
  readonly text: string;
  readonly path: readonly (string | number)[];
  /** The key that is not known, in the object at `path`. */
  readonly unknownKey?: string;
}

/**
 * Returns the script when it is one. Strict: a key that is not known would otherwise be a setting silently ignored.
 * @example
 * const script = checkScript({ reply: "echo", faults: [{ kind: 429, rate: 0.1 }] });
 */
export function checkScript(script: unknown, say = inWords): MockScript {
  const parsed = scriptSchema.safeParse(script);
  if (parsed.success) return script as MockScript;
  throw new UsageError(
    parsed.error.issues
      .map(innermost)
      .map((issue) => say(problemOf(issue)))
      .join("\n"),
  );
}

function inWords({ text }: ScriptProblem): string {
  return `The mock script: ${text}`;
}

/** Of the ways in which a value may be given, the one that went furthest is the one that was meant. */
function innermost(issue: Issue): Issue {
  if (issue.code !== "invalid_union") return issue;
  const [deepest] = issue.errors
    .flat()
    .filter((inner) => inner.path.length > 0 || inner.code === "unrecognized_keys" || inner.code === "custom")
    .sort((a, b) => b.path.length - a.path.length);
  return deepest === undefined ? issue : innermost({ ...deepest, path: [...issue.path, ...deepest.path] });
}

function problemOf(issue: Issue): ScriptProblem {
  const path = issue.path.map((key) => (typeof key === "number" ? key : String(key)));
  const at = path.join(".");
  if (issue.code !== "unrecognized_keys") return { text: `${at || "it"} ${worded(issue)}.`, path };
  const unknownKey = issue.keys[0] ?? "";
  const where = at === "" ? "" : ` in ${at}`;
  return { text: `unknown key "${unknownKey}"${where}.${didYouMean(unknownKey, knownAt(path))}`, path, unknownKey };
}

/** Keys that are missing and objects that are none have no wording of ours. */
function worded({ code, message }: Issue): string {
  return code === "invalid_type" && message.startsWith("Invalid input")
    ? message.replace(/^Invalid input: /, "")
    : message;
}

function knownAt(path: readonly (string | number)[]): readonly string[] {
  const key = path.findLast((part) => typeof part === "string" && Object.hasOwn(KNOWN_KEYS, part));
  return KNOWN_KEYS[path.length === 2 && path[0] === "models" ? "models" : String(key ?? "")] ?? [];
}
