import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Environment, OfferedSkill } from "../core/environment.js";
import { skillFiles, type Workspace, writeSkills } from "../exec/workspace/index.js";
import type { AgentAdapter, LaunchRequest } from "./adapter.js";
import { mcpSettings } from "./mcp-config.js";
import type { Offer, Taker } from "./offer.js";

/**
 * The environment as the agent finds it. Skills that have no place in its HOME are among the files of the folder, put there
 * before it begins, so that they are none of its changes; to make the folder again for grading they are not needed.
 */
export function withSkills(environment: Environment, { skills }: Offer, { adapter, usesOwnHome }: Taker): Environment {
  if (!usesOwnHome || skills.length === 0 || typeof adapter.skills !== "object") return environment;
  return { ...environment, files: [...(environment.files ?? []), ...skillFiles(skills, adapter.skills.inProject)] };
}

/** Writes what the agent is offered outside of its folder, and says where everything is. */
export async function placeOffer(
  workspace: Workspace,
  offer: Offer,
  taker: Taker,
): Promise<Pick<LaunchRequest, "skillsDir" | "mcp">> {
  return {
    skillsDir: await placeSkills(workspace, offer, taker),
    mcp: await placeServers(workspace, offer, taker.adapter),
  };
}

/** A command that has a place for skills is told a folder, also an empty one. */
async function placeSkills(workspace: Workspace, { skills }: Offer, { adapter, usesOwnHome }: Taker) {
  if (adapter.skills === "told") return writtenTo(join(workspace.root, "skills"), skills);
  if (skills.length === 0 || adapter.skills === undefined) return null;
  if (usesOwnHome) return join(workspace.path, adapter.skills.inProject);
  return writtenTo(join(workspace.home, adapter.skills.inHome), skills);
}

async function writtenTo(dir: string, skills: readonly OfferedSkill[]): Promise<string> {
  await writeSkills(dir, skills);
  return dir;
}

async function placeServers({ root }: Workspace, { servers }: Offer, { command, takesServers }: AgentAdapter) {
  const isTold = command !== undefined && takesServers !== undefined;
  if (Object.keys(servers).length === 0 && !isTold) return null;
  const file = join(root, "mcp.json");
  // Variables of a server may hold what is nobody else's.
  await writeFile(file, `${JSON.stringify({ mcpServers: mcpSettings(servers) }, null, 2)}\n`, { mode: 0o600 });
  return { servers, file };
}
