import type { MockScript } from "./script.js";
import { anthropicWire } from "./wires/anthropic.js";
import { readCountable } from "./wires/anthropic-read.js";
import { chatWire } from "./wires/chat.js";
import { geminiWire } from "./wires/gemini.js";
import { responsesWire } from "./wires/responses.js";
import type { Wire } from "./wires/wire.js";

/** What a path asks for. */
export interface Route {
  readonly wire: Wire;
  readonly action: "answer" | "count";
  readonly read: Wire["read"];
  /** The model and whether to stream, for the dialect that says so in the path. */
  readonly model: string;
  readonly streams: boolean;
}

/** Any base URL will do, so the end of the path decides. */
const ENDINGS: readonly (readonly [string, Route])[] = [
  ["/chat/completions", route(chatWire)],
  ["/responses", route(responsesWire)],
  ["/messages", route(anthropicWire)],
  ["/messages/count_tokens", { ...route(anthropicWire), action: "count", read: readCountable }],
];

const GEMINI = /\/([^/]+):(generateContent|streamGenerateContent|countTokens)$/;

function route(wire: Wire): Route {
  return { wire, action: "answer", read: wire.read, model: "", streams: false };
}

/** Where a path leads; null for a path that none of the four dialects has. */
export function routeOf(path: string): Route | null {
  const known = ENDINGS.find(([ending]) => path.endsWith(ending));
  if (known !== undefined) return known[1];
  const [, name, method] = GEMINI.exec(path) ?? [];
  if (name === undefined) return null;
  return {
    ...route(geminiWire),
    action: method === "countTokens" ? "count" : "answer",
    model: decoded(name),
    streams: method === "streamGenerateContent",
  };
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** True for a question which models there are. */
export function asksForModels(method: string, path: string): boolean {
  return method === "GET" && path.endsWith("/models");
}

/** The models of a script as each provider lists them, told apart by what their clients send. */
export function modelList(
  { models = {} }: MockScript,
  { path, headers }: { path: string; headers: Readonly<Record<string, unknown>> },
): Record<string, unknown> {
  const own = Object.keys(models);
  const names = own.length === 0 ? ["mock-model"] : own;
  if (path.includes("/v1beta/") || "x-goog-api-key" in headers) return { models: names.map(geminiModel) };
  if ("anthropic-version" in headers)
    return { data: names.map(anthropicModel), has_more: false, first_id: names[0], last_id: names.at(-1) };
  // Codex asks the same path for a list of its own, and takes an empty one.
  return { object: "list", data: names.map(openaiModel), models: [] };
}

function openaiModel(id: string) {
  return { id, object: "model", created: 0, owned_by: "assay-mock" };
}

function anthropicModel(id: string) {
  return { type: "model", id, display_name: id, created_at: "1970-01-01T00:00:00Z" };
}

function geminiModel(name: string) {
  const supportedGenerationMethods = ["generateContent", "streamGenerateContent", "countTokens"];
  return { name: `models/${name}`, version: "1", displayName: name, supportedGenerationMethods };
}
