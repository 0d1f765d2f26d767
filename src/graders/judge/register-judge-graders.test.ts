import { describe, expect, it, onTestFinished } from "vitest";
import type { Grader } from "../../core/grader.js";
import { Registry } from "../../core/registry.js";
import { startMock } from "../../testing/mock/index.js";
import { TempProject } from "../../testing/temp-project.js";
import { makeGraded } from "../graded-testing.js";
import { type JudgeModelPlace, registerJudgeGraders } from "./register-judge-graders.js";

const YES = '{"reasoning":"It is polite.","verdict":"pass","score":1}';

function graderOf(registry: Registry, type: string, config: Record<string, unknown>): Grader {
  const factory = registry.get("grader", type);
  if (typeof factory !== "function") throw new Error(`${type} is no factory`);
  return factory(config);
}

function registered(place: JudgeModelPlace): Registry {
  const registry = new Registry();
  registerJudgeGraders(place, registry);
  return registry;
}

describe("registerJudgeGraders", () => {
  it("registers prompt and panel, replacing earlier ones", () => {
    const registry = registered({});
    registerJudgeGraders({ url: "http://127.0.0.1:1" }, registry);
    expect(
      registry
        .list("grader")
        .filter((name) => ["panel", "prompt"].includes(name))
        .toSorted(),
    ).toEqual(["panel", "prompt"]);
  });

  it("asks the model at the given URL, with the price of its models file", async () => {
    const space = new TempProject({
      "models.yml":
        "models:\n  mine: { api_name: judge-1, provider: openai, pricing: { input_per_1k: 1, output_per_1k: 1 } }\n",
    });
    const mock = await startMock({ reply: YES });
    onTestFinished(() => mock.close());
    const registry = registered({ url: mock.url, modelsFile: space.path("models.yml") });
    const grader = graderOf(registry, "prompt", { prompt: "Is it polite?", model: "mine" });
    onTestFinished(() => grader.close?.());
    await grader.prepare?.();
    const verdict = await grader.grade(makeGraded({ output: { response: "Thank you." } }));
    expect(mock.counts.requests).toBe(1);
    expect(mock.requests[0]?.model).toBe("judge-1");
    expect(verdict).toMatchObject({ passed: true, score: 1 });
  });

  it("reports a missing model or key before anything is spent", async () => {
    const registry = registered({ apiKeyEnv: "NO_SUCH_KEY_OF_OURS" });
    const keyless = graderOf(registry, "prompt", { prompt: "Is it polite?", model: "openai/gpt-5-mini" });
    await expect(async () => keyless.prepare?.()).rejects.toThrow(/NO_SUCH_KEY_OF_OURS/);
    const unknown = graderOf(registry, "panel", { prompt: "Is it polite?", models: ["nobody-knows-it"] });
    await expect(async () => unknown.prepare?.()).rejects.toThrow(/nobody-knows-it/);
  });
});
