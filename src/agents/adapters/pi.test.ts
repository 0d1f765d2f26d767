import { describe, expect, it } from "vitest";
import type { LaunchRequest } from "../adapter.js";
import { LAUNCH_REQUEST, loadRecording, loadSharedRecording, omitIds, readAllEvents } from "../recorded-testing.js";
import { pi } from "./pi.js";

const LAUNCH: LaunchRequest = { ...LAUNCH_REQUEST, prompt: "do it" };

const answer = (stopReason: string, errorMessage?: string) => [
  { type: "message_end", message: { role: "assistant", content: [], stopReason, errorMessage } },
  { type: "agent_end", messages: [] },
];

describe("launch", () => {
  it.each(["-v", "--help", "@notes.txt"])("keeps the prompt %s from being an option or a file", (prompt) => {
    expect(pi.launch({ ...LAUNCH, prompt }).args.at(-1)).toBe(` ${prompt}`);
  });

  it.each([
    ["chat", "openai-completions", "http://g/openai/v1"],
    ["responses", "openai-responses", "http://g/openai/v1"],
    ["anthropic", "anthropic-messages", "http://g/anthropic"],
    ["gemini", "google-generative-ai", "http://g/google/v1beta"],
  ] as const)("supports %s", (dialect, api, baseUrl) => {
    const { homeFiles } = pi.launch({ ...LAUNCH, model: { name: "m", cliName: "m", dialect } });
    const { assay } = JSON.parse(homeFiles[".pi/agent/models.json"] ?? "").providers;
    expect(assay).toMatchObject({ api, baseUrl, apiKey: "meaningless", models: [{ id: "m" }] });
  });

  it("requires a model, and does not change the user's HOME", () => {
    expect(() => pi.launch({ ...LAUNCH, model: null })).toThrow("pi:MODEL");
    const { args, homeFiles } = pi.launch({ ...LAUNCH, usesOwnHome: true });
    expect(args.slice(-3)).toEqual(["--model", "openai/m", "do it"]);
    expect(homeFiles).toEqual({});
  });
});

describe("reader", () => {
  it("reads a run with one tool", () => {
    const { reader, bodies } = readAllEvents(pi, loadRecording("pi-0.74.2-one.jsonl"));
    expect(bodies.map(({ type }) => type)).toEqual([
      ...["turn_start", "user_message", "tool_call", "tool_result", "turn_end"],
      ...["turn_start", "assistant_message", "turn_end"],
    ]);
    expect(reader).toMatchObject({ end: { kind: "done" }, model: "mock-model" });
    expect(reader.figures).toMatchObject({ usage: { input: 1216, output: 28 }, costUsd: null, isPartial: false });
    expect(reader.unknown.size).toBe(0);
  });

  it("reads several tools, including one that failed", () => {
    const { bodies } = readAllEvents(pi, loadRecording("pi-0.74.2-several.jsonl"));
    const results = bodies.flatMap((each) => (each.type === "tool_result" ? [each.success] : []));
    expect(results).toEqual([true, false, true]);
  });

  it("reads another version the same way", () => {
    const [now, before] = ["pi-0.74.2-one.jsonl", "pi-0.73.1-one.jsonl"].map((name) =>
      omitIds(readAllEvents(pi, loadRecording(name)).bodies),
    );
    expect(before).toEqual(now);
  });

  it.each([
    ["401", 401, 0],
    ["500", 500, 3],
    ["cut", null, 3],
  ])("fails on %s, after its retries", (name, status, retries) => {
    const { reader, bodies } = readAllEvents(pi, loadRecording(`pi-0.74.2-${name}.jsonl`));
    expect(reader.end).toMatchObject({ kind: "failed", status });
    expect(bodies.filter(({ type }) => type === "system")).toHaveLength(retries);
    expect(reader.figures.isPartial).toBe(true);
  });

  it.each([
    ["stop", { kind: "done" }],
    ["length", { kind: "stopped", reason: "truncated" }],
    ["aborted", { kind: "failed" }],
    ["error", { kind: "failed" }],
  ])("classifies an answer that ended with %s", (stopReason, end) => {
    expect(readAllEvents(pi, answer(stopReason)).reader.end).toMatchObject(end);
  });

  it("recognizes a refusal by its message, and has no end while it retries", () => {
    const refused = answer("error", "Provider finish_reason: content_filter");
    expect(readAllEvents(pi, refused).reader.end).toMatchObject({ kind: "stopped", reason: "refused" });
    expect(readAllEvents(pi, [...answer("error", "500"), { type: "auto_retry_start" }]).reader.end).toBeNull();
  });

  it("reads the captured streams of three versions", ({ skip }) => {
    const events = loadSharedRecording("pi.jsonl");
    if (events === null) return skip();
    const { reader, bodies } = readAllEvents(pi, events);
    expect(reader).toMatchObject({ end: { kind: "done" }, response: "Done: hello.txt now contains hello-from-agent." });
    expect(reader.figures.costUsd).toBeGreaterThan(0);
    const before = readAllEvents(pi, loadSharedRecording("pi-0.73.jsonl") ?? []);
    expect(omitIds(before.bodies)).toEqual(omitIds(bodies));
    expect(readAllEvents(pi, loadSharedRecording("pi-401.jsonl") ?? []).reader.end).toMatchObject({
      kind: "failed",
      status: 401,
    });
  });
});
