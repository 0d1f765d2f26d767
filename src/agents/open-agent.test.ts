import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { UsageError } from "../core/errors.js";
import { AgentMeter, type AgentUpstreams } from "./agent-meter.js";
import type { AgentModel } from "./index.js";
import { type AgentOptions, openAgent } from "./open-agent.js";

const KEYS = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"];

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-open-agent-"));
  for (const name of KEYS) vi.stubEnv(name, `key of ${name}`);
  for (const name of ["claude", "codex", "gemini", "opencode", "pi", "mine"])
    writeFileSync(join(dir, name), "#!/bin/sh\necho 999.2.3\n", { mode: 0o755 });
  vi.stubEnv("PATH", `${dir}:/usr/bin:/bin`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(dir, { recursive: true, force: true });
});

interface Print {
  agent: string;
  version: string | null;
  model: AgentModel | null;
  urls: Record<string, string>;
  hasOwnHome: boolean;
  passEnv: string[];
}

/** The options an agent would be run with. */
async function plan(options: AgentOptions) {
  const system = await openAgent({ isPlan: true, ...options });
  return { system, ...(system.fingerprint() as Print) };
}

function models(entries: object): string {
  const path = join(dir, "models.yml");
  writeFileSync(path, JSON.stringify({ models: entries }));
  return path;
}

/** The upstreams and keys of an agent. */
async function upstreamsOf(options: AgentOptions): Promise<AgentUpstreams> {
  const open = vi.spyOn(AgentMeter, "open").mockRejectedValue(new Error("far enough"));
  const system = await openAgent(options);
  const trial = { signal: new AbortController().signal, budget: null, trial: 0, seed: 0, log: () => {} };
  await expect(system.process({ id: 1, question: "x" }, trial)).rejects.toThrow("far enough");
  await system.close();
  const upstreams = open.mock.calls[0]?.[0];
  if (upstreams === undefined) throw new Error("no meter was opened");
  return upstreams;
}

describe("the model of an agent", () => {
  it.each([
    ["claude", { anthropic: "https://api.anthropic.com/v1" }],
    ["codex", { openai: "https://api.openai.com/v1" }],
    ["gemini", { google: "https://generativelanguage.googleapis.com/v1beta" }],
  ])("is the default of %s when none is named, priced when it is called", async (agent, urls) => {
    const { system, ...planned } = await plan({ agent });
    expect(planned).toMatchObject({ agent, urls, model: null });
    expect(system.limits).toMatchObject({ price: null, isMetered: true, hardTimeoutMs: 600_000 });
  });

  it.each([
    ["claude:claude-opus-4-1", "claude-opus-4-1", "claude-opus-4-1", "anthropic"],
    ["claude:anthropic/claude-opus-4-1", "claude-opus-4-1", "claude-opus-4-1", "anthropic"],
    ["codex:gpt-5", "gpt-5", "gpt-5", "responses"],
    ["opencode:openai/gpt-5", "gpt-5", "openai/gpt-5", "chat"],
    ["opencode:anthropic/claude-sonnet-4-5", "claude-sonnet-4-5", "anthropic/claude-sonnet-4-5", "anthropic"],
    ["pi:google/gemini-2.5-pro", "gemini-2.5-pro", "google/gemini-2.5-pro", "gemini"],
    ["pi:openrouter/minimax/minimax-m2:free", "minimax/minimax-m2:free", "openrouter/minimax/minimax-m2:free", "chat"],
  ])("is named after the agent: %s", async (agent, name, cliName, dialect) => {
    const { model, system } = await plan({ agent });
    expect(model).toEqual({ name, cliName, dialect });
    expect(system).toMatchObject({ name: agent, model: name });
  });

  it("may be named separately, but not twice", async () => {
    expect((await plan({ agent: "claude", model: "claude-opus-4-1" })).model?.name).toBe("claude-opus-4-1");
    await expect(plan({ agent: "claude:a", model: "b" })).rejects.toThrow(/already names its model/);
  });

  it.each(["opencode", "pi"])("must be named for %s, with its provider", async (agent) => {
    await expect(plan({ agent })).rejects.toThrow(`${agent} needs a model: --agent ${agent}:PROVIDER/MODEL`);
    const unknown = plan({ agent: `${agent}:some-model` });
    await expect(unknown).rejects.toThrow(UsageError);
    await expect(unknown).rejects.toThrow(/Unknown model "some-model" for .* --agent-url/);
    const url = "http://127.0.0.1:8080";
    expect(await plan({ agent: `${agent}:some-model`, url })).toMatchObject({
      model: { name: "some-model", dialect: "chat" },
      urls: { openai: "http://127.0.0.1:8080/v1" },
    });
  });

  it("uses a dialect that the agent supports", async () => {
    const agent = "pi:some-model";
    const url = "http://127.0.0.1:8080";
    const spoken = async (api: AgentOptions["api"]) => (await plan({ agent, url, ...(api && { api }) })).urls;
    expect(await spoken("responses")).toEqual({ openai: "http://127.0.0.1:8080/v1" });
    expect(await spoken("anthropic")).toEqual({ anthropic: "http://127.0.0.1:8080/v1" });
    expect(await spoken("gemini")).toEqual({ google: "http://127.0.0.1:8080/v1beta" });
    await expect(plan({ agent: "claude", api: "chat" })).rejects.toThrow(
      "claude does not support anthropic in the chat dialect, only anthropic.",
    );
  });

  it("has a price, which determines the limits of a trial", async () => {
    const { limits } = (await plan({ agent: "claude:claude-opus-5" })).system;
    expect(limits).toMatchObject({ isMetered: true, hardTimeoutMs: 600_000 });
    expect(limits.price?.input).toBeGreaterThan(0);
    expect(limits.maxCostUsd).toBeGreaterThan(0);
    expect(limits.maxCostUsd).toBeLessThanOrEqual(0.5);
  });
});

describe("a model of the models file", () => {
  const pricing = { input_per_1k: 0.001, output_per_1k: 0.002 };

  it("has its names, URL, price and limits", async () => {
    const modelsFile = models({
      minimax: {
        api_name: "minimax/minimax-m2.7",
        provider: "openrouter",
        agent_cli: "opencode",
        agent_model_name: "openrouter/minimax/minimax-m2.7",
        pricing,
        budgets: { max_cost_usd: 0.3, hard_timeout_secs: 90, max_tokens: 1000 },
      },
    });
    const { model, urls, system } = await plan({ agent: "opencode:minimax", modelsFile });
    expect(model).toEqual({
      name: "minimax/minimax-m2.7",
      cliName: "openrouter/minimax/minimax-m2.7",
      dialect: "chat",
    });
    expect(urls).toEqual({ openai: "https://openrouter.ai/api/v1" });
    expect(system.limits).toMatchObject({ maxCostUsd: 0.3, hardTimeoutMs: 90_000, maxTokens: 1000, isMetered: true });
    expect(system.limits.price?.input).toBe(1_000_000);
  });

  it("may have another URL, and needs no provider if the agent has one", async () => {
    const modelsFile = models({ local: { base_url: "http://127.0.0.1:9", pricing } });
    expect(await plan({ agent: "claude:local", modelsFile })).toMatchObject({
      model: { name: "local", cliName: "local", dialect: "anthropic" },
      urls: { anthropic: "http://127.0.0.1:9/v1" },
    });
  });

  it("cannot be used without a known URL", async () => {
    const modelsFile = models({ lost: { provider: "openai-compatible", pricing } });
    await expect(plan({ agent: "opencode:lost", modelsFile })).rejects.toThrow(
      /The URL of the model lost is unknown.* base_url/,
    );
  });
});

describe("the key of an agent", () => {
  it("is its provider's, for its provider only", async () => {
    expect(await upstreamsOf({ agent: "claude" })).toMatchObject({
      urls: { anthropic: "https://api.anthropic.com/v1" },
      keys: { anthropic: "key of ANTHROPIC_API_KEY" },
    });
  });

  it("is sent to this machine, and to other hosts only when its variable is named", async () => {
    const keysAt = async (options: Partial<AgentOptions>) => {
      const { keys } = await upstreamsOf({ agent: "claude", ...options });
      vi.restoreAllMocks();
      return keys;
    };
    const own = { anthropic: "key of ANTHROPIC_API_KEY" };
    expect(await keysAt({ url: "http://127.0.0.1:9" })).toEqual(own);
    expect(await keysAt({ url: "http://localhost:9" })).toEqual(own);
    expect(await keysAt({ url: "https://proxy.example.com" })).toEqual({});
    expect(await keysAt({ url: "https://api.anthropic.com.example.com" })).toEqual({});
    expect(await keysAt({ url: "https://proxy.example.com", apiKeyEnv: "ANTHROPIC_API_KEY" })).toEqual(own);
    expect(await keysAt({ apiKeyEnv: "OPENAI_API_KEY" })).toEqual({ anthropic: "key of OPENAI_API_KEY" });
  });

  it("is not used with a HOME that has a login", async () => {
    expect((await upstreamsOf({ agent: "claude", home: dir })).keys).toEqual({});
  });

  it("is requested by name when it is missing, unless none is needed", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "");
    const missing = openAgent({ agent: "claude" });
    await expect(missing).rejects.toThrow(UsageError);
    await expect(missing).rejects.toThrow(/claude needs a key: ANTHROPIC_API_KEY is not set.*--agent-home inherit/);
    await expect(openAgent({ agent: "claude", apiKeyEnv: "MINE" })).rejects.toThrow(/MINE is not set/);
    for (const options of [{ home: "inherit" }, { url: "http://127.0.0.1:9" }, { isPlan: true }])
      await expect(openAgent({ agent: "claude", ...options })).resolves.toBeDefined();
  });

  it("of each provider is passed to a command that chooses its model, but to no other host", async () => {
    const here = await upstreamsOf({ command: "mine {prompt}" });
    expect(here).toMatchObject({
      urls: {},
      keys: { anthropic: "key of ANTHROPIC_API_KEY", openai: "key of OPENAI_API_KEY", google: "key of GEMINI_API_KEY" },
    });
    vi.restoreAllMocks();
    const url = "https://proxy.example.com";
    expect(await upstreamsOf({ command: "mine {prompt}", url })).toMatchObject({
      urls: { openai: `${url}/v1`, anthropic: `${url}/v1`, google: `${url}/v1beta` },
      keys: {},
    });
  });
});

describe("the agent option", () => {
  it("accepts either an agent or a command", async () => {
    const wanted = /either the name of a supported agent \(agent\) or your own command/;
    await expect(openAgent({})).rejects.toThrow(wanted);
    await expect(openAgent({ agent: "pi", command: "mine {prompt}" })).rejects.toThrow(wanted);
  });

  it("suggests a known agent for an unknown one", async () => {
    await expect(openAgent({ agent: "cluade:opus" })).rejects.toThrow('Did you mean "claude"?');
  });

  it("requires an installed agent, except for a plan, which starts nothing", async () => {
    const ran = join(dir, "ran");
    writeFileSync(join(dir, "claude"), `#!/bin/sh\necho >> ${ran}; echo 999.2.3\n`, { mode: 0o755 });
    expect((await plan({ agent: "claude" })).version).toBeNull();
    expect(existsSync(ran)).toBe(false);
    await expect(openAgent({ agent: "claude" }).then((system) => system.fingerprint())).resolves.toMatchObject({
      version: "999.2.3",
    });
    expect(existsSync(ran)).toBe(true);
    rmSync(join(dir, "claude"));
    await expect(openAgent({ agent: "claude" })).rejects.toThrow(/Program "claude" not found in PATH/);
    await expect(plan({ agent: "claude" })).resolves.toBeDefined();
  });

  it("names the system after the agent, or as given", async () => {
    expect((await plan({ agent: "claude:claude-opus-4-1" })).system.name).toBe("claude:claude-opus-4-1");
    expect((await plan({ agent: "claude", name: "mine" })).system.name).toBe("mine");
    expect((await plan({ command: "node x/tiny.mjs {prompt}" })).system.name).toBe("tiny");
  });

  it.each([
    [{ agent: "claude:" }, 'The agent "claude:" has no model after its colon. Write claude:MODEL, or claude.'],
    [{ agent: "claude", model: "" }, "model name is empty"],
    [{ command: "mine {prompt}", model: "" }, "model name is empty"],
    [{ command: "mine {model} {prompt}" }, "The agent's command has a {model} placeholder, but no model is given."],
  ])("rejects a missing model early: %o", async (options, says) => {
    await expect(plan(options)).rejects.toThrow(UsageError);
    await expect(plan(options)).rejects.toThrow(says);
  });

  it("explains how to name the model of a command", async () => {
    const unknown = plan({ command: "mine {model} {prompt}", model: "some-model" });
    await expect(unknown).rejects.toThrow('Unknown model "some-model" for the command.');
    await expect(unknown).rejects.toThrow("Write --agent-model PROVIDER/MODEL");
  });

  it("creates the folder for kept workspaces, but not for a plan", async () => {
    const keepWorkspaces = join(dir, "kept", "here");
    await plan({ agent: "claude", keepWorkspaces });
    expect(existsSync(keepWorkspaces)).toBe(false);
    await openAgent({ agent: "claude", keepWorkspaces });
    expect(existsSync(keepWorkspaces)).toBe(true);
  });

  it("rejects a folder in which workspaces cannot be kept", async () => {
    const keepWorkspaces = join(dir, "claude", "kept");
    const refused = openAgent({ agent: "claude", keepWorkspaces });
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(
      /^Workspaces cannot be kept in \S+kept: .*Choose a writable folder with --keep-workspaces\.$/,
    );
  });

  it("passes on the run options", async () => {
    const { system, hasOwnHome, passEnv } = await plan({ agent: "claude", maxParallel: 3, passEnv: ["A"] });
    expect({ hasOwnHome, passEnv }).toEqual({ hasOwnHome: false, passEnv: ["A"] });
    expect(system).toMatchObject({ endpoint: "agents", maxParallel: 3, worksInPhases: true });
    expect((await plan({ agent: "claude", home: "inherit" })).hasOwnHome).toBe(true);
    const unset = (await plan({ agent: "claude" })).system.maxParallel;
    expect(unset).toBeGreaterThanOrEqual(1);
    expect(unset).toBeLessThanOrEqual(4);
  });

  it.each(["not a url", "ftp://x", "http://user:pass@127.0.0.1"])("rejects %s", async (url) => {
    await expect(plan({ agent: "claude", url })).rejects.toThrow(UsageError);
  });
});
