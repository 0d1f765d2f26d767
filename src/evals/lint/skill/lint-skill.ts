import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { NOT_TEXT, parseSkillFile, type SkillFile } from "../../../exec/skills/skill-file.js";
import type { Remark } from "../finding.js";
import { frontMatterRemarks, keyPlaces } from "./front-matter.js";
import { orphanRemarks } from "./orphans.js";
import { referenceRemarks } from "./reference-remarks.js";
import type { SkillCode } from "./rules.js";
import { skillParts } from "./skill-folder.js";

const MOST_BODY_LINES = 500;

/** Checks a SKILL.md and the other files of the skill. */
export async function skillRemarks(path: string): Promise<Remark<SkillCode>[]> {
  const file = resolve(path);
  const dir = dirname(file);
  const bytes = await readFile(file);
  if (!isUtf8(bytes))
    return [
      {
        line: 1,
        column: 1,
        code: "SKILL-FRONT-MATTER",
        message: sentence(NOT_TEXT),
        fix: "Save the file as text in UTF-8.",
      },
    ];
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  const skill = await parseSkillFile(text);
  const broken = skill.problems.map(({ text: message, ...place }): Remark<SkillCode> => {
    return { ...place, code: "SKILL-FRONT-MATTER", message: sentence(message) };
  });
  const front = broken.length > 0 ? [] : frontMatterRemarks({ front: skill.front, dir, placeOf: keyPlaces(text) });
  const parts = await skillParts(dir);
  const linked = parts.filter(({ path: part }) => part.startsWith("references/") || text.includes(part));
  const own = { dir, file, text: skill.body, firstLine: skill.bodyLine };
  const others = linked.flatMap((part) => {
    const isMarkdown = part.text !== null && /\.mdx?$/i.test(part.path) && !part.path.startsWith("assets/");
    return isMarkdown ? referenceRemarks({ dir, file: part.file, text: part.text ?? "", firstLine: 1 }) : [];
  });
  return [
    ...broken,
    ...front,
    ...bodyRemarks(skill),
    ...referenceRemarks(own),
    ...others,
    ...orphanRemarks(text, parts),
  ];
}

function bodyRemarks({ body, bodyLine, problems }: SkillFile): Remark<SkillCode>[] {
  const place = { line: bodyLine, column: 1 };
  if (body.trim() === "")
    return problems.length > 0
      ? []
      : [{ ...place, code: "SKILL-BODY-EMPTY", message: "There is no text below the front matter." }];
  const lines = body.trimEnd().split("\n").length;
  if (lines <= MOST_BODY_LINES) return [];
  return [
    { ...place, code: "SKILL-BODY-LONG", message: `The body has ${lines} lines; the maximum is ${MOST_BODY_LINES}.` },
  ];
}

/** Problem texts continue after the name of the file. */
function sentence(text: string): string {
  const said = text.replace(/^its /, "The ").replace(/^it /, "The file ");
  return said.charAt(0).toUpperCase() + said.slice(1);
}
