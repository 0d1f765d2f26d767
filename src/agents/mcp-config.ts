import type { McpServer } from "../core/environment.js";

/**
 * The servers as most programs read them, under `mcpServers`: those with an address say how they are spoken to, as the
 * plain form once meant another way.
 * @example
 * mcpSettings({ docs: { url: "https://example.org/mcp" } }); // { docs: { type: "http", url: "https://example.org/mcp" } }
 */
export function mcpSettings(servers: Readonly<Record<string, McpServer>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [name, "url" in server ? { type: "http", ...server } : server]),
  );
}
