import { basename } from "node:path";
import type { SkillFile } from "../../../exec/index.js";
import type { FilePosition } from "../../../utils/index.js";
import type { LintIssue } from "../finding.js";
import type { SkillCode } from "./rules.js";

const MAX_NAME_LENGTH = 64;
const MAX_DESCRIPTION_LENGTH = 1024;
const MIN_DESCRIPTION_BYTES = 20;
const MAX_COMPATIBILITY_LENGTH = 500;
const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const RESERVED_WORDS = ["anthropic", "claude"];
const HTML_TAG = /<\/?[A-Za-z][^<>]*>/;

/** The keys of the open skill specification, and others that agents read. */
const KNOWN_KEYS: ReadonlySet<string> = new Set([
  "name",
  "description",
  "license",
  "compatibility",
  "metadata",
  "allowed-tools",
  "disallowed-tools",
  "when_to_use",
  "argument-hint",
  "arguments",
  "disable-model-invocation",
  "user-invocable",
  "model",
  "effort",
  "context",
  "agent",
  "hooks",
  "paths",
  "shell",
]);

type FrontMatterIssue = LintIssue<SkillCode>;

/** The front matter of a SKILL.md, and the locations of its keys. */
export interface FrontMatter {
  readonly front: SkillFile["front"];
  /** The folder of the skill. */
  readonly dir: string;
  readonly placeOf: (key: string) => FilePosition;
}

/** Locates the keys of a front matter; missing keys are at its first line. */
export function createKeyLocator(text: string): FrontMatter["placeOf"] {
  const lines = text.split("\n");
  return (key) => {
    const index = lines.findIndex((line) => line.startsWith(`${key}:`) || line.startsWith(`"${key}":`));
    return { line: index === -1 ? 1 : index + 1, column: 1 };
  };
}

export function findFrontMatterIssues(matter: FrontMatter): FrontMatterIssue[] {
  const name = checkSkillName(matter);
  const description = checkSkillDescription(matter);
  return [...(name === null ? [] : [name]), ...(description === null ? [] : [description]), ...findKeyIssues(matter)];
}

/** Only the first problem with the name: the others usually follow from it. */
function checkSkillName({ front, dir, placeOf }: FrontMatter): FrontMatterIssue | null {
  const { name } = front;
  const place = placeOf("name");
  if (name === undefined || name === null || name === "")
    return { ...place, code: "SKILL-NAME-MISSING", message: "The skill has no name." };
  const said = typeof name === "string" ? `"${name}"` : JSON.stringify(name);
  if (typeof name !== "string" || !KEBAB_CASE.test(name)) {
    const message = `The name ${said} must consist of lowercase letters, digits and single hyphens.`;
    return { ...place, code: "SKILL-NAME", message };
  }
  if (name.length > MAX_NAME_LENGTH)
    return {
      ...place,
      code: "SKILL-NAME-LENGTH",
      message: `The name has ${name.length} characters; the maximum is ${MAX_NAME_LENGTH}.`,
    };
  const reserved = RESERVED_WORDS.find((word) => name.split("-").includes(word));
  if (reserved !== undefined) {
    return {
      ...place,
      code: "SKILL-NAME-RESERVED",
      message: `The name ${said} contains the reserved word "${reserved}".`,
    };
  }
  const folder = basename(dir);
  if (name === folder) return null;
  return { ...place, code: "SKILL-NAME-FOLDER", message: `The name is ${said}, but the folder is "${folder}".` };
}

function checkSkillDescription({ front, placeOf }: FrontMatter): FrontMatterIssue | null {
  const { description } = front;
  const place = placeOf("description");
  if (typeof description !== "string" || description.trim() === "")
    return { ...place, code: "SKILL-DESCRIPTION-MISSING", message: "The skill has no description text." };
  const length = [...description].length;
  if (length > MAX_DESCRIPTION_LENGTH) {
    const message = `The description has ${length} characters; the maximum is ${MAX_DESCRIPTION_LENGTH}.`;
    return { ...place, code: "SKILL-DESCRIPTION-LENGTH", message };
  }
  const tag = HTML_TAG.exec(description)?.[0];
  if (tag !== undefined)
    return { ...place, code: "SKILL-DESCRIPTION-TAGS", message: `The description contains the tag ${tag}.` };
  // Bytes, because a Chinese character says as much as a syllable or two.
  if (Buffer.byteLength(description.trim()) >= MIN_DESCRIPTION_BYTES) return null;
  const message = `The description "${description.trim()}" is too short to match a task.`;
  return { ...place, code: "SKILL-DESCRIPTION-SHORT", message };
}

function findKeyIssues({ front, placeOf }: FrontMatter): FrontMatterIssue[] {
  return Object.entries(front).flatMap(([key, value]): FrontMatterIssue[] => {
    const place = placeOf(key);
    if (!KNOWN_KEYS.has(key))
      return [{ ...place, code: "SKILL-KEY-UNKNOWN", message: `No agent reads the key "${key}".` }];
    const problem = checkFrontMatterValue(key, value);
    return problem === null ? [] : [{ ...place, code: "SKILL-KEY-VALUE", message: `${key} ${problem}.` }];
  });
}

function checkFrontMatterValue(key: string, value: unknown): string | null {
  const isText = typeof value === "string" && value.trim() !== "";
  if (key === "license") return isText ? null : "is not text";
  if (key === "compatibility") return checkCompatibility(value, isText);
  if (key === "allowed-tools" || key === "disallowed-tools")
    return isText || isListOfStrings(value) ? null : "is neither text nor a list of texts";
  if (key === "metadata") return isFrontMatterMapping(value) ? null : "is not a mapping of keys to values";
  return null;
}

function checkCompatibility(value: unknown, isText: boolean): string | null {
  if (!isText) return "is not text";
  const { length } = [...String(value)];
  return length > MAX_COMPATIBILITY_LENGTH
    ? `has ${length} characters; the maximum is ${MAX_COMPATIBILITY_LENGTH}`
    : null;
}

function isListOfStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isFrontMatterMapping(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
