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
  paths: listOf(filled).min(1, "is empty").optional(),
  tags: listOf(filter).optional(),
}).refine(({ paths, tags }) => paths !== undefined || tags !== undefined, "chooses nothing: give it paths or tags");

const sharedSchema = environmentSchema.omit({ use: true });

/** What `evals` of a config file holds. */
export const evalsSchema = mapping({
  paths: listOf(filled).min(1, "is empty: name a path, or remove the line").optional(),
  suites: recordOf(suiteSchema).optional(),
  environments: recordOf(sharedSchema).optional(),
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
