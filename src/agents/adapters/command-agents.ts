import type { GatewayDialectName } from "../../models/index.js";
import type { CommandAgentName } from "../adapter.js";
import type { AgentDefinition } from "../definition.js";

/** A definition that ships with Assay. */
export interface ShippedAgent extends AgentDefinition {
  readonly install: string;
  /** The API formats it can use, the default first. */
  readonly dialects: readonly [GatewayDialectName, ...GatewayDialectName[]];
  /** Set when it could not be installed where Assay is developed. */
  readonly isUntested?: boolean;
  /** What to know before using it. */
  readonly remark?: string;
}

const CRUSH_SETTINGS = {
  $schema: "https://charm.land/crush.json",
  providers: {
    assay: {
      name: "assay",
      type: "openai-compat",
      base_url: "{openai_url}",
      api_key: "{key}",
      models: [{ id: "{model}", name: "{model}", context_window: 200_000, default_max_tokens: 32_000 }],
    },
  },
  models: {
    large: { provider: "assay", model: "{model}" },
    small: { provider: "assay", model: "{model}" },
  },
  options: { disable_provider_auto_update: true, disable_metrics: true },
};

const DROID_SETTINGS = {
  customModels: [
    {
      model: "{model}",
      displayName: "assay",
      baseUrl: "{openai_url}",
      apiKey: "{key}",
      provider: "generic-chat-completion-api",
      maxOutputTokens: 32_000,
    },
  ],
  cloudSessionSync: false,
};

/** Agents that are run by a command: they print text, and the gateway sees their work. */
export const COMMAND_AGENT_DEFINITIONS: Readonly<Record<CommandAgentName, ShippedAgent>> = {
  agy: {
    command: "agy -p {prompt} --dangerously-skip-permissions --print-timeout 24h",
    env: { AGY_CLI_DISABLE_AUTO_UPDATE: "1" },
    install: "https://antigravity.google/docs/cli/install",
    dialects: ["gemini"],
    isUntested: true,
    remark: "signs in with its own account: use --agent-home inherit; its calls bypass the gateway",
  },
  aider: {
    command:
      "aider --model openai/{model} --message-file {prompt_file} --yes-always --no-git --no-pretty --no-stream --no-check-update --no-show-model-warnings --no-show-release-notes --no-detect-urls --analytics-disable",
    env: { AIDER_CHAT_HISTORY_FILE: "/dev/null", AIDER_INPUT_HISTORY_FILE: "/dev/null" },
    install: "python -m pip install aider-install && aider-install",
    dialects: ["chat"],
    isUntested: true,
  },
  crush: {
    command: "crush run --quiet {prompt}",
    env: { CRUSH_DISABLE_METRICS: "1", CRUSH_DISABLE_PROVIDER_AUTO_UPDATE: "1" },
    homeFiles: { ".config/crush/crush.json": `${JSON.stringify(CRUSH_SETTINGS, null, 2)}\n` },
    install: "npm install -g @charmland/crush",
    dialects: ["chat"],
    isUntested: true,
  },
  droid: {
    command: "droid exec --skip-permissions-unsafe --model custom:assay-0 --file {prompt_file}",
    env: { FACTORY_AIRGAP_ENABLED: "true", FACTORY_DROID_AUTO_UPDATE_ENABLED: "false" },
    homeFiles: { ".factory/settings.json": `${JSON.stringify(DROID_SETTINGS, null, 2)}\n` },
    minVersion: "0.215.0",
    install: "npm install -g droid",
    dialects: ["chat"],
  },
  goose: {
    command: "goose run --no-session --quiet --with-builtin developer --instructions {prompt_file}",
    env: {
      GOOSE_PROVIDER: "openai",
      GOOSE_MODEL: "{model}",
      OPENAI_HOST: "{openai_url}",
      OPENAI_BASE_PATH: "chat/completions",
      GOOSE_MODE: "auto",
      GOOSE_DISABLE_KEYRING: "1",
      GOOSE_TELEMETRY_ENABLED: "false",
    },
    install: "https://block.github.io/goose/docs/getting-started/installation",
    dialects: ["chat"],
    isUntested: true,
  },
};
