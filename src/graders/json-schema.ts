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
    "does not say what to check: give path, or output: true",
  );

/** Shared by all graders: setting up a validator takes longer than hundreds of checks. */
let shared: Promise<JsonSchema> | null = null;

/** Checks JSON in a workspace file or in the answer against a JSON Schema. */
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

interface Question {
  readonly schema: object | boolean;
  readonly text: string;
  readonly signal?: AbortSignal;
}

/** The evaluator does the work, in a thread if the schema could take long. */
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

async function judged(question: Question, what: string): Promise<Verdict> {
  const { score, evidence, unknown } = await scoreOf(question);
  if (unknown !== null) return cannotTell(unknown.replace(RESPONSE, what));
  return score === 1 ? verdict(true, `${what} matches the schema`) : verdict(false, `${what}: ${evidence}`);
}

/** An invalid schema is only detected when it is compiled, and loading the compiler to read a config would be too slow. */
async function checkSchema(schema: object | boolean): Promise<void> {
  const { unknown } = await scoreOf({ schema, text: "null" });
  if (unknown !== null)
    throw new GraderError(`The schema of a json-schema grader cannot be used: ${unknown.replace(UNCHECKED, "")}.`);
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
