import type { LintRule } from "../finding.js";

/** Lint rules for SKILL.md files and their folders. */
export const SKILL_RULES = {
  "SKILL-FRONT-MATTER": {
    severity: "error",
    about: "The SKILL.md has no front matter, or it cannot be read.",
    fix: "Begin the file with ---, name, description and ---.",
  },
  "SKILL-NAME-MISSING": {
    severity: "error",
    about: "The skill has no name.",
    fix: "Use the name of its folder.",
  },
  "SKILL-NAME": {
    severity: "error",
    about: "The name of the skill does not consist of lowercase letters, digits and single hyphens.",
    fix: "Write it like write-tests.",
  },
  "SKILL-NAME-LENGTH": {
    severity: "error",
    about: "The name of the skill has more than 64 characters.",
    fix: "Shorten the name and that of the folder.",
  },
  "SKILL-NAME-FOLDER": {
    severity: "error",
    about: "The name of the skill differs from its folder.",
    fix: "Rename one of the two: agents find a skill by its folder.",
  },
  "SKILL-NAME-RESERVED": {
    severity: "error",
    about: "The name of the skill contains a word that agent vendors reserve.",
    fix: "Name it after what it does.",
  },
  "SKILL-DESCRIPTION-MISSING": {
    severity: "error",
    about: "The skill has no description, so no agent knows when to use it.",
    fix: "Say what it does and when to use it.",
  },
  "SKILL-DESCRIPTION-LENGTH": {
    severity: "error",
    about: "The description of the skill has more than 1024 characters.",
    fix: "Keep what it does and when to use it; move the rest into the body.",
  },
  "SKILL-DESCRIPTION-SHORT": {
    severity: "warning",
    about: "The description of the skill is too short for an agent to match a task.",
    fix: "Say what it does and when to use it, in words that a task would contain.",
  },
  "SKILL-DESCRIPTION-TAGS": {
    severity: "error",
    about: "The description of the skill contains tags, which agents reject.",
    fix: "Write it as plain text.",
  },
  "SKILL-KEY-UNKNOWN": {
    severity: "warning",
    about: "The front matter has a key that no agent reads.",
    fix: "Remove it, or move it under metadata.",
  },
  "SKILL-KEY-VALUE": {
    severity: "error",
    about: "A key of the front matter has a value of the wrong type.",
    fix: "Write license, compatibility (at most 500 characters) and allowed-tools as text, and metadata as a mapping.",
  },
  "SKILL-BODY-EMPTY": {
    severity: "error",
    about: "The skill has no text below its front matter.",
    fix: "Write what an agent should do.",
  },
  "SKILL-BODY-LONG": {
    severity: "warning",
    about: "The body of the skill has more than 500 lines, all of which are read each time it is used.",
    fix: "Move what is not always needed into files below references/, and link them.",
  },
  "SKILL-REFERENCE-BROKEN": {
    severity: "error",
    about: "A file of the skill names another file that does not exist.",
    fix: "Fix the path, or add the file. Paths are relative to the file that contains them, or to the folder of the skill.",
  },
  "SKILL-REFERENCE-OUTSIDE": {
    severity: "error",
    about: "The skill names a file outside of its folder, which is missing once the skill is installed.",
    fix: "Move the file into the folder of the skill.",
  },
  "SKILL-PATH-ABSOLUTE": {
    severity: "warning",
    about: "The skill links to an absolute path, which other machines do not have.",
    fix: "Write it relative to the folder of the skill.",
  },
  "SKILL-PATH-WINDOWS": {
    severity: "warning",
    about: "The skill writes a path with backslashes, which works only on Windows.",
    fix: "Write it with slashes.",
  },
  "SKILL-FILE-ORPHANED": {
    severity: "warning",
    about: "No file of the skill mentions a file below references/, scripts/ or assets/, so no agent will read it.",
    fix: "Mention it where it is needed, or remove it.",
  },
} as const satisfies Readonly<Record<string, LintRule>>;

export type SkillCode = keyof typeof SKILL_RULES;
