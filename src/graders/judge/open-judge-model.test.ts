import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { UsageError } from "../../core/errors.js";
import { startMock } from "../../testing/mock/index.js";
import { makeGraded } from "../graded-testing.js";
import { openJudgeModel } from "./open-judge-model.js";
import { createJudgeGraderFactories } from "./register-judge-graders.js";

const MODELS = `models:
  local-judge:
    api_name: judge-1
    provider: openai-compatible
    base_url: http://127.0.0.1:8099
    pricing: { input_per_1k: 0.001, output_per_1k: 0.002 }
  with-key:
    api_name: judge-2
    provider: anthropic
    api_key_env: MY_JUDGE_KEY
  homeless:
    api_name: judge-3
    provider: openai-compatible
  by-agent:
    api_name: judge-4
    provider: anthropic
    agent_cli: claude
`;

let folder: string;
let modelsFile: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-judge-model-"));
  modelsFile = join(folder, "models.yml");
  writeFileSync(modelsFile, MODELS);
});
afterAll(() => rmSync(folder, { recursive: true }));

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe("openJudgeModel", () => {
  it("finds a model in the models file, with its price", async () => {
    const found = await openJudgeModel({ name: "local-judge", modelsFile });
    expect(found).toMatchObject({ name: "local-judge", model: "judge-1", baseUrl: "http://127.0.0.1:8099/v1" });
    expect(found.dialect).toBe("chat");
    expect(found.limits?.price?.input).toBeGreaterThan(0);
    expect(found).not.toHaveProperty("apiKeyEnv");
  });

  it("uses the key variable of the options, the file or the provider", async () => {
    expect(await openJudgeModel({ name: "with-key", modelsFile })).toMatchObject({
      apiKeyEnv: "MY_JUDGE_KEY",
      dialect: "anthropic",
    });
    expect(await openJudgeModel({ name: "openai/gpt-4o", modelsFile })).toMatchObject({
      model: "gpt-4o",
      baseUrl: "https://api.openai.com/v1",
      apiKeyEnv: "OPENAI_API_KEY",
    });
    const said = { name: "openai/gpt-4o", modelsFile, apiKeyEnv: "OTHER", allowInsecure: true };
    expect(await openJudgeModel(said)).toMatchObject({ apiKeyEnv: "OTHER", allowInsecure: true });
  });

  it("uses a given URL with the provider's API format, and sends no key that was not named", async () => {
    const elsewhere = await openJudgeModel({ name: "anthropic/claude-x", url: "http://10.0.0.1:80/v1", modelsFile });
    expect(elsewhere).toMatchObject({ model: "claude-x", baseUrl: "http://10.0.0.1:80/v1", dialect: "anthropic" });
    expect(elsewhere).not.toHaveProperty("apiKeyEnv");
    const anything = await openJudgeModel({ name: "my/own-judge", url: "http://127.0.0.1:8080", modelsFile });
    expect(anything).toMatchObject({
      name: "my/own-judge",
      model: "my/own-judge",
      baseUrl: "http://127.0.0.1:8080/v1",
    });
    const known = await openJudgeModel({ name: "local-judge", url: "http://127.0.0.1:1", modelsFile });
    expect(known).toMatchObject({ model: "judge-1", baseUrl: "http://127.0.0.1:1/v1" });
  });

  it.each([
    ["gpt-4o", /^Unknown judge model "gpt-4o"\. .*models\.yml has no model "gpt-4o"\. Did you mean "openai\/gpt-4o"\?/],
    ["openai/", '"openai/" names a provider, but no model'],
    ["local-judgee", 'Did you mean "local-judge"?'],
    ["nobody/model", "Write PROVIDER/MODEL"],
    ["homeless", "has no base_url"],
    ["by-agent", "run by the agent claude"],
  ])("rejects %s", async (name, words) => {
    await expect(openJudgeModel({ name, modelsFile })).rejects.toThrow(UsageError);
    await expect(openJudgeModel({ name, modelsFile })).rejects.toThrow(words);
  });

  it("gives graders a working model", async () => {
    const mock = await startMock({ reply: '{"reasoning": "Fine.", "cannot_judge": false, "verdict": "pass"}' });
    closing.push(() => mock.close());
    const { prompt } = createJudgeGraderFactories((name) => openJudgeModel({ name, url: mock.url, modelsFile }));
    const grader = prompt({ prompt: "It is fine.", model: "local-judge" });
    closing.push(async () => grader.close?.());
    expect(await grader.grade(makeGraded())).toMatchObject({ passed: true, evidence: "pass: Fine." });
  });
});
