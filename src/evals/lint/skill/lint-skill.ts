import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { NOT_UTF8, parseSkillFile, type SkillFile } from "../../../exec/skills/skill-file.js";
import type { LintIssue } from "../finding.js";
import { createKeyLocator, findFrontMatterIssues } from "./front-matter.js";
import { findOrphanIssues } from "./orphans.js";
import { findReferenceIssues } from "./reference-remarks.js";
import type { SkillCode } from "./rules.js";
import { listSkillParts } from "./skill-folder.js";

const MAX_BODY_LINES = 500;

/** Checks a SKILL.md and the other files of the skill. */
export async function lintSkill(path: string): Promise<LintIssue<SkillCode>[]> {
  const file = resolve(path);
  const dir = dirname(file);
  const bytes = await readFile(file);
  if (!isUtf8(bytes))
    return [
      {
        line: 1,
        column: 1,
        code: "SKILL-FRONT-MATTER",
        message: toSentence(NOT_UTF8),
        fix: "Save the file as text in UTF-8.",
      },
    ];
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  const skill = await parseSkillFile(text);
  const broken = skill.problems.map(({ text: message, ...place }): LintIssue<SkillCode> => {
    return { ...place, code: "SKILL-FRONT-MATTER", message: toSentence(message) };
  });
  const front =
    broken.length > 0 ? [] : findFrontMatterIssues({ front: skill.front, dir, placeOf: createKeyLocator(text) });
  const parts = await listSkillParts(dir);
  const linked = parts.filter(({ path: part }) => part.startsWith("references/") || text.includes(part));
  const own = { dir, file, text: skill.body, firstLine: skill.bodyLine };
  const others = linked.flatMap((part) => {
    const isMarkdown = part.text !== null && /\.mdx?$/i.test(part.path) && !part.path.startsWith("assets/");
    return isMarkdown ? findReferenceIssues({ dir, file: part.file, text: part.text ?? "", firstLine: 1 }) : [];
  });
  return [
    ...broken,
    ...front,
    ...findBodyIssues(skill),
    ...findReferenceIssues(own),
    ...others,
    ...findOrphanIssues(text, parts),
  ];
}

function findBodyIssues({ body, bodyLine, problems }: SkillFile): LintIssue<SkillCode>[] {
  const place = { line: bodyLine, column: 1 };
  if (body.trim() === "")
    return problems.length > 0
      ? []
      : [{ ...place, code: "SKILL-BODY-EMPTY", message: "There is no text below the front matter." }];
  const lines = body.trimEnd().split("\n").length;
  if (lines <= MAX_BODY_LINES) return [];
  return [
    { ...place, code: "SKILL-BODY-LONG", message: `The body has ${lines} lines; the maximum is ${MAX_BODY_LINES}.` },
  ];
}

/** Problem texts continue after the name of the file. */
function toSentence(text: string): string {
  const said = text.replace(/^its /, "The ").replace(/^it /, "The file ");
  return said.charAt(0).toUpperCase() + said.slice(1);
}
