import type { ServerResponse } from "node:http";
import type { TrialContext } from "../core/system.js";
import { type ScriptedServer, type ScriptHandler, serveScript } from "../models/http/scripted-server.js";
import { type ModelOptions, ModelSystem } from "./model.js";

/** A server and systems that call it, for tests; `close` ends them all. */
export interface ModelFixture {
  serve(handler: ScriptHandler): Promise<ScriptedServer>;
  system(server: { url: string }, options?: Partial<ModelOptions>): ModelSystem;
  close(): Promise<void>;
}

export function openModelFixture(): ModelFixture {
  const closing: (() => Promise<void>)[] = [];
  return {
    async serve(handler) {
      const server = await serveScript(handler);
      closing.push(() => server.close());
      return server;
    },
    system({ url }, options = {}) {
      const system = new ModelSystem({ model: "m", baseUrl: url, ...options });
      closing.push(() => system.close());
      return system;
    },
    async close() {
      for (const close of closing.splice(0).reverse()) await close();
    },
  };
}

export function makeTrialContext(more: Partial<TrialContext> = {}): TrialContext {
  return { signal: new AbortController().signal, budget: null, trial: 0, seed: 1, log: () => {}, ...more };
}

export function startStream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { "content-type": "text/event-stream" });
}

export function formatEvent(data: unknown): string {
  return `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

/** A chunk of text in the chat dialect. */
export function formatTextEvent(content: string, finish: string | null = null): string {
  return formatEvent({ model: "m-1", choices: [{ index: 0, delta: { content }, finish_reason: finish }] });
}

export const DONE = formatEvent("[DONE]");

/** The usage at the end of a stream in the chat dialect. */
export function formatUsageEvent(prompt: number, completion: number, more: object = {}): string {
  return formatEvent({ choices: [], usage: { prompt_tokens: prompt, completion_tokens: completion, ...more } });
}

/** Sends a whole stream: the text in chunks, then usage. */
export function sendStreamedAnswer(
  response: ServerResponse,
  pieces: readonly string[],
  end = `${formatUsageEvent(10, 5)}${DONE}`,
): void {
  startStream(response);
  for (const text of pieces) response.write(formatTextEvent(text));
  response.end(formatTextEvent("", "stop") + end);
}
