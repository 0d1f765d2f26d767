import { readFile } from "node:fs/promises";
import { AGENT_NAMES } from "../../budget/rules.js";
import { computeEditDistance } from "../../core/suggest.js";
import { parseYaml } from "../../utils/files/yaml-tree.js";
import { SPEC_RULES } from "./key-rules.js";
import { isRawMapping } from "./respell.js";
import { resolveKeyAlias } from "./spelling.js";

/** Hidden folders in which agents look for skills, which may have evals beside them. */
const AGENT_FOLDERS = new Set([".agents", ".cursor", ".github", ...AGENT_NAMES.map((name) => `.${name}`)]);

/**
 * Whether a folder is searched for skills and eval files. `path` is relative to the start of the search, with slashes.
 * Hidden folders of tools are skipped, and so are GitHub workflows, one of which may be called eval.yml.
 */
export function isSearchedFolder(path: string): boolean {
  const [name = "", parent = ""] = path.split("/").reverse();
  if (name === "workflows" && parent === ".github") return false;
  return name.startsWith(".") ? AGENT_FOLDERS.has(name) : name !== "node_modules";
}

/** Keys that many kinds of files have. */
const COMMON_KEYS = new Set(["$schema", "name", "description", "type", "defaults"]);

/** Keys that identify an eval file, of Assay or of another harness. */
const EVAL_KEYS = [...SPEC_RULES.keys.filter((key) => !COMMON_KEYS.has(key)), ...Object.keys(SPEC_RULES.refused ?? {})];

/**
 * True for a YAML file that is about something else, such as a CI workflow: it has keys that no eval file has, and none
 * that identify one. False for unreadable and empty files, whose problems should be reported.
 */
export async function isForeignYaml(file: string): Promise<boolean> {
  const tree = await parseYaml(await readFile(file, "utf8").catch(() => ""));
  if (tree.isBroken || !isRawMapping(tree.value)) return false;
  const keys = Object.keys(tree.value);
  return !keys.some(isEvalKey) && keys.some((key) => resolveKeyAlias(key, SPEC_RULES) === null);
}

/** A typo in an identifying key should be reported, not hide the file. */
function isEvalKey(key: string): boolean {
  const ours = resolveKeyAlias(key, SPEC_RULES);
  if (ours !== null) return EVAL_KEYS.includes(ours.key);
  return EVAL_KEYS.some((known) => computeEditDistance(key.toLowerCase(), known) <= key.length / 4);
}
