import { type FileProblem, parseYaml } from "../../utils/files/yaml-tree.js";

/** A parsed SKILL.md. */
export interface SkillFile {
  /** The front matter; empty when there is none. */
  readonly front: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** The first line of the body, from 1. */
  readonly bodyLine: number;
  /** Problems of the front matter, with line numbers. */
  readonly problems: readonly FileProblem[];
}

export const NOT_UTF8 = "it is not valid UTF-8: save it as UTF-8 and remove binary content.";

const FRONT_MATTER_START = /^---[ \t]*\r?\n/;
const FRONT_MATTER_END = /(?:^|\n)---[ \t]*(?:\r?\n|$)/;

/**
 * Parses a SKILL.md: YAML between two lines of dashes, then Markdown.
 * @example
 * const { front } = await parseSkillFile("---\nname: tidy\ndescription: Tidies up.\n---\n# Tidy\n");
 * front.name; // "tidy"
 */
export async function parseSkillFile(text: string): Promise<SkillFile> {
  const source = text.replace(/^\uFEFF/, "");
  const opening = FRONT_MATTER_START.exec(source);
  if (opening === null)
    return createFrontlessSkill(source, "it has no front matter: begin it with ---, name, description and ---.");
  const rest = source.slice(opening[0].length);
  const closing = FRONT_MATTER_END.exec(rest);
  if (closing === null)
    return createFrontlessSkill(source, "its front matter is not closed: add a line --- after the description.");
  const yaml = rest.slice(0, closing.index);
  const body = rest.slice(closing.index + closing[0].length);
  const tree = await parseYaml(yaml);
  const problems = tree.problems.map((problem) => ({ ...problem, line: problem.line + 1 }));
  const bodyLine = source.slice(0, source.length - body.length).split("\n").length;
  const isMap = typeof tree.value === "object" && tree.value !== null && !Array.isArray(tree.value);
  if (isMap) return { front: tree.value as Readonly<Record<string, unknown>>, body, bodyLine, problems };
  const none = { line: 2, column: 1, text: "its front matter has no keys: add a name and a description." };
  return { front: {}, body, bodyLine, problems: problems.length > 0 ? problems : [none] };
}

function createFrontlessSkill(body: string, text: string): SkillFile {
  return { front: {}, body, bodyLine: 1, problems: [{ line: 1, column: 1, text }] };
}
