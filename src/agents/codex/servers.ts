import type { McpServer } from "../../core/environment.js";
import type { McpOffer } from "../adapter.js";

/** The settings that connect Codex to servers, for its command line. */
export function serverSettings(mcp: McpOffer | null): string[] {
  return Object.entries(mcp?.servers ?? {}).flatMap(([name, server]) => [
    "-c",
    `mcp_servers.${name}=${tomlOf(settingOf(server))}`,
  ]);
}

function settingOf(server: McpServer): Readonly<Record<string, unknown>> {
  return "url" in server ? { url: server.url, http_headers: server.headers } : server;
}

/** Texts, lists and tables on one line. A JSON text is a TOML text as well. */
function tomlOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlOf).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}=${tomlOf(each)}`).join(",")}}`;
}
