import { chmodSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeDataset } from "../core/dataset.js";
import type { Evaluator } from "../core/evaluator.js";
import { computeFingerprint } from "../core/fingerprint.js";
import { registry } from "../core/registry.js";
import { TempProject } from "../testing/temp-project.js";
import { dropUnknownVersion } from "./agent-version.js";
import { withSystems } from "./resolve.js";
import { resolveEvaluators } from "./resolve-evaluators.js";
import type { RunFlags } from "./run-flags.js";
import { isPlanOnly } from "./run-flags.js";

const QUEUE = "redis://127.0.0.1:1";
const KEYS = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"];

/** Fingerprint and endpoint of each system, by name. */
function systemsOf(config: RunFlags): Promise<Record<string, { fingerprint: string; endpoint?: string | undefined }>> {
  return withSystems(registry, config, async (systems) =>
    Object.fromEntries(
      systems.map((system) => [
        system.name,
        { fingerprint: computeFingerprint(system, "process"), endpoint: system.endpoint },
      ]),
    ),
  );
}

async function evaluatorsOf(config: RunFlags): Promise<Evaluator[]> {
  const { evaluators, made, datasets } = await resolveEvaluators(registry, config, [
    makeDataset({ name: "d", examples: [], evaluators: [] }),
  ]);
  return [
    ...(evaluators ?? []),
    ...made,
    ...datasets.flatMap((each) => ("evaluators" in each ? (each.evaluators ?? []) : [])),
  ];
}

beforeEach(() => {
  for (const key of KEYS) vi.stubEnv(key, "");
});

afterEach(() => void vi.unstubAllEnvs());

describe("coordinator", () => {
  it("only plans, like a dry run", () => {
    expect(isPlanOnly({ queue: QUEUE })).toBe(true);
    expect(isPlanOnly({ dryRun: true })).toBe(true);
    expect(isPlanOnly({})).toBe(false);
  });

  it("needs no key for models, and its systems match those of a worker that has one", async () => {
    const config: RunFlags = {
      models: ["openai/gpt-5", { model: "anthropic/claude-sonnet-4-5", name: "claude", temperature: 0 }],
      headers: { "X-Team": "evals" },
      maxTokens: 100,
    };
    await expect(systemsOf(config)).rejects.toThrow(/OPENAI_API_KEY is not set/);
    const planned = await systemsOf({ ...config, queue: QUEUE });
    for (const key of KEYS) vi.stubEnv(key, "sk-a-real-looking-key");
    const headers = { ...config.headers, Authorization: "Bearer another-secret" };
    const real = await systemsOf({ ...config, headers });
    expect(Object.keys(planned)).toEqual(["openai/gpt-5", "claude"]);
    for (const [name, { fingerprint }] of Object.entries(planned)) expect(real[name]?.fingerprint).toBe(fingerprint);
    expect(real.claude?.endpoint).not.toBe(planned.claude?.endpoint);
  });

  it("needs no key for a judge", async () => {
    const config: RunFlags = { judge: { models: ["openai/gpt-5"] } };
    await expect(evaluatorsOf(config)).rejects.toThrow(/OPENAI_API_KEY is not set/);
    const planned = await evaluatorsOf({ ...config, queue: QUEUE });
    vi.stubEnv("OPENAI_API_KEY", "sk-a-real-looking-key");
    const real = await evaluatorsOf(config);
    expect(planned.length).toBeGreaterThan(0);
    expect(planned.map((each) => computeFingerprint(each, "score"))).toEqual(
      real.map((each) => computeFingerprint(each, "score")),
    );
  });
});

describe("agent", () => {
  const config: RunFlags = { agents: [{ agent: "claude", model: "claude-sonnet-4-5" }], agentHome: "no-such-folder" };

  /** A program `claude` that prints its version, in its own PATH. */
  async function withClaude<T>(version: string | null, use: () => Promise<T>): Promise<T> {
    const space = new TempProject({ "bin/.keep": "", "home/.keep": "" });
    if (version !== null) {
      space.write("bin/claude", `#!/bin/sh\necho "${version} (Claude Code)"\n`);
      chmodSync(space.path("bin/claude"), 0o755);
    }
    vi.stubEnv("PATH", version === null ? space.path("bin") : `${space.path("bin")}:/usr/bin:/bin`);
    return use();
  }

  const worker = () => systemsOf({ ...config, agentHome: "inherit" });

  it("need not be installed on the coordinator: then a worker may have any version", async () => {
    const planned = await withClaude(null, () => systemsOf({ ...config, queue: QUEUE }));
    const announced = planned.claude;
    const own = await withClaude("2.1.7", () =>
      withSystems(registry, { ...config, agentHome: "inherit" }, async ([system]) => {
        if (system === undefined) throw new Error("no system");
        expect(computeFingerprint(system, "process")).not.toBe(announced?.fingerprint);
        dropUnknownVersion(system, announced);
        return computeFingerprint(system, "process");
      }),
    );
    expect(own).toBe(announced?.fingerprint);
    await expect(withClaude(null, worker)).rejects.toThrow(/Program "claude" not found in PATH/);
  });

  it("must have the coordinator's version if that has one", async () => {
    const planned = await withClaude("2.1.7", () => systemsOf({ ...config, queue: QUEUE }));
    const same = await withClaude("2.1.7", worker);
    expect(same.claude?.fingerprint).toBe(planned.claude?.fingerprint);
    await withClaude("2.2.0", () =>
      withSystems(registry, { ...config, agentHome: "inherit" }, async ([system]) => {
        if (system === undefined) throw new Error("no system");
        const before = computeFingerprint(system, "process");
        dropUnknownVersion(system, planned.claude);
        expect(computeFingerprint(system, "process")).toBe(before);
        expect(before).not.toBe(planned.claude?.fingerprint);
      }),
    );
  });
});
