import type { Evaluator, Example, Output, ScoreContext, Scored } from "../core/index.js";
import { UsageError } from "../core/index.js";
import { markUnscored } from "./gold.js";
import type { SchemaValidator, SchemaVerdict } from "./json-schema/validator.js";
import { parseResponseValue } from "./json-schema/value.js";
import type { SchemaTaskInput } from "./json-schema-task.js";
import { parseJson, toJson } from "./json-text.js";
import { requireTimeLimit, scoreInThread } from "./thread-scoring.js";

const FIELD = "json_schema";
const DEFAULT_LIMIT_MS = 2000;
/** Longer values, and schemas with patterns, are checked in a thread that can be stopped. */
const MAX_INLINE_CHARS = 100_000;
const HAS_PATTERN = /"pattern(?:Properties)?"\s*:/;

/** Options of `JsonSchema`. */
export interface JsonSchemaOptions {
  /** The schema, as an object or as JSON text. Default: the example's `schema`. */
  schema?: object | boolean | string;
  /** Extract JSON from a fence or from prose; otherwise the response must be nothing but JSON. Default: true. */
  lenient?: boolean;
  /** Time limit for one response in milliseconds, since a pattern in a schema can run forever. Default: 2000. */
  limitMs?: number;
}

/**
 * Whether the response is JSON that validates against a JSON Schema: the evaluator's own, else the example's
 * `schema`. Formats ("email", "date") are not checked. A schema that cannot be used leaves the row unscored.
 * @example
 * await new JsonSchema({ schema: { type: "object", required: ["name"] } }).score({ id: 1, question: "…" }, { response: "{}" });
 * // { scores: { json_schema: 0 }, evidence: { json_schema: "the value must have required property 'name'" } }
 */
export class JsonSchema implements Evaluator {
  readonly name = FIELD;
  readonly fields: readonly string[] = [FIELD];
  readonly primaryFields: readonly string[] = [FIELD];
  readonly #schema: string | null;
  readonly #isLenient: boolean;
  readonly #limitMs: number;
  #book: SchemaValidator | null = null;

  constructor({ schema, lenient = true, limitMs = DEFAULT_LIMIT_MS }: JsonSchemaOptions = {}) {
    this.#schema = schema === undefined ? null : toSchemaText(schema);
    if (schema !== undefined && this.#schema === null) {
      throw new UsageError("json_schema: schema must be an object, true or false, or one of these as JSON text.");
    }
    this.#isLenient = lenient;
    this.#limitMs = requireTimeLimit(this.name, limitMs);
  }

  async score(original: Example, processed: Output, context?: ScoreContext): Promise<Scored> {
    const schema = this.#schema ?? toSchemaText(original.schema);
    if (schema === null) return markUnscored(this.fields, "the example has no schema (an object, or JSON text)");
    const parsed = parseResponseValue(processed, this.#isLenient);
    if (parsed === null) return { scores: { [FIELD]: 0 }, evidence: { [FIELD]: "the response is not JSON" } };
    const text = toJson(parsed.value);
    if (text === null)
      return this.#toScored({ type: "unusable", reason: "the value is nested too deeply or is not JSON" });
    if (canCheckInline(schema, text))
      return this.#toScored((await this.#getValidator()).validate(schema, parsed.value));
    const input: SchemaTaskInput = { schema, value: text };
    const work = { fields: this.fields, task: "json_schema" as const, input, limitMs: this.#limitMs, context };
    return scoreInThread<SchemaVerdict>(work, (verdict) => this.#toScored(verdict));
  }

  fingerprint(): unknown {
    return { evaluator: this.name, version: 1, schema: this.#schema, lenient: this.#isLenient };
  }

  /** Loaded on first use: the library is large, and most runs don't need it. */
  async #getValidator(): Promise<SchemaValidator> {
    if (this.#book === null) {
      const { SchemaValidator: Book } = await import("./json-schema/validator.js");
      this.#book ??= new Book();
    }
    return this.#book;
  }

  #toScored(verdict: SchemaVerdict): Scored {
    switch (verdict.type) {
      case "valid":
        return { scores: { [FIELD]: 1 } };
      case "invalid":
        return { scores: { [FIELD]: 0 }, evidence: { [FIELD]: verdict.error } };
      case "unusable":
        return markUnscored(this.fields, `the response cannot be checked: ${verdict.reason}`);
    }
  }
}

function canCheckInline(schema: string, value: string): boolean {
  return value.length + schema.length <= MAX_INLINE_CHARS && !HAS_PATTERN.test(schema);
}

/** Returns null for what cannot be a schema. */
function toSchemaText(schema: unknown): string | null {
  const value = typeof schema === "string" ? parseJson(schema)?.value : schema;
  const isSchema = typeof value === "boolean" || (typeof value === "object" && value !== null && !Array.isArray(value));
  return isSchema ? toJson(value) : null;
}
