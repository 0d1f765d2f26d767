import { filled, listOf, mapping, recordOf } from "./fields.js";
import { ENVIRONMENT_RULES, type KeyRules } from "./key-rules.js";
import { environmentSchema } from "./spec-environment.js";
import { matchesTags } from "./tags.js";

const filter = filled.superRefine((value, context) => {
  try {
    matchesTags({}, [value]);
  } catch {
    context.addIssue({ code: "custom", message: "names no tag: write area=js, !area=js, slow or !slow" });
  }
});
const suiteSchema = mapping({
  paths: listOf(filled)
    .min(1, "is empty")
    .optional()
    .describe("Files, folders or patterns, instead of those of the project."),
  tags: listOf(filter).optional().describe("Filters that a stimulus must meet, all of them: area=js, !slow."),
}).refine(({ paths, tags }) => paths !== undefined || tags !== undefined, "chooses nothing: give it paths or tags");

const sharedSchema = environmentSchema.omit({ use: true });

/** What `evals` of a config file holds. */
export const evalsSchema = mapping({
  paths: listOf(filled)
    .min(1, "is empty: name a path, or remove the line")
    .optional()
    .describe("Where eval files are looked for: files, folders, patterns."),
  suites: recordOf(suiteSchema).optional().describe("Chosen parts of the evals, by name."),
  environments: recordOf(sharedSchema).optional().describe("Environments that eval files can name."),
});

/** One of the project file is what others are added to: it is added to none itself. */
const SHARED_RULES: KeyRules = {
  ...ENVIRONMENT_RULES,
  keys: Object.keys(sharedSchema.shape),
  refused: { use: "is for the environments of eval files. Write here all that this one has." },
};

export const EVALS_RULES: KeyRules = {
  keys: Object.keys(evalsSchema.shape),
  inside: {
    suites: { rules: { keys: ["paths", "tags"] }, each: true },
    environments: { rules: SHARED_RULES, each: true },
  },
};
