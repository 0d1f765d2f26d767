import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { KeyPath } from "../../../utils/index.js";
import type { DocumentProblem, NormalizedDocument } from "../key-aliases.js";
import { isRawMapping, type RawMapping } from "../raw-mapping.js";
import { SourcePaths } from "../source-paths.js";

/** Lists of sentences for a judge, by the keys that people use for them. */
const RUBRIC_KEYS = ["expectations", "assertions", "checks", "criteria", "rubric", "expect"] as const;
/** Where an entry of such a list has its sentence. */
const SENTENCE_KEYS = ["text", "description", "check", "assertion", "expectation", "criterion"] as const;
const NAME_KEYS = ["skill_name", "skill", "name"] as const;
const CASE_KEYS: ReadonlySet<string> = new Set(["id", "name", "prompt", "expected_output", "files", ...RUBRIC_KEYS]);

/** Rewrites an `evals/evals.json`: expectations become a rubric, files are put into the folder, the skill is the one above. */
export function convertEvalsJson(document: object, file: string): NormalizedDocument {
  const conversion = new EvalsJsonConversion(file);
  const value = conversion.convert(document);
  const { notes, problems, paths } = conversion;
  return { value, notes: [...notes], problems, sourceOf: (path) => paths.find(path) };
}

class EvalsJsonConversion {
  readonly notes = new Set<string>();
  readonly problems: DocumentProblem[] = [];
  readonly paths = new SourcePaths();
  readonly #file: string;
  readonly #dir: string;

  constructor(file: string) {
    this.#file = file;
    this.#dir = dirname(resolve(file));
  }

  convert(document: object): RawMapping {
    const isList = Array.isArray(document);
    const fields = isList ? { evals: document } : (document as RawMapping);
    const listPath: KeyPath = isList ? [] : ["evals"];
    this.#noteIgnoredKeys("", Object.keys(fields), new Set([...NAME_KEYS, "evals", "description"]));
    const nameKey = NAME_KEYS.find((key) => typeof fields[key] === "string");
    this.paths.move(["name"], [nameKey ?? "evals"]);
    this.paths.move(["skill"], [nameKey ?? "evals"]);
    this.paths.move(["stimuli"], listPath);
    const skill = this.#findSkill(nameKey === undefined ? undefined : String(fields[nameKey]), [nameKey ?? "evals"]);
    const name = nameKey === undefined ? {} : { name: fields[nameKey] };
    return {
      ...name,
      ...(skill === null ? {} : { skill, environment: { skills: [skill] } }),
      stimuli: this.#convertCases(fields.evals, { listPath, skill: skill ?? ".." }),
    };
  }

  /** The folder above `evals/` is the skill; a repository of skills has it below that folder. */
  #findSkill(name: string | undefined, path: KeyPath): string | null {
    const below = name === undefined ? [] : [`../skills/${name}`, `../.claude/skills/${name}`, `../${name}`];
    const places = ["..", ".", "../skill", ...below];
    const found = places.find((place) => existsSync(join(this.#dir, place, "SKILL.md")));
    if (found !== undefined) return found;
    const text = `the skill that ${this.#file} tests is not found: there is no SKILL.md in ${places.join(", ")}. Add one, or write an eval.yaml, which can name any skill.`;
    this.problems.push({ path, isKey: false, text });
    return null;
  }

  #convertCases(cases: unknown, place: { listPath: KeyPath; skill: string }): unknown {
    if (!Array.isArray(cases)) return cases;
    return cases.map((given: unknown, index) =>
      isRawMapping(given) ? this.#convertCase(given, { ...place, index }) : given,
    );
  }

  #convertCase(given: RawMapping, place: { listPath: KeyPath; skill: string; index: number }): RawMapping {
    const { listPath, skill, index } = place;
    const at: KeyPath = ["stimuli", index];
    const from: KeyPath = [...listPath, index];
    this.#noteIgnoredKeys("evals.", Object.keys(given), CASE_KEYS);
    this.paths.move(at, from);
    const name = given.name ?? given.id;
    if (given.name === undefined) this.paths.move([...at, "name"], [...from, "id"]);
    this.paths.move([...at, "environment", "files"], [...from, "files"]);
    const rubric = this.#convertRubric(given, { at, from });
    return {
      ...(name === undefined ? {} : { name: typeof name === "number" ? String(name) : name }),
      ...(given.prompt === undefined ? {} : { prompt: given.prompt }),
      ...(rubric === undefined ? {} : { rubric }),
      ...(given.files === undefined ? {} : { environment: { files: this.#convertFiles(given.files, skill) } }),
    };
  }

  /** Without expectations, the judge gets what is expected. */
  #convertRubric(given: RawMapping, { at, from }: { at: KeyPath; from: KeyPath }): unknown {
    const key = RUBRIC_KEYS.find((one) => given[one] !== undefined && !isEmptyList(given[one]));
    this.paths.move([...at, "rubric"], [...from, key ?? "expected_output"]);
    const { expected_output: expected } = given;
    if (key === undefined) return typeof expected === "string" && expected.trim() !== "" ? [expected] : undefined;
    if (expected !== undefined)
      this.notes.add(`evals.expected_output: the judge gets ${key} instead, where there are any`);
    const list = given[key];
    return Array.isArray(list) ? list.map(getSentence) : list;
  }

  /** Paths are relative to the skill. Some files name them relative to their own folder. */
  #convertFiles(files: unknown, skill: string): unknown {
    if (!Array.isArray(files)) return files;
    return files.map((path: unknown) => {
      if (typeof path !== "string") return path;
      const places = [join(skill, path), path, join("files", path)];
      return { src: places.find((place) => existsSync(join(this.#dir, place))) ?? places[0], dest: path };
    });
  }

  #noteIgnoredKeys(prefix: string, keys: readonly string[], known: ReadonlySet<string>): void {
    for (const key of keys) if (!known.has(key)) this.notes.add(`${prefix}${key}: ignored: it is not checked`);
  }
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function getSentence(entry: unknown): unknown {
  if (!isRawMapping(entry)) return entry;
  const key = SENTENCE_KEYS.find((one) => typeof entry[one] === "string");
  return key === undefined ? entry : entry[key];
}
