import type { AgentAdapter, Launch, LaunchRequest, McpOffer } from "./adapter.js";
import { GeminiReader } from "./gemini/reader.js";
import { mcpSettings } from "./mcp-config.js";

/** Enough for a hiccup; the ten it makes by itself keep a run that cannot succeed busy for minutes. */
const ATTEMPTS = 3;

/** Without these it does not start (the way to log in), or calls home. */
const SETTINGS = {
  security: { auth: { selectedType: "gemini-api-key" } },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: ATTEMPTS },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
};

/**
 * Gemini CLI.
 * @example
 * const { args, env, homeFiles } = gemini.launch(request);
 * spawn(gemini.program, args, { env });
 */
export const gemini: AgentAdapter = {
  name: "gemini",
  program: "gemini",
  checkedVersion: "0.61.0",
  dialects: ["gemini"],
  provider: "google",
  install: "npm install -g @google/gemini-cli",
  tellsUsageAtEnd: true,
  login: ".gemini/oauth_creds.json",
  skills: { inHome: ".gemini/skills", inProject: ".gemini/skills", needsName: true },
  takesServers: "in throw-away HOME",
  launch,
  reader: () => new GeminiReader(),
};

function launch({ prompt, model, gateway, key, usesOwnHome, mcp }: LaunchRequest): Launch {
  const named = model === null ? [] : ["-m", usesOwnHome ? model.cliName : model.name];
  return {
    args: [
      `--prompt=${promptText(prompt)}`,
      "--output-format=stream-json",
      "--approval-mode=yolo",
      "--skip-trust",
      ...named,
    ],
    env: { GOOGLE_GEMINI_BASE_URL: gateway.google, ...(usesOwnHome ? {} : { GEMINI_API_KEY: key }) },
    homeFiles: usesOwnHome ? {} : { ".gemini/settings.json": settingsText(mcp) },
  };
}

/** Its own settings are the one place for servers: it reads no other file that lies where all users may write. */
function settingsText(mcp: McpOffer | null): string {
  const servers = mcp === null ? {} : { mcpServers: mcpSettings(mcp.servers) };
  return `${JSON.stringify({ ...SETTINGS, ...servers }, null, 2)}\n`;
}

/** What begins with a slash would be taken for a command of the program. */
function promptText(prompt: string): string {
  return prompt.startsWith("/") ? ` ${prompt}` : prompt;
}
