import { afterEach, describe, expect, it } from "vitest";
import { evaluate } from "../evaluate.js";
import { AnswerQuality } from "../evaluators/index.js";
import { DIALECT_NAMES } from "../models/dialects/index.js";
import { type Mock, type MockOptions, startMock } from "../testing/mock/index.js";
import { type ModelOptions, ModelSystem } from "./model.js";

import { makeTrialContext } from "./model-testing.js";

let mock: Mock | null = null;
afterEach(() => mock?.close());

async function systemOn(script: MockOptions, options: Partial<ModelOptions> = {}): Promise<ModelSystem> {
  mock = await startMock({ keepBodies: true, reply: "Paris", ...script });
  return new ModelSystem({ name: "it", model: "m", baseUrl: mock.url, ...options });
}

const ask = { id: 1, question: "Where?", answer: "Paris" };

describe.each(DIALECT_NAMES)("a model that rejects parameters, in %s", (dialect) => {
  it("is asked without each of them from then on", async () => {
    const top = dialect === "gemini" ? { generationConfig: { top_p: 0.9 } } : { top_p: 0.9 };
    const system = await systemOn(
      { refuses: ["temperature", "top_p"] },
      { dialect, temperature: 0, maxTokens: 50, extraBody: top },
    );
    const notes: string[] = [];
    for (let trial = 0; trial < 3; trial++) {
      const log = (note: string) => void notes.push(note);
      expect(await system.process(ask, makeTrialContext({ log }))).toMatchObject({ response: "Paris" });
    }
    expect(mock?.counts.byStatus).toEqual({ "200": 3, "400": 2 });
    expect(JSON.stringify(mock?.requests.at(-1)?.body)).not.toMatch(/temperature|top_p/);
    expect(JSON.stringify(mock?.requests.at(-1)?.body)).toMatch(/max_?(?:output_?)?tokens/i);
    const said = "sent without temperature, which the model m rejects";
    expect(notes.filter((note) => note === said).length).toBeGreaterThanOrEqual(3);
  });

  it("has a note on the row and in the report", async () => {
    const system = await systemOn({ refuses: ["temperature"] }, { dialect, temperature: 0 });
    const dataset = [ask, { ...ask, id: 2 }];
    const result = await evaluate({ systems: [system], dataset, evaluators: [new AnswerQuality()], maxWorkers: 1 });
    const note = "sent without temperature, which the model m rejects";
    for (const row of result.rows) expect(row).toMatchObject({ outcome: "pass", notes: [note], attempts: [] });
    expect(result.notes).toContain(`it: ${note} (2 of 2 trials)`);
    expect(result.toTable()).toContain(note);
  });

  it("is asked without a prefilled answer", async () => {
    const buildMessages = () => [
      { role: "user" as const, parts: ["Where?"] },
      { role: "assistant" as const, parts: ["It is"] },
    ];
    const system = await systemOn({ refuses: ["prefill"] }, { dialect, buildMessages });
    expect(await system.process(ask, makeTrialContext())).toMatchObject({ response: "Paris" });
    expect(JSON.stringify(mock?.requests.at(-1)?.body)).not.toContain("It is");
  });
});

describe("the output limit", () => {
  it.each([
    ["old-name", "max_tokens", "max_completion_tokens"],
    ["gpt-5", "max_completion_tokens", "max_tokens"],
  ])("is sent to %s under its other name if %s is rejected", async (model, refused, instead) => {
    const notes: string[] = [];
    const system = await systemOn({ refuses: [refused] }, { model, maxTokens: 50 });
    await system.process(ask, makeTrialContext({ log: (note) => void notes.push(note) }));
    expect(mock?.requests.at(-1)?.body).toMatchObject({ [instead]: 50 });
    expect(mock?.requests.at(-1)?.body).not.toHaveProperty(refused);
    expect(notes).toEqual([`sent without ${refused}, which the model ${model} rejects; ${instead} was sent instead`]);
  });

  it("is an error if both names are rejected", async () => {
    const system = await systemOn({ refuses: ["max_tokens", "max_completion_tokens"] }, { maxTokens: 50 });
    await expect(system.process(ask, makeTrialContext())).rejects.toThrow(/answered 400/);
    expect(mock?.requests.length).toBe(2);
  });
});

it("keeps parameters whose value was wrong", async () => {
  const system = await systemOn({ refuses: ["no_such_parameter"] }, { dialect: "anthropic", model: "" });
  await expect(system.process(ask, makeTrialContext())).rejects.toThrow(/answered 400.*model/);
  expect(mock?.requests).toHaveLength(1);
});
