import { describe, expect, it } from "vitest";
import type { ScoredWithEvidence } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Output } from "../core/system.js";
import { startCpuTimer } from "../testing/cpu-time.js";
import { SchemaValidator } from "./json-schema/validator.js";
import { JsonSchema, type JsonSchemaOptions } from "./json-schema.js";
import { findJsonValues } from "./json-text.js";

const PERSON = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer", minimum: 0 } },
  required: ["name"],
  additionalProperties: false,
};

async function scored(
  options: JsonSchemaOptions,
  response: unknown,
  example: object = {},
): Promise<ScoredWithEvidence> {
  const asked = { id: 1, question: "q", ...example } as Example;
  return (await new JsonSchema(options).score(asked, { response } as Output)) as ScoredWithEvidence;
}

const score = async (response: unknown, options: JsonSchemaOptions = { schema: PERSON }) =>
  (await scored(options, response)).scores.json_schema;

describe("JsonSchema", () => {
  it.each<[unknown, number]>([
    ['{"name": "Ada"}', 1],
    [' \n{"name": "Ada", "age": 36}\n', 1],
    [{ name: "Ada" }, 1],
    ['```json\n{"name": "Ada"}\n```', 1],
    ['Here you are:\n```\n{"name": "Ada"}\n```\nAnything else?', 1],
    ['Sure! {"name": "Ada {x}"} as asked [1].', 1],
    ['See [1]: {"name": "Ada"}', 1],
    ['<think>{"name": 4}</think>{"name": "Ada"}', 1],
    ['First ```json\n{"nam": 1}\n``` no, ```json\n{"name": "Ada"}\n```', 1],
    ['Not {"nam": 1}, as I first thought.\nFinal: {"name": "Ada"}', 1],
    ['{"name": "Ada"}, or better: {"nam": 1}', 0],
    [`${"[x] {y} ".repeat(200)}{"name": "Ada"}`, 1],
    ["{}", 0],
    ['{"name": 4}', 0],
    ['{"name": "Ada", "age": -1}', 0],
    ['{"name": "Ada", "extra": 1}', 0],
    ['{"name": "Ada"', 0],
    ["[]", 0],
    ["", 0],
    [null, 0],
    [undefined, 0],
    ["null", 0],
    ["Ada", 0],
    [4, 0],
  ])("%j: %d", async (response, expected) => {
    expect(await score(response)).toBe(expected);
  });

  it("requires pure JSON when it is not lenient", async () => {
    const strict = { schema: PERSON, lenient: false };
    expect(await score('{"name": "Ada"}', strict)).toBe(1);
    expect(await score('```json\n{"name": "Ada"}\n```', strict)).toBe(0);
    expect(await score('Sure: {"name": "Ada"}', strict)).toBe(0);
  });

  it("reports what is wrong, shortened", async () => {
    const evidence = async (response: string) =>
      (await scored({ schema: PERSON }, response)).evidence?.json_schema ?? "";
    expect(await evidence('{"age": 3}')).toBe("the value must have required property 'name'");
    expect(await evidence('{"name": "Ada", "age": "x"}')).toBe("/age must be integer");
    expect(await evidence('{"name": "Ada", "extra": 1}')).toBe(
      'the value must NOT have additional properties ("extra")',
    );
    expect(await evidence("no")).toBe("the response is not JSON");
    expect((await evidence(`{"name": "Ada", "${"x".repeat(5000)}": 1}`)).length).toBeLessThan(250);
  });

  it("uses the example's schema, as an object or as text, if it has none of its own", async () => {
    expect((await scored({}, '{"name": "Ada"}', { schema: PERSON })).scores).toEqual({ json_schema: 1 });
    expect((await scored({}, "{}", { schema: JSON.stringify(PERSON) })).scores).toEqual({ json_schema: 0 });
    expect((await scored({ schema: "true" }, "{}", { schema: PERSON })).scores).toEqual({ json_schema: 1 });
    expect((await scored({}, "4", { schema: false })).scores).toEqual({ json_schema: 0 });
  });

  it.each([undefined, null, "", "no json", 4, [], "[1]"])(
    "does not score with the example's schema %j",
    async (schema) => {
      expect(await scored({}, "{}", { schema })).toMatchObject({
        scores: {},
        unscored: { json_schema: expect.stringMatching(/the example has no schema/) },
      });
    },
  );

  it.each([
    [{ type: "nothing" }, /type/],
    [{ minimum: "x" }, /minimum/],
    [{ $ref: "#/nowhere" }, /can't resolve reference/],
    [
      { $schema: "http://json-schema.org/draft-04/schema#", type: "object" },
      /draft-04 is not supported: write the schema in draft-07 or 2020-12$/,
    ],
    [{ pattern: "(" }, /must match format|regular expression/i],
  ])("does not score with %j, which is not a schema", async (schema, reason) => {
    const { scores, unscored } = await scored({}, "{}", { schema });
    expect(scores).toEqual({});
    expect(unscored?.json_schema).toMatch(/^the response cannot be checked: /);
    expect(unscored?.json_schema).toMatch(reason);
  });

  it.each<[string, object, string, number]>([
    ["draft-07 tuples", { items: [{ type: "string" }, { type: "number" }] }, '["a", "b"]', 0],
    ["draft-07 by name", { $schema: "http://json-schema.org/draft-07/schema#", items: [{ type: "string" }] }, "[1]", 0],
    ["draft-06 by name", { $schema: "http://json-schema.org/draft-06/schema#", const: 1 }, "2", 0],
    [
      "2019-09 by name",
      { $schema: "https://json-schema.org/draft/2019-09/schema", $defs: { a: { const: 1 } }, $ref: "#/$defs/a" },
      "2",
      0,
    ],
    [
      "2020-12 by name",
      { $schema: "https://json-schema.org/draft/2020-12/schema", prefixItems: [{ type: "string" }] },
      "[1]",
      0,
    ],
    ["2020-12 by its keywords", { prefixItems: [{ type: "string" }] }, "[1]", 0],
    ["formats, which are let pass", { type: "string", format: "email" }, '"x"', 1],
    ["keywords that are not known", { type: "string", "x-order": 1 }, '"x"', 1],
    [
      "schemas that refer to themselves",
      { type: "object", properties: { next: { $ref: "#" } } },
      '{"next": {"next": 4}}',
      0,
    ],
  ])("supports %s", async (_, schema, response, expected) => {
    expect(await score(response, { schema })).toBe(expected);
  });

  it("handles two schemas with the same $id", async () => {
    const judge = new JsonSchema();
    const ask = async (type: string) =>
      (
        (await judge.score(
          { id: 1, question: "q", schema: { $id: "https://example.org/x", type } },
          { response: "4" },
        )) as ScoredWithEvidence
      ).scores.json_schema;
    expect([await ask("string"), await ask("number"), await ask("string")]).toEqual([0, 1, 0]);
  });

  it("stops a pattern that runs forever", async () => {
    const schema = { type: "string", pattern: "^(a+)+$" };
    expect(await score('"aaa"', { schema, limitMs: 5000 })).toBe(1);
    const { scores, unscored } = await scored({ schema, limitMs: 200 }, JSON.stringify(`${"a".repeat(60)}b`));
    expect(scores).toEqual({});
    expect(unscored?.json_schema).toMatch(/"json_schema" was stopped/);
  });

  it("does not score a value that is nested too deeply for a recursive schema", async () => {
    const schema = { type: "array", items: { $ref: "#" } };
    const { scores, unscored } = await scored({ schema, limitMs: 10_000 }, "[".repeat(200_000) + "]".repeat(200_000));
    expect(scores).toEqual({});
    expect(unscored?.json_schema).toMatch(/stack|JSON|stopped/i);
  });

  it("reads the last list in prose, and not a citation mark after it", async () => {
    const schema = { type: "array", items: { type: "string" } };
    expect(await score('First [1, 2], then ["a"], see [3].', { schema })).toBe(1);
    expect(await score("It is [3].", { schema: { type: "array", items: { type: "integer" } } })).toBe(1);
  });

  it("does not count inherited properties", async () => {
    expect(await score("{}", { schema: { required: ["constructor"] } })).toBe(0);
    expect(await score('{"constructor": 1}', { schema: { required: ["constructor"] } })).toBe(1);
    expect(await score("{}", { schema: { properties: { toString: { type: "string" } } } })).toBe(1);
    expect(await score("{}", { schema: { required: ["__proto__"] } })).toBe(0);
    expect(await score("{}", { schema: { minContains: 1, required: ["valueOf"] } })).toBe(0);
  });

  it.each(["[", "{", '{"', "a", "```json\n", "```\n", "[1]", "[1 x]", '{"a":1}', '{"a":', " ", "[ "])(
    "stays quick on a megabyte of %j",
    async (unit) => {
      const cpuMs = startCpuTimer();
      await score(unit.repeat(Math.ceil(1e6 / unit.length)), { schema: PERSON, limitMs: 5000 });
      // Generous for a busy machine; a quadratic algorithm takes minutes.
      expect(cpuMs()).toBeLessThan(10_000);
    },
  );

  it.each([
    [{ schema: "no json" }, /schema must be an object/],
    [{ schema: [] }, /schema must be an object/],
    [{ limitMs: -1 }, /limitMs/],
  ])("rejects %j", (options, message) => {
    expect(() => new JsonSchema(options as JsonSchemaOptions)).toThrow(message);
  });

  it("has its schema and strictness in the fingerprint", () => {
    expect(new JsonSchema({ schema: { type: "object" }, lenient: false }).fingerprint()).toEqual({
      evaluator: "json_schema",
      version: 1,
      schema: '{"type":"object"}',
      lenient: false,
    });
  });
});

describe("SchemaValidator", () => {
  it("works with more schemas than it caches", () => {
    const book = new SchemaValidator();
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 70; i++) expect(book.validate(JSON.stringify({ const: i }), i)).toEqual({ type: "valid" });
    }
  });
});

describe("findJsonValues", () => {
  it.each<[string, unknown[]]>([
    ["", []],
    ["no json", []],
    ['{"a": "}"} {"b": "\\"]"}', [{ a: "}" }, { b: '"]' }]],
    ["[x] [1] {", [[1]]],
    ["{{}}", [{}]],
    ["[[[{ [x] {y: 1} [1]", [[1]]],
  ])("in %j", (text, expected) => {
    expect([...findJsonValues(text)]).toEqual(expected);
  });
});
