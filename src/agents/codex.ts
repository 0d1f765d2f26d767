import type { AgentAdapter, Launch, LaunchRequest } from "./adapter.js";
import { CodexReader } from "./codex/reader.js";
import { serverSettings } from "./codex/servers.js";

/** The folder is all that is at stake: whoever starts the program isolates it. */
const FLAGS = ["--json", "--skip-git-repo-check", "--ephemeral", "--dangerously-bypass-approvals-and-sandbox"];

/** The variable that the key is read from. */
const KEY_VARIABLE = "ASSAY_GATEWAY_KEY";

/** Enough for a hiccup. A request that fails counts as a stream that fails: retries of both kinds would multiply. */
const RETRIES = { request: 0, stream: 3 };

/**
 * OpenAI's Codex.
 * @example
 * const { args, env } = codex.launch(request);
 * spawn(codex.program, args, { env });
 */
export const codex: AgentAdapter = {
  name: "codex",
  program: "codex",
  checkedVersion: "0.166.0",
  dialects: ["responses"],
  provider: "openai",
  install: "npm install -g @openai/codex",
  tellsUsageAtEnd: true,
  login: ".codex/auth.json",
  skills: { inHome: ".agents/skills", inProject: ".agents/skills" },
  takesServers: "always",
  launch,
  reader: () => new CodexReader(),
};

function launch(request: LaunchRequest): Launch {
  const { model, usesOwnHome } = request;
  return {
    args: [
      "exec",
      ...FLAGS,
      ...(model === null ? [] : ["-m", usesOwnHome ? model.cliName : model.name]),
      ...(usesOwnHome ? [] : settings(request)),
      ...serverSettings(request.mcp),
      // What follows is no option and no subcommand, whatever it is.
      "--",
      promptText(request.prompt),
    ],
    env: usesOwnHome ? {} : { [KEY_VARIABLE]: request.key },
    homeFiles: {},
  };
}

/** A lone dash would mean that the prompt comes by the standard input. */
function promptText(prompt: string): string {
  return prompt === "-" ? "-\n" : prompt;
}

/** A provider of our own: the built-in one cannot be pointed elsewhere without five tries by WebSocket first. */
function settings({ gateway }: LaunchRequest): string[] {
  const provider = [
    `name="assay"`,
    // A JSON text is a TOML text as well.
    `base_url=${JSON.stringify(gateway.openai)}`,
    `env_key="${KEY_VARIABLE}"`,
    `wire_api="responses"`,
    `request_max_retries=${RETRIES.request}`,
    `stream_max_retries=${RETRIES.stream}`,
  ];
  return ["model_provider=assay", `model_providers.assay={${provider.join(",")}}`, "analytics.enabled=false"].flatMap(
    (setting) => ["-c", setting],
  );
}
