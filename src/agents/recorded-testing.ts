import { existsSync, readFileSync } from "node:fs";
import type { AgentEventBody } from "../core/trajectory.js";
import type { AgentAdapter, LaunchRequest, StreamReader } from "./adapter.js";
import { LineSplitter, parseEventLine } from "./agent-run.js";

/** Events of a recorded stream. */
export function loadRecording(name: string): readonly unknown[] {
  return parseRecording(new URL(`fixtures/${name}`, import.meta.url));
}

/** Events of a stream captured next to the repository; null when there is none. */
export function loadSharedRecording(name: string): readonly unknown[] | null {
  const file = new URL(`../../../shared/reference/agent-streams/${name}`, import.meta.url);
  if (existsSync(file)) return parseRecording(file);
  console.warn(`skipped: no captured stream ${name} next to the repository`);
  return null;
}

function parseRecording(file: URL): readonly unknown[] {
  const lines = new LineSplitter();
  return [...lines.push(readFileSync(file)), ...lines.end()].map(parseEventLine);
}

export interface ReplayedStream {
  readonly reader: StreamReader;
  readonly bodies: readonly AgentEventBody[];
}

/** Reads a whole stream with an adapter's reader. */
export function readAllEvents(adapter: AgentAdapter, events: readonly unknown[]): ReplayedStream {
  const reader = adapter.reader();
  return { reader, bodies: events.flatMap((event) => reader.read(event)) };
}

/** The events without parts that differ between runs. */
export function omitIds(bodies: readonly AgentEventBody[]): unknown[] {
  return bodies.map((body) => ({ ...body, callId: undefined, timestamp: undefined }));
}

/** The event types in order. */
export function joinEventTypes(bodies: readonly AgentEventBody[]): string {
  return bodies.map(({ type }) => type).join(" ");
}

/** Merges consecutive texts. */
export function mergeTextEvents(bodies: readonly AgentEventBody[]): AgentEventBody[] {
  const all: AgentEventBody[] = [];
  for (const one of bodies) {
    const last = all.at(-1);
    const isMore = one.type === "assistant_message" || one.type === "reasoning";
    if (isMore && last?.type === one.type) all.splice(-1, 1, { ...one, text: last.text + one.text });
    else all.push(one);
  }
  return all;
}

/** The default launch request of tests. */
export const LAUNCH_REQUEST: LaunchRequest = {
  prompt: "Create hello.txt",
  promptFile: "/tmp/prompt.txt",
  model: { name: "m", cliName: "openai/m", dialect: "chat" },
  gateway: { openai: "http://g/openai/v1", anthropic: "http://g/anthropic", google: "http://g/google" },
  key: "meaningless",
  version: null,
  usesOwnHome: false,
  isRoot: true,
  skillsDir: null,
  mcp: null,
  session: null,
  effort: null,
};
