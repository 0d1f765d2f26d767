import type { McpServer } from "../../core/environment.js";
import type { McpOffer } from "../adapter.js";

/** The variable that connects opencode to servers: settings that are laid over those of its HOME and the folder. */
export function serverEnv(mcp: McpOffer | null): Record<string, string> {
  if (mcp === null) return {};
  const servers = Object.entries(mcp.servers).map(([name, server]) => [name, settingOf(server)] as const);
  return { OPENCODE_CONFIG_CONTENT: JSON.stringify({ mcp: Object.fromEntries(servers) }) };
}

function settingOf(server: McpServer): Readonly<Record<string, unknown>> {
  if ("url" in server) return { type: "remote", ...server, enabled: true };
  const { command, args = [], env } = server;
  return { type: "local", command: [command, ...args], environment: env, enabled: true };
}
