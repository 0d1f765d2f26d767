import { getDefaultBaseUrl, getKeyVariable } from "../../budget/index.js";
import { EXAMPLE_MODELS } from "../../core/index.js";
import {
  type ConversionNotes,
  ENVIRONMENT_VALUE,
  isMap,
  listParts,
  type Part,
  parseFileReference,
  take,
} from "./source.js";

/** A model as `assay.config.yaml` lists it. */
export interface ConvertedModel {
  model: string;
  name?: string;
  proxy?: string;
  api?: "anthropic" | "gemini" | "responses";
  apiKeyEnv?: string;
  systemPrompt?: string;
  temperature?: number;
  maxTokens?: number;
  extraBody?: Record<string, unknown>;
  prompts?: unknown;
}

/** promptfoo's name of a provider → ours. */
const PROVIDERS: Readonly<Record<string, string>> = {
  openai: "openai",
  anthropic: "anthropic",
  google: "google",
  gemini: "google",
  palm: "google",
  openrouter: "openrouter",
  groq: "groq",
  mistral: "mistral",
  deepseek: "deepseek",
  together: "together",
  togetherai: "together",
  fireworks: "fireworks",
  xai: "xai",
  cerebras: "cerebras",
  perplexity: "perplexity",
  ollama: "ollama",
};

/** What to use instead of providers that have no counterpart. */
const INSTEAD: readonly [RegExp, string][] = [
  [/^anthropic:claude-(?:agent-sdk|code)/, "use the agent instead: agents: [claude] (docs/guides/agents.md)"],
  [/^openai:codex/, "use the agent instead: agents: [codex] (docs/guides/agents.md)"],
  [
    /^(?:exec|python|golang|ruby):|\.(?:py|rb|go)(?::\w+)?$/,
    "let the program read and print JSON lines, and write systems: [{ name: NAME, command: COMMAND }] (docs/guides/any-language.md)",
  ],
  [/^file:|\.[cm]?[jt]s$/, "write it as a system: export default (example) => ({ response }) (docs/guides/plugins.md)"],
  [
    /^(?:https?|webhook)(?::|$)/,
    "write { model: NAME, proxy: URL } if it is OpenAI-compatible, else systems: [{ name: NAME, url: URL }] (docs/guides/any-language.md)",
  ],
  [/^(?:websocket|wss?)(?::|$)/, "write a system that calls it (docs/guides/plugins.md)"],
  [
    /^(?:azure|bedrock|vertex|huggingface|replicate|cloudflare|localai|litellm|vllm|llama|lmstudio|databricks|sagemaker|watsonx)/,
    "if it has an OpenAI-compatible address, write { model: NAME, proxy: URL, apiKeyEnv: VARIABLE }",
  ],
  [/^(?:promptfoo:|echo$)/, "use assay mock for a simulated model"],
];

/** Settings of a request that are sent unchanged. */
const BODY_KEYS = new Set([
  "top_p",
  "top_k",
  "seed",
  "stop",
  "frequency_penalty",
  "presence_penalty",
  "response_format",
  "reasoning_effort",
  "reasoning",
  "verbosity",
  "stop_sequences",
  "thinking",
  "logit_bias",
]);
/** Settings that change nothing here. */
const IDLE_KEYS = new Set(["apiKeyRequired", "showThinking", "cost", "inputCost", "outputCost"]);

/** Converts the providers to models; lists those without a counterpart. */
export function convertProviders(part: Part, notes: ConversionNotes): { model: ConvertedModel; part: Part }[] {
  return listParts(part).flatMap((given) => {
    const one = unwrapProvider(given);
    const model = convertProvider(one, notes);
    return model === null ? [] : [{ model, part: one }];
  });
}

/** `openai:gpt-4: { config }` is short for `id: openai:gpt-4`. */
function unwrapProvider(part: Part): Part {
  if (!isMap(part.value) || "id" in part.value) return part;
  const [key, ...more] = Object.keys(part.value);
  if (key === undefined || more.length > 0) return part;
  const inner = part.value[key];
  return { ...part, value: { id: key, ...(isMap(inner) ? inner : {}) }, path: part.path };
}

function convertProvider(part: Part, notes: ConversionNotes): ConvertedModel | null {
  const { value } = part;
  const id = typeof value === "string" ? value : isMap(value) ? value.id : undefined;
  if (typeof id !== "string" || ENVIRONMENT_VALUE.test(id)) {
    notes.add(part, `this provider is not taken over: it has no plain id. Name a model: ${EXAMPLE_MODELS.openai}`);
    return null;
  }
  const model = toModelName(id) ?? toHttpModel(id, part);
  if (model === null) {
    const instead =
      INSTEAD.find(([pattern]) => pattern.test(id))?.[1] ??
      "name a model: PROVIDER/MODEL, or { model: NAME, proxy: URL }";
    notes.add(part, `the provider ${shorten(id)} is not taken over: ${instead}`);
    return null;
  }
  const named = typeof model === "string" ? { model } : model;
  if (!isMap(value)) return named;
  const label = typeof value.label === "string" ? { name: value.label } : {};
  for (const key of ["transform", "delay", "env", "inputs"])
    if (value[key] !== undefined) notes.add(take(part, key), `${key} of the provider ${shorten(id)} is not taken over`);
  const settings = typeof model === "string" ? convertSettings(take(part, "config"), notes) : {};
  return {
    ...named,
    ...label,
    ...settings,
    ...(settings.proxy === undefined ? {} : moveToProxy(named.model, settings)),
  };
}

const APIS: Readonly<Record<string, "anthropic" | "gemini" | "responses">> = {
  anthropic: "anthropic",
  google: "gemini",
  "openai-responses": "responses",
};

/** A model at another address has no provider; its key is sent there only if it is named. */
function moveToProxy(model: string, { proxy = "", apiKeyEnv }: Partial<ConvertedModel>): Partial<ConvertedModel> {
  const [provider = "", ...name] = model.split("/");
  const api = APIS[provider];
  const variable = /^https?:\/\/(?:localhost|127\.)/.test(proxy) ? null : getKeyVariable(provider);
  const key = apiKeyEnv ?? variable;
  return { model: name.join("/"), ...(api === undefined ? {} : { api }), ...(key === null ? {} : { apiKeyEnv: key }) };
}

/** The name of a model of a known provider: `openai:chat:gpt-4o` → `openai/gpt-4o`. */
export function toModelName(id: string): string | null {
  const [, seller = "", kind = "", name = ""] =
    /^([a-z]+):(?:(chat|messages|responses|completion|gemini)(?=:))?:?(.+)$/s.exec(id) ?? [];
  const provider = Object.hasOwn(PROVIDERS, seller) ? (PROVIDERS[seller] ?? "") : "";
  const isOther =
    /^(?:embeddings?|image|video|speech|realtime|assistant|moderation|completion|claude-agent-sdk|claude-code|codex[\w-]*|transcription|tts|live|agents|chatkit)(?::|$)/;
  if (provider === "" || getDefaultBaseUrl(provider) === null || isOther.test(name) || name === "") return null;
  if (kind === "completion" && provider !== "ollama") return null;
  return `${kind === "responses" ? "openai-responses" : provider}/${name}`;
}

/** An address that takes the body of a chat completion. */
function toHttpModel(id: string, part: Part): ConvertedModel | null {
  const config = take(part, "config");
  const url = take(config, "url").value ?? (id.startsWith("http") ? id : undefined);
  const body = take(config, "body").value;
  if (typeof url !== "string" || !/^https?:\/\/[^{}\s]+\/chat\/completions$/.test(url) || !isMap(body)) return null;
  if (!Array.isArray(body.messages) || typeof body.model !== "string") return null;
  if (!JSON.stringify(body.messages).includes("{{")) return null;
  const { messages: _, model, ...extraBody } = body;
  const rest = Object.keys(extraBody).length === 0 ? {} : { extraBody };
  return { model, proxy: url.replace(/\/chat\/completions$/, ""), ...rest };
}

function convertSettings(config: Part, notes: ConversionNotes): Partial<ConvertedModel> {
  const settings: Partial<ConvertedModel> = {};
  const body: Record<string, unknown> = {};
  if (!isMap(config.value)) return settings;
  for (const [key, value] of Object.entries(config.value)) {
    const part = take(config, key);
    if (/^(?:apiKey|token|secret|password)$|[^x]Token$/i.test(key))
      notes.add(
        part,
        `${key} is not copied, because it is a secret. Set the provider's environment variable, or name one with apiKeyEnv`,
      );
    else if (hasForeignValue(value))
      notes.add(part, `${key} is not taken over: it comes from a file or the environment. Write the value`);
    else if (key === "temperature" && typeof value === "number") settings.temperature = value;
    else if (
      /^(?:max_tokens|max_completion_tokens|max_output_tokens|maxOutputTokens|num_predict)$/.test(key) &&
      isCount(value)
    )
      settings.maxTokens = value;
    else if (/^api_?key_?env(?:ar|_var)?$/i.test(key) && typeof value === "string") settings.apiKeyEnv = value;
    else if (/^(?:apiBaseUrl|baseURL|baseUrl)$/.test(key) && typeof value === "string") settings.proxy = value;
    else if (key === "apiHost" && typeof value === "string") settings.proxy = `https://${value}/v1`;
    else if (
      /^(?:systemPrompt|system_prompt|system|systemInstruction|instructions)$/.test(key) &&
      typeof value === "string"
    )
      settings.systemPrompt = value;
    else if (BODY_KEYS.has(key)) body[key] = value;
    else if (key === "passthrough" && isMap(value)) Object.assign(body, value);
    else if (key === "generationConfig" && isMap(value)) Object.assign(settings, convertSettings(part, notes));
    else if (!IDLE_KEYS.has(key))
      notes.add(part, `${key} is not taken over. If the API takes it in the request, write it to extraBody`);
  }
  return { ...settings, ...(Object.keys(body).length === 0 ? {} : { extraBody: body }) };
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0;
}

function hasForeignValue(value: unknown): boolean {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return parseFileReference(value) !== null || text.includes('"file://') || ENVIRONMENT_VALUE.test(text);
}

function shorten(id: string): string {
  return id.length > 60 ? `${id.slice(0, 59)}…` : id;
}
