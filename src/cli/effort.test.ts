import { describe, expect, it } from "vitest";
import { UsageError } from "../core/errors.js";
import type { System } from "../core/index.js";
import { startMock } from "../testing/mock/index.js";
import { TempProject } from "../testing/temp-project.js";
import { openAgentSystems } from "./agent-systems.js";
import { parseEffortsFlag } from "./flag-values.js";
import { openMeasuredModels, openModelSystems } from "./model-systems.js";
import type { RunConfig } from "./run-config.js";

/** Planning reads no key and starts no program. */
async function listSystems(config: RunConfig): Promise<System[]> {
  const run = { ...config, dryRun: true };
  const systems: System[] = [];
  if (config.models !== undefined) for await (const system of openMeasuredModels(run)) systems.push(system);
  if (config.agents !== undefined) for await (const system of openAgentSystems(run)) systems.push(system);
  for (const system of systems) await system.close?.();
  return systems;
}

const describeAll = (systems: readonly System[]) => systems.map(({ name, effort }) => [name, effort]);

describe("the efforts of models", () => {
  it("make one system each, with the effort in its name", async () => {
    const systems = await listSystems({ models: ["openai/gpt-6-luna"], effort: ["low", "high"] });
    expect(describeAll(systems)).toEqual([
      ["openai/gpt-6-luna@low", "low"],
      ["openai/gpt-6-luna@high", "high"],
    ]);
    expect(new Set(systems.map((system) => JSON.stringify(system.fingerprint?.()))).size).toBe(2);
  });

  it("come before the prompt in the name", async () => {
    const prompts = [{ name: "short", template: "{{question}}" }];
    const systems = await listSystems({ models: ["openai/gpt-6-luna"], effort: "low", prompts });
    expect(describeAll(systems)).toEqual([["openai/gpt-6-luna@low+short", "low"]]);
  });

  it("keep the user's name if there is one", async () => {
    const model = { model: "openai/gpt-6-luna", name: "mine" };
    expect(describeAll(await listSystems({ models: [{ ...model, effort: "low" }] }))).toEqual([["mine", "low"]]);
    expect(describeAll(await listSystems({ models: [{ ...model, effort: ["low", "max"] }] }))).toEqual([
      ["mine@low", "low"],
      ["mine@max", "max"],
    ]);
  });

  it("of one model take precedence over those of the run, and of the run over models.yml", async () => {
    const { dir } = new TempProject({
      "models.yml": "models:\n  fast: { provider: openai, api_name: gpt-6-luna, effort: none }\n",
    });
    const modelsFile = `${dir}/models.yml`;
    expect(describeAll(await listSystems({ models: ["fast"], modelsFile }))).toEqual([["fast", "none"]]);
    expect(describeAll(await listSystems({ models: ["fast"], modelsFile, effort: "low" }))).toEqual([
      ["fast@low", "low"],
    ]);
    const models = [{ model: "fast", effort: "high" as const }];
    expect(describeAll(await listSystems({ models, modelsFile, effort: "low" }))).toEqual([["fast@high", "high"]]);
  });

  it("work for a proxy", async () => {
    const systems = await listSystems({ models: [{ proxy: "http://127.0.0.1:9/v1", model: "m" }], effort: "low" });
    expect(describeAll(systems)).toEqual([["127.0.0.1:9/m@low", "low"]]);
  });

  it.each([
    [{ models: ["openai/gpt-6-luna"], effort: ["low", "minimal"] }, /gpt-6-luna does not support the effort minimal/],
    [{ models: ["openai/gpt-6-luna"], effort: [] }, /`effort` is empty/],
    [{ models: ["openai/gpt-6-luna"], effort: ["low", "low"] }, /The effort low is given twice/],
    [{ agents: ["codex:gpt-6-luna"], effort: 4096 }, /The agent codex does not support the effort 4096\. Use one of/],
    [{ agents: ["codex:gpt-6-luna"], effort: "minimal" }, /The model gpt-6-luna does not support the effort minimal/],
    [{ agents: ["gemini"], effort: "low" }, /gemini takes an effort only together with a model/],
    [
      { agents: ["gemini:gemini-3.8-flash"], agentHome: "inherit", effort: "low" },
      /reads its effort from its settings/,
    ],
    [
      { agents: [{ command: "my-agent {prompt}", model: "openai/gpt-6-luna" }], effort: "low" },
      /The agent "my-agent \{prompt\}" cannot be told an effort/,
    ],
  ] as [RunConfig, RegExp][])("are refused in %j", async (config, message) => {
    await expect(listSystems(config)).rejects.toThrow(UsageError);
    await expect(listSystems(config)).rejects.toThrow(message);
  });

  it("are one for judges and readers", async () => {
    const config: RunConfig = { models: ["openai/gpt-6-luna"], effort: ["low", "high"] };
    await expect(openModelSystems({ ...config, dryRun: true })).rejects.toThrow(/not for judges and readers/);
    const [judge] = await openModelSystems({ ...config, effort: "low", dryRun: true });
    expect(judge?.effort).toBe("low");
  });
});

it("makes one system of an agent for each effort", async () => {
  const systems = await listSystems({ agents: ["codex:gpt-6-luna"], effort: ["low", "high"] });
  expect(describeAll(systems)).toEqual([
    ["codex:gpt-6-luna@low", "low"],
    ["codex:gpt-6-luna@high", "high"],
  ]);
  expect(systems[0]?.fingerprint?.()).toMatchObject({ effort: "low" });
});

describe("--effort", () => {
  it("is a list of names and numbers", () => {
    expect(parseEffortsFlag("low, high,4096")).toEqual(["low", "high", 4096]);
  });

  it.each([
    ["lots", "It must be none, minimal, low"],
    ["0", 'Write "none" for no thinking.'],
    ["low,low", "It names low twice."],
  ])("rejects %s", (value, message) => expect(() => parseEffortsFlag(value)).toThrow(message));
});

it("reaches the model in a run", async () => {
  const mock = await startMock({ keepBodies: true, reply: "yes" });
  try {
    const models = [{ proxy: `${mock.url}/v1`, model: "m", name: "it" }];
    for await (const system of openMeasuredModels({ models, effort: ["low", "max"] })) {
      const trial = { signal: AbortSignal.timeout(60_000), budget: null, trial: 0, seed: 0, log: () => {} };
      await system.process({ id: 1, question: "?" }, trial);
      await system.close?.();
    }
    const sent = mock.requests.map(({ body }) => (body as { reasoning_effort?: unknown }).reasoning_effort);
    expect(sent).toEqual(["low", "max"]);
  } finally {
    await mock.close();
  }
});
