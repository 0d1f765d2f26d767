import { expect, it } from "vitest";
import { UsageError } from "../core/errors.js";
import { openAgentSystems } from "./agent-systems.js";
import type { RunConfig } from "./run-config.js";

const PLAN = { dryRun: true, agentUrl: "http://127.0.0.1:9" };

async function namesOf(agents: NonNullable<RunConfig["agents"]>): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of openAgentSystems({ ...PLAN, agents })) names.push(name);
  return names;
}

it("keeps the order of the agents and their names", async () => {
  const agents = ["claude", { command: "node tiny.mjs {prompt}" }, { agent: "claude", name: "other" }];
  expect(await namesOf(agents)).toEqual(["claude", "tiny", "other"]);
});

it("rejects two agents with the same name, and says how to rename them", async () => {
  const twice = namesOf([{ command: "node a/tiny.mjs {prompt}" }, "claude", { command: "node b/tiny.mjs {prompt}" }]);
  await expect(twice).rejects.toThrow(UsageError);
  await expect(twice).rejects.toThrow(
    /Two agents are named "tiny".*one --agent-name for each, in the same order, or `name`/,
  );
});
