import { createHash } from "node:crypto";
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { getErrorMessage } from "../../core/index.js";

export type SchemaVerdict =
  | { type: "valid" }
  | { type: "invalid"; error: string }
  | { type: "unusable"; reason: string };

type Schema = Record<string, unknown> | boolean;
type SchemaDialect = keyof typeof AJVS;

const AJVS = { "draft-07": Ajv, "2019-09": Ajv2019, "2020-12": Ajv2020 } as const;

/** Formats are not checked, since tools disagree about them. Unknown keywords are ignored, as the standard asks. */
const OPTIONS: Options = {
  strict: false,
  validateFormats: false,
  allErrors: false,
  logger: false,
  messages: true,
  // Otherwise every value would have the property "constructor".
  ownProperties: true,
};
const MAX_CACHED = 64;
const NAMED = /"\$id"\s*:/;
const TOO_OLD = /json-schema\.org\/(draft-0[1-5])\//;
const OLDER = /json-schema\.org\/(?:draft-0[67]\/)?schema/;
const NEWER =
  /"(?:prefixItems|\$dynamicRef|dependentRequired|dependentSchemas|unevaluated\w+|minContains|maxContains)"\s*:/;

/** Validates values against JSON Schemas of draft-06, draft-07, 2019-09 and 2020-12, and caches compiled schemas. */
export class SchemaValidator {
  readonly #compiled = new Map<string, ValidateFunction | string>();
  /** Cached, because each Ajv first compiles its meta-schema. */
  readonly #ajvs = new Map<SchemaDialect, Ajv>();

  /** The schema is passed as JSON text. */
  validate(schemaText: string, value: unknown): SchemaVerdict {
    const validate = this.#getValidator(schemaText);
    if (typeof validate === "string") return { type: "unusable", reason: validate };
    try {
      return validate(value) ? { type: "valid" } : { type: "invalid", error: formatAjvError(validate.errors?.[0]) };
    } catch (error) {
      // A recursive schema runs out of stack on a deeply nested value.
      return { type: "unusable", reason: getErrorMessage(error) };
    }
  }

  #getValidator(schemaText: string): ValidateFunction | string {
    const key = schemaText.length < 200 ? schemaText : createHash("sha256").update(schemaText).digest("base64");
    const validate = this.#compiled.get(key) ?? this.#compile(schemaText);
    this.#compiled.delete(key);
    this.#compiled.set(key, validate);
    const [oldest] = this.#compiled.keys();
    if (this.#compiled.size > MAX_CACHED && oldest !== undefined) this.#compiled.delete(oldest);
    return validate;
  }

  /** Returns a message if the schema cannot be used. */
  #compile(schemaText: string): ValidateFunction | string {
    try {
      const schema = JSON.parse(schemaText) as Schema;
      const tooOld = TOO_OLD.exec(findNamedDialect(schema) ?? "")?.[1];
      if (tooOld !== undefined) return `${tooOld} is not supported: write the schema in draft-07 or 2020-12`;
      const dialect = detectDialect(schema, schemaText);
      // Two schemas may have the same $id, and one Ajv would confuse them.
      if (NAMED.test(schemaText)) return new AJVS[dialect](OPTIONS).compile(schema);
      const ajv = this.#ajvs.get(dialect) ?? new AJVS[dialect](OPTIONS);
      this.#ajvs.set(dialect, ajv);
      const validate = ajv.compile(schema);
      // Otherwise Ajv would keep every schema it has seen.
      if (typeof schema === "object") ajv.removeSchema(schema);
      return validate;
    } catch (error) {
      return getErrorMessage(error);
    }
  }
}

function findNamedDialect(schema: Schema): string | null {
  return typeof schema === "object" && typeof schema.$schema === "string" ? schema.$schema : null;
}

function detectDialect(schema: Schema, schemaText: string): SchemaDialect {
  const named = findNamedDialect(schema);
  if (typeof schema !== "object" || named === null) return NEWER.test(schemaText) ? "2020-12" : "draft-07";
  if (named.includes("2020-12")) return "2020-12";
  if (named.includes("2019-09")) return "2019-09";
  // Draft-07 is compatible with draft-06, but Ajv knows each draft only by its own name.
  if (OLDER.test(named)) delete schema.$schema;
  return "draft-07";
}

function formatAjvError(error: ErrorObject | undefined): string {
  if (error === undefined) return "does not validate";
  const { additionalProperty } = error.params as { additionalProperty?: unknown };
  const extra = typeof additionalProperty === "string" ? ` (${JSON.stringify(additionalProperty)})` : "";
  const text = `${error.instancePath || "the value"} ${error.message ?? "does not validate"}${extra}`;
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
