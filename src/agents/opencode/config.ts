import type { DialectName } from "../../models/dialects/dialect.js";
import type { AgentModel, LaunchRequest } from "../adapter.js";

/** What models are named after: `assay/MODEL`. */
export const PROVIDER_ID = "assay";

/** The packages are inside the program: none is downloaded. */
const PACKAGES: Readonly<Record<DialectName, string>> = {
  chat: "@ai-sdk/openai-compatible",
  responses: "@ai-sdk/openai",
  anthropic: "@ai-sdk/anthropic",
  gemini: "@ai-sdk/google",
};

/** Of an unknown model. Too small a context would make it summarise early; too much output is cut by the endpoint. */
const LIMITS = { context: 200_000, output: 32_000 };

/**
 * What a run in a HOME of its own finds there. Into a folder of settings without packages it would install one for
 * plugins, from the internet and while the agent works: the last two files say that it is there.
 */
export function homeFiles(request: LaunchRequest, model: AgentModel): Record<string, string> {
  return {
    ".config/opencode/opencode.json": `${JSON.stringify(configOf(request, model), null, 2)}\n`,
    ".config/opencode/package-lock.json": '{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"*"}}}}\n',
    ".config/opencode/node_modules/.keep": "",
  };
}

function configOf(request: LaunchRequest, model: AgentModel): Record<string, unknown> {
  const { name, dialect } = model;
  const full = `${PROVIDER_ID}/${name}`;
  return {
    $schema: "https://opencode.ai/config.json",
    autoupdate: false,
    share: "disabled",
    model: full,
    small_model: full,
    enabled_providers: [PROVIDER_ID],
    // One rule for every tool and every question: a run must never wait for somebody.
    permission: { "*": "allow", external_directory: "allow", doom_loop: "allow" },
    provider: {
      [PROVIDER_ID]: {
        npm: PACKAGES[dialect],
        name: PROVIDER_ID,
        options: { baseURL: baseUrl(request, dialect), apiKey: request.key },
        models: { [name]: { name, limit: LIMITS, tool_call: true } },
      },
    },
  };
}

/** These packages want the version in the URL, unlike the providers' own. */
function baseUrl({ gateway }: LaunchRequest, dialect: DialectName): string {
  if (dialect === "anthropic") return `${gateway.anthropic}/v1`;
  if (dialect === "gemini") return `${gateway.google}/v1beta`;
  return gateway.openai;
}
