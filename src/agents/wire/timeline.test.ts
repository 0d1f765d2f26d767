import { describe, expect, it } from "vitest";
import type { GatewayRequest } from "../../budget/index.js";
import type { AgentEvent } from "../../core/index.js";
import { WireTimeline } from "./timeline.js";

const RECORD: GatewayRequest = {
  provider: "openai",
  model: "m",
  dialect: "chat",
  ending: "answered",
  status: 200,
  usage: { input: 10, output: 1, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, reasoning: 0 },
  costUsd: 0.01,
  costPico: 10_000_000_000,
  costSource: "priced",
  partial: false,
  startedAt: 0,
  durationMs: 5,
  ttftMs: null,
  generationMs: null,
  finish: "stop",
  finishReason: "stop",
  message: null,
  fault: null,
};

type Message = Readonly<Record<string, unknown>>;
type Call = readonly [id: string, command: string];

const user = (content: string): Message => ({ role: "user", content });
const result = (id: string, content: string): Message => ({ role: "tool", tool_call_id: id, content });
const answer = (content: string, ...calls: readonly Call[]): Message => ({
  role: "assistant",
  content,
  ...(calls.length > 0 && {
    tool_calls: calls.map(([id, command]) => ({
      id,
      type: "function",
      function: { name: "bash", arguments: JSON.stringify({ command }) },
    })),
  }),
});

const TOOLS = [{ type: "function", function: { name: "bash" } }];

/** A program that talks to its model through a gateway. */
class Talk {
  readonly timeline = new WireTimeline({ now: () => 1000 });

  /** Sends a request and returns a function that ends it with an answer. */
  open(messages: readonly Message[], json: Message = {}) {
    const path = "/v1/chat/completions";
    const call = this.timeline.startCall({
      dialect: "chat",
      kind: "answer",
      path,
      json: { tools: TOOLS, messages, ...json },
    });
    return (message: Message | null, record: Partial<GatewayRequest> = {}) => {
      if (message !== null) call.readWhole({ choices: [{ message }] });
      call.end({ ...RECORD, ...record });
    };
  }

  ask(
    messages: readonly Message[],
    message: Message | null,
    record: Partial<GatewayRequest> = {},
    json?: Message,
  ): void {
    this.open(messages, json)(message, record);
  }

  /** The events in short, without usage and turns. */
  get told(): string[] {
    return this.timeline.listEvents().flatMap(tell);
  }
}

function tell(event: AgentEvent): string[] {
  const thread = event.thread === undefined ? "" : ` (${event.thread})`;
  if (event.type === "user_message") return [`user ${event.text}`];
  if (event.type === "assistant_message") return [`says ${event.text}`];
  if (event.type === "tool_call")
    return [`calls ${event.callId} ${(event.arguments as { command: string }).command}${thread}`];
  if (event.type === "tool_result")
    return [`${event.success ? "ok" : "failed"} ${event.callId} ${event.result}${thread}`];
  return event.type === "custom" ? [event.name] : [];
}

const FAILED = { ending: "failed", usage: null, finish: null, status: 500, message: "overloaded" } as const;

describe("a conversation", () => {
  it("gives each item once, though every request repeats all", () => {
    const talk = new Talk();
    const history = [{ role: "system", content: "Be good." }, user("Fix it")];
    talk.ask(history, answer("I look.", ["c1", "ls"]), { finish: "tool_calls" });
    history.push(answer("I look.", ["c1", "ls"]), result("c1", "a.txt"));
    talk.ask(history, answer("", ["c2", "ls"], ["c3", "cat a.txt"]), { finish: "tool_calls" });
    history.push(answer("", ["c2", "ls"], ["c3", "cat a.txt"]), result("c2", "a.txt"), result("c3", "Error: no"));
    talk.ask(history, answer("Done."));
    expect(talk.told).toEqual([
      "user Fix it",
      "says I look.",
      "calls c1 ls",
      "ok c1 a.txt",
      "calls c2 ls",
      "calls c3 cat a.txt",
      "ok c2 a.txt",
      "failed c3 Error: no",
      "says Done.",
    ]);
    const events = talk.timeline.listEvents();
    expect(events.filter(({ type }) => type === "turn_start")).toHaveLength(3);
    expect(events.flatMap((event) => (event.type === "token_usage" ? [event.finish] : []))).toEqual([
      "tool_calls",
      "tool_calls",
      "stop",
    ]);
    expect(talk.timeline).toMatchObject({ showsTools: true, hasAnswers: true, finishes: { tool_calls: 2, stop: 1 } });
  });

  it("is not told twice after a failed request, but the failure is", () => {
    const talk = new Talk();
    talk.ask([user("Fix it")], null, FAILED);
    talk.ask([user("Fix it")], answer("Done."));
    expect(talk.told).toEqual(["user Fix it", "failed request", "says Done."]);
    expect(talk.timeline.finishes).toEqual({ stop: 1 });
  });

  it("keeps its calls apart when ids are missing, changed or used again", () => {
    const talk = new Talk();
    const first = answer("", ["call_0", "ls"]);
    talk.ask([user("Fix it")], first);
    const second = [user("Fix it"), answer("", ["renamed", "ls"]), result("renamed", "a")];
    talk.ask(second, answer("", ["call_0", "pwd"]));
    talk.ask([...second, answer("", ["call_0", "pwd"]), result("call_0", "/w")], answer("", ["", "ls"]));
    talk.ask(
      [...second, answer("", ["call_0", "pwd"]), result("call_0", "/w"), answer("", ["", "ls"]), result("", "b")],
      answer("Done."),
    );
    expect(talk.told).toEqual([
      "user Fix it",
      "calls call_0 ls",
      "ok call_0 a",
      "calls call_0-2 pwd",
      "ok call_0-2 /w",
      "calls call ls",
      "ok call b",
      "says Done.",
    ]);
  });

  it("may begin with an answer that its program made up", () => {
    const talk = new Talk();
    talk.ask([user("Context"), answer("Got it."), user("Fix it")], answer("Done."));
    expect(talk.told).toEqual(["user Context", "earlier_message", "user Fix it", "says Done."]);
  });

  it("may have notes for the model that come and go, and texts that its program changes", () => {
    const talk = new Talk();
    talk.ask([user("Fix it"), user("<reminder>")], answer("  I look.  ", ["c1", "ls"]));
    talk.ask([user("Fix it"), answer("I LOOK.", ["c1", "ls"]), result("c1", "a"), user("<reminder>")], answer("Done."));
    expect(talk.told).toEqual([
      "user Fix it",
      "user <reminder>",
      "says   I look.  ",
      "calls c1 ls",
      "ok c1 a",
      "says Done.",
    ]);
  });

  it("goes on after its history was replaced by a summary, with or without its last steps", () => {
    const talk = new Talk();
    const summary = "We looked for the bug in a.txt and have found it in line 3.";
    const history = [user("Fix it"), answer("", ["c1", "ls"]), result("c1", "a")];
    talk.ask([user("Fix it")], answer("", ["c1", "ls"]));
    talk.ask(history, answer("", ["c2", "cat a"]));
    talk.ask([...history, answer("", ["c2", "cat a"]), result("c2", "bug"), user("Sum up.")], answer(summary));
    talk.ask([user(`Summary: ${summary}`), answer("", ["c2", "cat a"]), result("c2", "bug")], answer("", ["c3", "ls"]));
    const kept = [user(`Summary: ${summary}`), answer("", ["c2", "cat a"]), result("c2", "bug")];
    talk.ask([...kept, answer("", ["c3", "ls"]), result("c3", "a")], answer("Done."));
    expect(talk.told.filter((line) => !line.startsWith("user"))).toEqual([
      "calls c1 ls",
      "ok c1 a",
      "calls c2 cat a",
      "ok c2 bug",
      `says ${summary}`,
      "compaction",
      "calls c3 ls",
      "ok c3 a",
      "says Done.",
    ]);
    expect(talk.timeline.listEvents().filter(({ type }) => type === "turn_start")).toHaveLength(5);
  });

  it("leaves out a call of an answer that was cut off, unless it was made all the same", () => {
    const talk = new Talk();
    const call = talk.timeline.startCall({
      dialect: "chat",
      kind: "answer",
      path: "/chat/completions",
      json: { tools: TOOLS, messages: [user("Fix it")] },
    });
    call.readEvent({ choices: [{ delta: { content: "I loo" } }] });
    call.readEvent({
      choices: [{ delta: { tool_calls: [{ index: 0, id: "c1", function: { name: "bash", arguments: '{"comm' } }] } }],
    });
    call.end({ ...RECORD, ending: "cut", finish: null });
    expect(talk.told).toEqual(["user Fix it", "says I loo"]);
    talk.ask([user("Fix it"), answer("I loo", ["c1", "ls"]), result("c1", "a")], answer("Done."));
    expect(talk.told.slice(2)).toEqual(["calls c1 ls", "ok c1 a", "says Done."]);
  });

  it("may be kept by the provider, so that a request has only what is new", () => {
    const timeline = new WireTimeline({ now: () => 0 });
    const send = (json: Message, id: string, output: readonly Message[]) => {
      const call = timeline.startCall({ dialect: "responses", kind: "answer", path: "/responses", json });
      call.readWhole({ id, output });
      call.end(RECORD);
    };
    const tools = [{ type: "function", name: "bash" }];
    const called = (id: string) => ({
      type: "function_call",
      call_id: id,
      name: "bash",
      arguments: '{"command":"ls"}',
    });
    send({ tools, input: "Fix it" }, "r1", [called("c1")]);
    const output = (id: string) => [{ type: "function_call_output", call_id: id, output: "a" }];
    send({ tools, previous_response_id: "r1", input: output("c1") }, "r2", [called("c2")]);
    const text = [{ type: "output_text", text: "Done." }];
    send({ tools, previous_response_id: "r2", input: output("c2") }, "r3", [
      { type: "message", role: "assistant", content: text },
    ]);
    expect(timeline.listEvents().flatMap(tell)).toEqual([
      "user Fix it",
      "calls c1 ls",
      "ok c1 a",
      "calls c2 ls",
      "ok c2 a",
      "says Done.",
    ]);
  });
});

describe("several conversations", () => {
  it("are told apart: sub-agents by the call that waits for them, side calls by having no tools", () => {
    const talk = new Talk();
    talk.ask([user("Make a title for: Fix it")], answer("Fixing"), {}, { tools: undefined });
    talk.ask([user("Fix it")], answer("", ["t1", "task: look"]));
    const endOne = talk.open([user("Look in a")]);
    const endTwo = talk.open([user("Look in a")]);
    endOne(answer("One looks", ["s1", "ls"]));
    endTwo(answer("Two looks", ["s2", "pwd"]));
    talk.ask([user("Look in a"), answer("Two looks", ["s2", "pwd"]), result("s2", "/w")], answer("Two found it."));
    talk.ask([user("Look in a"), answer("One looks", ["s1", "ls"]), result("s1", "a")], answer("One found it."));
    talk.ask([user("Fix it"), answer("", ["t1", "task: look"]), result("t1", "found")], answer("Done."));
    const events = talk.timeline.listEvents();
    expect(talk.told.filter((line) => line !== "side_call" && line !== "subagent_message")).toEqual([
      "user Fix it",
      "calls t1 task: look",
      "calls s1 ls (sub-agent 3)",
      "calls s2 pwd (sub-agent 4)",
      "ok s2 /w (sub-agent 4)",
      "ok s1 a (sub-agent 3)",
      "ok t1 found",
      "says Done.",
    ]);
    expect(events.filter(({ type }) => type === "turn_start")).toHaveLength(2);
    expect(events.filter(({ type }) => type === "token_usage")).toHaveLength(7);
    const texts = events.flatMap((event) => (event.type === "custom" ? [event.data] : []));
    expect(texts).toContainEqual({ thread: "side 1", from: "assistant_message", text: "Fixing" });
    expect(texts).toContainEqual({ thread: "sub-agent 4", from: "assistant_message", text: "Two found it." });
  });

  it("say nothing of tools if none offers any", () => {
    const talk = new Talk();
    talk.ask([user("Fix it")], answer("```sh\nls\n```"), {}, { tools: undefined });
    expect(talk.timeline).toMatchObject({ showsTools: false, hasAnswers: true });
    expect(talk.told).toEqual(["user Fix it", "says ```sh\nls\n```"]);
  });

  it("do not say that all tools are seen after an answer that could not be read", () => {
    const talk = new Talk();
    const path = "/chat/completions";
    const call = talk.timeline.startCall({
      dialect: "chat",
      kind: "answer",
      path,
      json: { tools: TOOLS, messages: [user("Fix it")] },
    });
    call.markUnreadable();
    call.markUnreadable();
    call.end(RECORD);
    expect(talk.timeline).toMatchObject({ showsTools: false, unreadable: 1 });
  });
});

it("stays fast and small in a long conversation", () => {
  const talk = new Talk();
  const history: Message[] = [user("Fix it")];
  for (let turn = 0; turn < 300; turn++) {
    const next = answer(`Turn ${turn}`, [`c${turn}`, "npm test"]);
    talk.ask(history, next);
    history.push(next, result(`c${turn}`, `${turn} ${"x".repeat(2000)}`));
  }
  const calls = talk.timeline.listEvents().filter(({ type }) => type === "tool_call");
  expect(calls).toHaveLength(300);
  expect(talk.timeline.listEvents().filter(({ type }) => type === "tool_result")).toHaveLength(299);
});
