import type { LintFiles } from "../lint-testing.js";
import type { SkillCode } from "./rules.js";

const DESCRIPTION = "Tidies up code. Use when asked to clean or sort files.";
const BODY = "# Tidy\n\nSort the imports.\n";

/** Builds a SKILL.md, by default a valid one. */
export function buildSkillFile({ name = "tidy", description = DESCRIPTION, more = "", body = BODY } = {}): string {
  const lines = [name && `name: ${name}`, description && `description: ${description}`, more].filter(Boolean);
  return `---\n${lines.join("\n")}\n---\n${body}`;
}

const buildSkillWithBody = (body: string) => buildSkillFile({ body: `# Tidy\n\n${body}\n` });

/** For each code, files that have exactly this defect. */
export const SKILL_CASES: Readonly<Record<SkillCode, LintFiles>> = {
  "SKILL-FRONT-MATTER": { "tidy/SKILL.md": "# Tidy\n\nSort the imports.\n" },
  "SKILL-NAME-MISSING": { "tidy/SKILL.md": buildSkillFile({ name: "" }) },
  "SKILL-NAME": { "tidy/SKILL.md": buildSkillFile({ name: "Tidy_Up" }) },
  "SKILL-NAME-LENGTH": { [`${"a".repeat(65)}/SKILL.md`]: buildSkillFile({ name: "a".repeat(65) }) },
  "SKILL-NAME-FOLDER": { "tidy/SKILL.md": buildSkillFile({ name: "tidy-up" }) },
  "SKILL-NAME-RESERVED": { "claude-tidy/SKILL.md": buildSkillFile({ name: "claude-tidy" }) },
  "SKILL-DESCRIPTION-MISSING": { "tidy/SKILL.md": buildSkillFile({ description: "" }) },
  "SKILL-DESCRIPTION-LENGTH": { "tidy/SKILL.md": buildSkillFile({ description: "words ".repeat(180) }) },
  "SKILL-DESCRIPTION-SHORT": { "tidy/SKILL.md": buildSkillFile({ description: "Tidies up." }) },
  "SKILL-DESCRIPTION-TAGS": { "tidy/SKILL.md": buildSkillFile({ description: `Use <b>always</b>. ${DESCRIPTION}` }) },
  "SKILL-KEY-UNKNOWN": { "tidy/SKILL.md": buildSkillFile({ more: "author: somebody" }) },
  "SKILL-KEY-VALUE": { "tidy/SKILL.md": buildSkillFile({ more: "metadata: yes please" }) },
  "SKILL-BODY-EMPTY": { "tidy/SKILL.md": buildSkillFile({ body: "\n" }) },
  "SKILL-BODY-LONG": { "tidy/SKILL.md": buildSkillFile({ body: "Sort.\n".repeat(501) }) },
  "SKILL-REFERENCE-BROKEN": { "tidy/SKILL.md": buildSkillWithBody("See [the rules](references/rules.md).") },
  "SKILL-REFERENCE-OUTSIDE": {
    "tidy/SKILL.md": buildSkillWithBody("See [the rules](../rules.md)."),
    "rules.md": "They are there, but not in the skill.",
  },
  "SKILL-PATH-ABSOLUTE": { "tidy/SKILL.md": buildSkillWithBody("See [the rules](/etc/rules.md).") },
  "SKILL-PATH-WINDOWS": {
    "tidy/SKILL.md": buildSkillWithBody("Run scripts\\sort.py, which is sort.py."),
    "tidy/scripts/sort.py": "print()\n",
  },
  "SKILL-FILE-ORPHANED": {
    "tidy/SKILL.md": buildSkillWithBody("Sort."),
    "tidy/references/rules.md": "Sort by name.\n",
  },
};

/** Skills without findings. */
export const CLEAN_SKILLS: Readonly<Record<string, LintFiles>> = {
  "a skill with the least there can be": { "tidy/SKILL.md": buildSkillFile() },
  "a skill with all keys": {
    "tidy/SKILL.md": buildSkillFile({
      more: 'license: MIT\ncompatibility: Needs git.\nallowed-tools: Bash(git:*) Read\nmetadata:\n  version: "1.0"',
    }),
  },
  "files that are mentioned in various ways": {
    "tidy/SKILL.md": buildSkillWithBody(
      [
        "See [the rules](references/rules.md#sorting 'Rules') and ![a picture](assets/picture.png).",
        "Run `python scripts/sort.py --all`, then [this][more] or <https://example.org/x.md>.",
        "Templates are in `assets/templates/`.",
        "A link looks like `[text](nowhere.md)`; your own may be at {baseDir}/scripts/own.py or docs/rules.md.",
        "```sh",
        "cat [not](a-link.md)",
        "python scripts/sort.py",
        "```",
        "[more]: references/deep/more.md",
      ].join("\n"),
    ),
    "tidy/references/rules.md": "Back to [the skill](../SKILL.md), on to [more](deep/more.md).\n",
    "tidy/references/deep/more.md": "As in [the rules](references/rules.md).\n",
    "tidy/scripts/sort.py": "from order import by_name\n",
    "tidy/scripts/order.py": "by_name = None\n",
    "tidy/assets/picture.png": "\u0089PNG",
    "tidy/assets/templates/one.txt": "{title}\n",
    "tidy/assets/templates/two.md": "[a link to fill in](somewhere.md)\n",
    "tidy/LICENSE.md": "Do as you [like](nowhere.md).\n",
  },
  "text about Windows": {
    "tidy/SKILL.md": buildSkillWithBody(
      "Look in C:\\Windows\\System32\\mscoree.dll and `C:\\Program Files\\dotnet`. Never write paths like scripts\\run.py.\n\n```sh\ndir D:\\work\n```",
    ),
  },
  "links in a template that shows blocks of code": {
    "tidy/SKILL.md": buildSkillWithBody(
      "````markdown\nSee [the guide](guide.md).\n```js\nrun();\n```\n[more](more.md)\n````\n\n```markdown\n# Title\n```js\n[a link](to-fill-in.md)\n```",
    ),
  },
  "files that only other files of the skill name": {
    "tidy/SKILL.md": buildSkillWithBody("See [how to evaluate](reference/evaluation.md) and [forms](forms.md)."),
    "tidy/reference/evaluation.md": "Run `pip install -r scripts/requirements.txt`.\n",
    "tidy/scripts/requirements.txt": "yaml\n",
    "tidy/forms.md": "Run `python scripts/check_fields FILE`, then `python -m scripts.fill`.\n",
    "tidy/scripts/check_fields.py": "print()\n",
    "tidy/scripts/fill.py": "print()\n",
    "tidy/Makefile": "all:\n\tsh scripts/all.sh\n",
    "tidy/scripts/all.sh": "echo\n",
  },
  "commands about the user's own folders": {
    "tidy/SKILL.md": buildSkillWithBody("```sh\nsh scripts/build.sh\n```"),
  },
};
