import { UsageError } from "../core/errors.js";
import type { Evaluator, ScoreContext, Scored } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Output } from "../core/system.js";
import { undecided } from "./gold.js";
import { heavyScored, limitOf } from "./heavy-scored.js";
import type { SchemaBook, Verdict } from "./json-schema/validator.js";
import { responseValue } from "./json-schema/value.js";
import type { SchemaQuestion } from "./json-schema-task.js";
import { jsonOf, parseJson } from "./json-text.js";

const FIELD = "json_schema";
const USUAL_LIMIT_MS = 2000;
/** Longer values, and schemas with patterns, are checked in a thread that can be stopped. */
const SHORT = 100_000;
const PATTERNED = /"pattern(?:Properties)?"\s*:/;

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
  #book: SchemaBook | null = null;

  constructor({ schema, lenient = true, limitMs = USUAL_LIMIT_MS }: JsonSchemaOptions = {}) {
    this.#schema = schema === undefined ? null : schemaText(schema);
    if (schema !== undefined && this.#schema === null) {
      throw new UsageError("json_schema: schema must be an object, true or false, or one of these as JSON text.");
    }
    this.#isLenient = lenient;
    this.#limitMs = limitOf(this.name, limitMs);
  }

  async score(original: Example, processed: Output, context?: ScoreContext): Promise<Scored> {
    const schema = this.#schema ?? schemaText(original.schema);
    if (schema === null) return undecided(this.fields, "the example has no schema (an object, or JSON text)");
    const parsed = responseValue(processed, this.#isLenient);
    if (parsed === null) return { scores: { [FIELD]: 0 }, evidence: { [FIELD]: "the response is not JSON" } };
    const text = jsonOf(parsed.value);
    if (text === null)
      return this.#scored({ type: "unusable", reason: "the value is nested too deeply or is not JSON" });
    if (isShort(schema, text)) return this.#scored((await this.#ownBook()).check(schema, parsed.value));
    const input: SchemaQuestion = { schema, value: text };
    const work = { fields: this.fields, task: "json_schema" as const, input, limitMs: this.#limitMs, context };
    return heavyScored<Verdict>(work, (verdict) => this.#scored(verdict));
  }

  fingerprint(): unknown {
    return { evaluator: this.name, version: 1, schema: this.#schema, lenient: this.#isLenient };
  }

  /** Loaded on first use: the library is large, and most runs don't need it. */
  async #ownBook(): Promise<SchemaBook> {
    if (this.#book === null) {
      const { SchemaBook: Book } = await import("./json-schema/validator.js");
      this.#book ??= new Book();
    }
    return this.#book;
  }

  #scored(verdict: Verdict): Scored {
    switch (verdict.type) {
      case "valid":
        return { scores: { [FIELD]: 1 } };
      case "invalid":
        return { scores: { [FIELD]: 0 }, evidence: { [FIELD]: verdict.error } };
      case "unusable":
        return undecided(this.fields, `the response cannot be checked: ${verdict.reason}`);
    }
  }
}

function isShort(schema: string, value: string): boolean {
  return value.length + schema.length <= SHORT && !PATTERNED.test(schema);
}

/** Returns null for what cannot be a schema. */
function schemaText(schema: unknown): string | null {
  const value = typeof schema === "string" ? parseJson(schema)?.value : schema;
  const isSchema = typeof value === "boolean" || (typeof value === "object" && value !== null && !Array.isArray(value));
  return isSchema ? jsonOf(value) : null;
}
