import { UsageError } from "../core/errors.js";
import type { AgentAdapter, AgentModel, Launch, LaunchRequest } from "./adapter.js";
import { homeFiles, PROVIDER_ID } from "./opencode/config.js";
import { OpencodeReader } from "./opencode/reader.js";
import { serverEnv } from "./opencode/servers.js";

/** Nothing is fetched, and nothing is found outside of the workspace and the HOME that it was given. */
const OFFLINE = {
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_SHARE: "1",
};

/**
 * opencode.
 * @example
 * const { args, env, homeFiles } = opencode.launch(request);
 * spawn(opencode.program, args, { env });
 */
export const opencode: AgentAdapter = {
  name: "opencode",
  program: "opencode",
  checkedVersion: "1.18.33",
  dialects: ["chat", "responses", "anthropic", "gemini"],
  provider: null,
  install: "npm install -g opencode-ai",
  login: ".local/share/opencode/auth.json",
  skills: { inHome: ".config/opencode/skills", inProject: ".opencode/skills", needsName: true },
  takesServers: "always",
  launch,
  reader: () => new OpencodeReader(),
};

function launch(request: LaunchRequest): Launch {
  const { prompt, usesOwnHome } = request;
  return {
    args: [
      "run",
      "--format=json",
      "--thinking",
      "--auto",
      // With a title of its own the session needs no call to a model to find one.
      "--title=assay",
      ...modelArgs(request),
    ],
    // Of its arguments it takes numbers for numbers, and puts quotes around those that hold a space.
    input: prompt,
    env: { ...(usesOwnHome ? { OPENCODE_DISABLE_AUTOUPDATE: "1" } : OFFLINE), ...serverEnv(request.mcp) },
    homeFiles: usesOwnHome ? {} : homeFiles(request, modelOf(request)),
  };
}

function modelArgs(request: LaunchRequest): readonly string[] {
  if (!request.usesOwnHome) return ["-m", `${PROVIDER_ID}/${modelOf(request).name}`];
  return request.model === null ? [] : ["-m", request.model.cliName];
}

function modelOf({ model }: LaunchRequest): AgentModel {
  if (model !== null) return model;
  throw new UsageError("opencode has no model of its own: name one, as in --agent opencode:MODEL.");
}
