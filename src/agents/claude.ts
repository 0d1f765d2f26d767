import type { AgentAdapter, AgentModel, Launch, LaunchRequest } from "./adapter.js";
import { ClaudeReader } from "./claude/reader.js";

/** Enough for a hiccup; the ten it makes by itself keep a run whose key is wrong busy for minutes. */
const RETRIES = "3";

const FLAGS = [
  "-p",
  "--output-format",
  "stream-json",
  "--verbose",
  "--include-partial-messages",
  "--dangerously-skip-permissions",
  "--no-session-persistence",
];

/**
 * Claude Code.
 * @example
 * const { args, env } = claude.launch(request);
 * spawn(claude.program, args, { env });
 */
export const claude: AgentAdapter = {
  name: "claude",
  program: "claude",
  checkedVersion: "2.1.325",
  dialects: ["anthropic"],
  provider: "anthropic",
  install: "npm install -g @anthropic-ai/claude-code",
  login: ".claude/.credentials.json",
  skills: { inHome: ".claude/skills", inProject: ".claude/skills" },
  takesServers: "always",
  asRoot: "it refuses to run unasked as root unless IS_SANDBOX=1 says that this is a container: it is set",
  launch,
  reader: () => new ClaudeReader(),
};

function launch(request: LaunchRequest): Launch {
  const { model, usesOwnHome, mcp } = request;
  const named = model === null ? [] : ["--model", usesOwnHome ? model.cliName : model.name];
  return {
    args: [
      ...FLAGS,
      ...named,
      // Those of the example and no others: neither the user's nor the folder's.
      ...(mcp === null ? [] : ["--mcp-config", mcp.file, "--strict-mcp-config"]),
      // What follows is no option and no subcommand, whatever it is.
      "--",
      request.prompt,
    ],
    env: envOf(request),
    homeFiles: {},
  };
}

function envOf({ gateway, key, model, usesOwnHome, isRoot }: LaunchRequest): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: gateway.anthropic,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_MAX_RETRIES: RETRIES,
    // Root may leave out the questions only in a place that is said to be isolated. A list of allowed tools would do
    // without, but then root would be asked about more than others are, and measured differently.
    ...(isRoot ? { IS_SANDBOX: "1" } : {}),
    ...(usesOwnHome ? {} : { ANTHROPIC_API_KEY: key, ...(model === null ? {} : sideModels(model)) }),
  };
}

/** Whom side calls and sub-agents use unless told; versions before 2 read the last. */
const SIDE_MODELS = [
  "CLAUDE_CODE_SUBAGENT_MODEL",
  "ANTHROPIC_DEFAULT_FABLE_MODEL",
  "ANTHROPIC_DEFAULT_OPUS_MODEL",
  "ANTHROPIC_DEFAULT_SONNET_MODEL",
  "ANTHROPIC_DEFAULT_HAIKU_MODEL",
  "ANTHROPIC_SMALL_FAST_MODEL",
];

/** One model is measured: others may not be there, or have no price. */
function sideModels({ name }: AgentModel): Record<string, string> {
  return Object.fromEntries(SIDE_MODELS.map((variable) => [variable, name]));
}
