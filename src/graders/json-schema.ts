import * as z from "zod";
import type { Graded, GraderFactory, ScoredWithEvidence, Verdict } from "../core/index.js";
import type { JsonSchema } from "../evaluators/index.js";
import { makeBuiltInGrader, makeErrorVerdict, makeVerdict } from "./built-in-grader.js";
import { flag, readConfig } from "./config.js";
import { GraderError } from "./grader-error.js";
import {
  checkJsonSource,
  extractOutputJson,
  jsonSourceConfig,
  readOutputJson,
  readWorkspaceJson,
} from "./json-source.js";

const SCHEMA_MESSAGE = "must be a JSON Schema: an object, true or false, or one of these as JSON text";
const schemaConfig = z.unknown().transform((given, context) => {
  if (given === undefined) context.addIssue({ code: "custom", message: "is missing" });
  else if (parseSchema(given) === null) context.addIssue({ code: "custom", message: SCHEMA_MESSAGE });
  return parseSchema(given) ?? true;
});
const jsonSchemaConfig = z
  .strictObject({ ...jsonSourceConfig, whole: flag.optional(), schema: schemaConfig })
  .superRefine(checkJsonSource)
  .refine(
    ({ path, output }) => path !== undefined || output !== undefined,
    "does not say what to check: give path, or output: true",
  );

/** Shared by all graders: setting up a validator takes longer than hundreds of checks. */
let sharedEvaluator: Promise<JsonSchema> | null = null;

/** Checks JSON in a workspace file or in the answer against a JSON Schema. */
export const jsonSchemaGraders = {
  "json-schema": (given) => {
    const { path, schema, whole = false } = readConfig(jsonSchemaConfig, given);
    const find = (graded: Graded) => {
      if (path !== undefined) return readWorkspaceJson(graded, path);
      return whole ? readOutputJson(graded.output) : extractOutputJson(graded.output);
    };
    return makeBuiltInGrader({
      name: "json-schema",
      folderUse: path === undefined ? "none" : "looks",
      prepare: () => checkGraderSchema(schema),
      grade: async (graded) => {
        const found = await find(graded);
        if ("problem" in found) return makeVerdict(false, found.problem);
        return gradeJson({ schema, text: found.text, signal: graded.signal }, path ?? "the answer");
      },
    });
  },
} satisfies Record<string, GraderFactory>;

interface SchemaCheck {
  readonly schema: object | boolean;
  readonly text: string;
  readonly signal?: AbortSignal;
}

/** The evaluator does the work, in a thread if the schema could take long. */
async function scoreJson({ schema, text, signal }: SchemaCheck): Promise<JsonScore> {
  sharedEvaluator ??= import("../evaluators/json-schema.js").then(
    ({ JsonSchema: Loaded }) => new Loaded({ lenient: false }),
  );
  const evaluator = await sharedEvaluator;
  const context = signal === undefined ? undefined : { signal };
  const said = (await evaluator.score({ id: "", schema }, { response: text }, context)) as ScoredWithEvidence;
  const { name } = evaluator;
  return {
    score: said.scores[name] ?? 0,
    evidence: said.evidence?.[name] ?? "",
    unknown: said.unscored?.[name] ?? null,
  };
}

/** The evaluator's result. */
interface JsonScore {
  readonly score: number;
  readonly evidence: string;
  /** Why the text could not be checked, or null. */
  readonly unknown: string | null;
}

/** How the evaluator's messages call the text that is checked. */
const RESPONSE = /^the response/;
const UNCHECKED = /^the response cannot be checked: /;

async function gradeJson(question: SchemaCheck, what: string): Promise<Verdict> {
  const { score, evidence, unknown } = await scoreJson(question);
  if (unknown !== null) return makeErrorVerdict(unknown.replace(RESPONSE, what));
  return score === 1 ? makeVerdict(true, `${what} matches the schema`) : makeVerdict(false, `${what}: ${evidence}`);
}

/** An invalid schema is only detected when it is compiled, and loading the compiler to read a config would be too slow. */
async function checkGraderSchema(schema: object | boolean): Promise<void> {
  const { unknown } = await scoreJson({ schema, text: "null" });
  if (unknown !== null)
    throw new GraderError(`The schema of a json-schema grader cannot be used: ${unknown.replace(UNCHECKED, "")}.`);
}

function parseSchema(given: unknown): object | boolean | null {
  const value = typeof given === "string" ? tryParseSchema(given) : given;
  if (typeof value === "boolean") return value;
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
}

function tryParseSchema(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
