import type { ServerResponse } from "node:http";
import type { TrialContext } from "../core/system.js";
import { type Handler, type ScriptedServer, serveScript } from "../models/http/scripted-server.js";
import { type ModelOptions, ModelSystem } from "./model.js";

/** A server and systems that call it, for tests; `close` ends them all. */
export interface Bench {
  serve(handler: Handler): Promise<ScriptedServer>;
  system(server: { url: string }, options?: Partial<ModelOptions>): ModelSystem;
  close(): Promise<void>;
}

export function openBench(): Bench {
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

export function trialWith(more: Partial<TrialContext> = {}): TrialContext {
  return { signal: new AbortController().signal, budget: null, trial: 0, seed: 1, log: () => {}, ...more };
}

export function startStream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { "content-type": "text/event-stream" });
}

export function event(data: unknown): string {
  return `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

/** A chunk of text in the chat dialect. */
export function piece(content: string, finish: string | null = null): string {
  return event({ model: "m-1", choices: [{ index: 0, delta: { content }, finish_reason: finish }] });
}

export const DONE = event("[DONE]");

/** The usage at the end of a stream in the chat dialect. */
export function used(prompt: number, completion: number, more: object = {}): string {
  return event({ choices: [], usage: { prompt_tokens: prompt, completion_tokens: completion, ...more } });
}

/** Sends a whole stream: the text in chunks, then usage. */
export function answerWith(response: ServerResponse, pieces: readonly string[], end = `${used(10, 5)}${DONE}`): void {
  startStream(response);
  for (const text of pieces) response.write(piece(text));
  response.end(piece("", "stop") + end);
}
