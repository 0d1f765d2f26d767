import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { Registry } from "../../core/registry.js";
import { createBuiltInFactories } from "../../graders/make-grader.js";
import { buildEvalJsonSchema, GRADER_CONFIGS } from "./json-schema.js";

import { SPEC_WITH_CONFIG, SPEC_WITH_TRIALS, WHOLE_SPEC } from "./spec-samples.js";

const FILE = new URL("../../../schemas/eval.schema.json", import.meta.url);
const validate = new Ajv({ strict: false, allErrors: true }).compile(buildEvalJsonSchema());

describe("the JSON Schema of eval files", () => {
  it("is up to date: run npm run schema", () => {
    expect(JSON.parse(readFileSync(FILE, "utf8"))).toEqual(buildEvalJsonSchema());
  });

  it.each([WHOLE_SPEC, SPEC_WITH_CONFIG, SPEC_WITH_TRIALS])(
    "accepts what the reader accepts, in all spellings",
    (text) => {
      validate(parse(text, { merge: true }));
      expect(validate.errors).toBeNull();
    },
  );

  it.each([
    { nmae: "a" },
    { type: "regres" },
    { defaults: { timeout: 120 } },
    { stimuli: [{ prompt: "p" }] },
    { stimuli: [{ name: "a", prompt: "p", constraints: { max_turn: 3 } }] },
    { stimuli: [{ name: "a", prompt: "p", graders: [{ config: {} }] }] },
    { stimuli: [{ name: "a", graders: [{ type: "token-budget", config: { max: "many" } }] }] },
    { graders: [{ type: "not", config: { grader: { type: "file-exists", config: { path: 3 } } } }] },
    { gate: { metric: "a", op: "=>", value: 1 } },
  ])("rejects %j", (spec) => {
    expect(validate(spec)).toBe(false);
  });

  it("lists the settings of every built-in grader", () => {
    const own = Object.keys(createBuiltInFactories(new Registry()));
    expect(own.filter((type) => !Object.hasOwn(GRADER_CONFIGS, type))).toEqual([]);
    const judged = ["prompt", "panel"];
    expect(Object.keys(GRADER_CONFIGS).filter((type) => ![...own, ...judged].includes(type))).toEqual([]);
  });
});
