import { UsageError } from "../core/errors.js";
import type { AgentAdapter, AgentModel, Launch, LaunchRequest } from "./adapter.js";
import { modelsOf, PROVIDER_ID, SETTINGS } from "./pi/config.js";
import { PiReader } from "./pi/reader.js";

/** What begins like this would be taken for an option or a file. There is no `--` that ends the options. */
const NO_PROMPT = /^[-@]/;

/**
 * pi.
 * @example
 * const { args, env, homeFiles } = pi.launch(request);
 * spawn(pi.program, args, { env });
 */
export const pi: AgentAdapter = {
  name: "pi",
  program: "pi",
  checkedVersion: "0.74.2",
  dialects: ["chat", "responses", "anthropic", "gemini"],
  provider: null,
  install: "npm install -g @earendil-works/pi-coding-agent",
  login: ".pi/agent/auth.json",
  skills: { inHome: ".pi/agent/skills", inProject: ".pi/skills" },
  launch,
  reader: () => new PiReader(),
};

function launch(request: LaunchRequest): Launch {
  const { prompt, usesOwnHome } = request;
  return {
    args: ["-p", "--mode", "json", "--no-session", "--offline", ...modelArgs(request), promptText(prompt)],
    env: { PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" },
    homeFiles: usesOwnHome
      ? {}
      : {
          ".pi/agent/models.json": json(modelsOf(request, modelOf(request))),
          ".pi/agent/settings.json": json(SETTINGS),
        },
  };
}

function modelArgs(request: LaunchRequest): readonly string[] {
  if (!request.usesOwnHome) return ["--provider", PROVIDER_ID, "--model", modelOf(request).name];
  return request.model === null ? [] : ["--model", request.model.cliName];
}

function modelOf({ model }: LaunchRequest): AgentModel {
  if (model !== null) return model;
  throw new UsageError("pi has no model of its own: name one, as in --agent pi:MODEL.");
}

function promptText(prompt: string): string {
  return NO_PROMPT.test(prompt) ? ` ${prompt}` : prompt;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
