import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isMap, isNode, isPair, LineCounter, parseDocument } from "yaml";
import { getErrorMessage, UsageError } from "../../core/index.js";
import { checkScript, type ScriptProblem } from "./check-script.js";
import type { MockBehavior, MockScript } from "./script.js";

/**
 * Reads and checks a script from a YAML or JSON file; errors name line and column.
 * @example
 * const mock = await startMock(loadScript("mock.yaml"));
 */
export function loadScript(path: string): MockScript {
  // JSON is valid YAML, so one parser gives positions for both.
  const lines = new LineCounter();
  const document = parseDocument(readScriptFile(path), { lineCounter: lines });
  const at = (offset: number | undefined) => {
    const { line, col } = lines.linePos(offset ?? 0);
    return `${path}:${line}:${col}`;
  };
  const [broken] = document.errors;
  if (broken !== undefined) throw new UsageError(`${at(broken.pos[0])}: ${broken.message.split("\n")[0]}`);
  const script = checkScript(document.toJS() ?? {}, ({ text, path: keys, unknownKey }: ScriptProblem) => {
    const node = document.getIn(keys, true);
    const pair = isMap(node) ? node.items.find((item) => isPair(item) && String(item.key) === unknownKey) : undefined;
    const place = isNode(pair?.key) ? pair.key : node;
    return `${at(isNode(place) ? place.range?.[0] : undefined)}: ${text}`;
  });
  return resolveAnswerPaths(script, dirname(path));
}

function readScriptFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new UsageError(`The script ${path} cannot be read: ${getErrorMessage(cause)}.`, { cause });
  }
}

/** Paths in the script are relative to its file. */
function resolveAnswerPaths({ models, ...script }: MockScript, dir: string): MockScript {
  const beside = <T extends MockBehavior>(behaviour: T): T =>
    typeof behaviour.answers === "string" ? { ...behaviour, answers: resolve(dir, behaviour.answers) } : behaviour;
  if (models === undefined) return beside(script);
  const entries = Object.entries(models).map(([name, behaviour]) => [name, beside(behaviour)] as const);
  return { ...beside(script), models: Object.fromEntries(entries) };
}
