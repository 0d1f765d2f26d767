import * as z from "zod";
import type { ScoredWithEvidence } from "../core/evaluator.js";
import type { Graded, GraderFactory, Verdict } from "../core/grader.js";
import type { JsonSchema } from "../evaluators/json-schema.js";
import { readConfig } from "./config.js";
import { GraderError } from "./grader-error.js";
import { checkSource, jsonOfFile, jsonOfOutput, jsonSourceConfig } from "./json-source.js";
import { cannotTell, ownGrader, verdict } from "./own-grader.js";

const FORM = "must be a JSON Schema: an object, true or false, or one of these as JSON text";
const schemaConfig = z.unknown().transform((given, context) => {
  if (given === undefined) context.addIssue({ code: "custom", message: "is missing" });
  else if (schemaOf(given) === null) context.addIssue({ code: "custom", message: FORM });
  return schemaOf(given) ?? true;
});
const config = z
  .strictObject({ ...jsonSourceConfig, schema: schemaConfig })
  .superRefine(checkSource)
  .refine(
    ({ path, output }) => path !== undefined || output !== undefined,
    "does not say what is checked: give path, or output: true",
  );

/** Shared by all graders: setting up a validator takes longer than hundreds of checks. */
let shared: Promise<JsonSchema> | null = null;

/** A grader of JSON, in a file of the workspace or in the answer, by a JSON Schema. */
export const jsonSchemaGraders = {
  "json-schema": (given) => {
    const { path, schema } = readConfig(config, given);
    const find = (graded: Graded) => (path === undefined ? jsonOfOutput(graded.output) : jsonOfFile(graded, path));
    return ownGrader({
      name: "json-schema",
      folderUse: path === undefined ? "none" : "looks",
      prepare: () => checkSchema(schema),
      grade: async (graded) => {
        const found = await find(graded);
        if ("problem" in found) return verdict(false, found.problem);
        return judged({ schema, text: found.text, signal: graded.signal }, path ?? "the answer");
      },
    });
  },
} satisfies Record<string, GraderFactory>;

/** A text that is to be as a schema says. */
interface Question {
  readonly schema: object | boolean;
  readonly text: string;
  readonly signal?: AbortSignal;
}

/** The evaluator does the work, in a thread where the schema could take long. */
async function scoreOf({ schema, text, signal }: Question): Promise<JsonScore> {
  shared ??= import("../evaluators/json-schema.js").then(({ JsonSchema: Loaded }) => new Loaded({ lenient: false }));
  const evaluator = await shared;
  const context = signal === undefined ? undefined : { signal };
  const said = (await evaluator.score({ id: "", schema }, { response: text }, context)) as ScoredWithEvidence;
  const { name } = evaluator;
  return {
    score: said.scores[name] ?? 0,
    evidence: said.evidence?.[name] ?? "",
    unknown: said.unscored?.[name] ?? null,
  };
}

/** What the evaluator says. */
interface JsonScore {
  readonly score: number;
  readonly evidence: string;
  /** Why it could not tell; null when it could. */
  readonly unknown: string | null;
}

/** What the evaluator calls the thing that is checked. */
const RESPONSE = /^the response/;
const UNCHECKED = /^the response cannot be checked: /;

async function judged(question: Question, what: string): Promise<Verdict> {
  const { score, evidence, unknown } = await scoreOf(question);
  if (unknown !== null) return cannotTell(unknown.replace(RESPONSE, what));
  return score === 1 ? verdict(true, `${what} is as the schema says`) : verdict(false, `${what}: ${evidence}`);
}

/** A schema that is none is known only when it is compiled, which is too much to load for reading a config. */
async function checkSchema(schema: object | boolean): Promise<void> {
  const { unknown } = await scoreOf({ schema, text: "null" });
  if (unknown !== null)
    throw new GraderError(`The schema of a grader json-schema cannot be used: ${unknown.replace(UNCHECKED, "")}.`);
}

function schemaOf(given: unknown): object | boolean | null {
  const value = typeof given === "string" ? parsed(given) : given;
  if (typeof value === "boolean") return value;
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
