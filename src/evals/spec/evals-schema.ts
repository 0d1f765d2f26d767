import { createListField, createMappingField, createRecordField, filled } from "./fields.js";
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
const suiteSchema = createMappingField({
  paths: createListField(filled)
    .min(1, "is empty")
    .optional()
    .describe("Files, folders or patterns, instead of those of the project."),
  tags: createListField(filter).optional().describe("Tag filters that a test case must all meet: area=js, !slow."),
}).refine(({ paths, tags }) => paths !== undefined || tags !== undefined, "selects nothing: add paths or tags");

const sharedSchema = environmentSchema.omit({ use: true });

export const evalsSchema = createMappingField({
  paths: createListField(filled)
    .min(1, "is empty: name a path, or remove the line")
    .optional()
    .describe("Where to look for eval files: files, folders, patterns."),
  suites: createRecordField(suiteSchema).optional().describe("Named selections of evals."),
  environments: createRecordField(sharedSchema)
    .optional()
    .describe("Environments that eval files can refer to by name."),
});

/** Environments of the project file are the base for others and cannot extend one themselves. */
const SHARED_RULES: KeyRules = {
  ...ENVIRONMENT_RULES,
  keys: Object.keys(sharedSchema.shape),
  refused: { use: "is only for environments of eval files. Write the complete environment here." },
};

export const EVALS_RULES: KeyRules = {
  keys: Object.keys(evalsSchema.shape),
  inside: {
    suites: { rules: { keys: ["paths", "tags"] }, each: true },
    environments: { rules: SHARED_RULES, each: true },
  },
};
