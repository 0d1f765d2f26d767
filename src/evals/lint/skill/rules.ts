import type { LintRule } from "../finding.js";

/** What is looked for in a SKILL.md and the folder it stands in. */
export const SKILL_RULES = {
  "SKILL-FRONT-MATTER": {
    severity: "error",
    about: "A SKILL.md has no front matter, or one that cannot be read.",
    fix: "Begin the file with ---, name, description and ---.",
  },
  "SKILL-NAME-MISSING": {
    severity: "error",
    about: "A skill has no name.",
    fix: "Give it the name of its folder.",
  },
  "SKILL-NAME": {
    severity: "error",
    about: "The name of a skill is not made of small letters, digits and single hyphens.",
    fix: "Write it as in write-tests.",
  },
  "SKILL-NAME-LENGTH": {
    severity: "error",
    about: "The name of a skill has more than 64 characters.",
    fix: "Shorten the name, and that of the folder.",
  },
  "SKILL-NAME-FOLDER": {
    severity: "error",
    about: "The name of a skill is not that of its folder.",
    fix: "Rename one of the two: agents find a skill by its folder.",
  },
  "SKILL-NAME-RESERVED": {
    severity: "error",
    about: "The name of a skill has a word that makers of agents keep for themselves.",
    fix: "Name it after what it does.",
  },
  "SKILL-DESCRIPTION-MISSING": {
    severity: "error",
    about: "A skill has no description, so that no agent knows when to use it.",
    fix: "Say what it does and when to use it.",
  },
  "SKILL-DESCRIPTION-LENGTH": {
    severity: "error",
    about: "The description of a skill has more than 1024 characters.",
    fix: "Keep what it does and when to use it; move the rest into the body.",
  },
  "SKILL-DESCRIPTION-SHORT": {
    severity: "warning",
    about: "The description of a skill is too short for an agent to match a task on.",
    fix: "Say what it does and when to use it, in words that a task would have.",
  },
  "SKILL-DESCRIPTION-TAGS": {
    severity: "error",
    about: "The description of a skill has tags in it, which agents refuse.",
    fix: "Write it as plain text.",
  },
  "SKILL-KEY-UNKNOWN": {
    severity: "warning",
    about: "The front matter has a key that no agent reads.",
    fix: "Take it out, or put it under metadata.",
  },
  "SKILL-KEY-VALUE": {
    severity: "error",
    about: "A key of the front matter has a value of the wrong kind.",
    fix: "Write license, compatibility (at most 500 characters) and allowed-tools as text, and metadata as keys with values.",
  },
  "SKILL-BODY-EMPTY": {
    severity: "error",
    about: "A skill says nothing below its front matter.",
    fix: "Write down what an agent should do.",
  },
  "SKILL-BODY-LONG": {
    severity: "warning",
    about: "The body of a skill has more than 500 lines, all of which are read each time it is used.",
    fix: "Move what is not always needed into files below references/, and link them.",
  },
  "SKILL-REFERENCE-BROKEN": {
    severity: "error",
    about: "A file of a skill names another one that is not there.",
    fix: "Mend the path, or add the file. Paths are relative to the file they stand in, or to the folder of the skill.",
  },
  "SKILL-REFERENCE-OUTSIDE": {
    severity: "error",
    about: "A skill names a file outside of its folder, which is not there once the skill is installed.",
    fix: "Move the file into the folder of the skill.",
  },
  "SKILL-PATH-ABSOLUTE": {
    severity: "warning",
    about: "A skill links to an absolute path, which other machines do not have.",
    fix: "Write it relative to the folder of the skill.",
  },
  "SKILL-PATH-WINDOWS": {
    severity: "warning",
    about: "A skill writes a path with backslashes, which works on Windows alone.",
    fix: "Write it with slashes.",
  },
  "SKILL-FILE-ORPHANED": {
    severity: "warning",
    about:
      "Nothing in a skill mentions a file below references/, scripts/ or assets/, so that no agent will look at it.",
    fix: "Mention it where it is needed, or take it out.",
  },
} as const satisfies Readonly<Record<string, LintRule>>;

export type SkillCode = keyof typeof SKILL_RULES;
