import { describe, expect, it } from "vitest";
import { combineFigures, listAgentMessages, numberMessages } from "./agent-session.js";

const user = (content: string) => ({ role: "user" as const, content });
const assistant = (content: string) => ({ role: "assistant" as const, content });

describe("listAgentMessages", () => {
  it("has the context, the turns that are given, and the question", () => {
    expect(listAgentMessages({ id: 1, question: "Mend it." })).toEqual(["Mend it."]);
    expect(listAgentMessages({ id: 1, context: "It is broken.", question: "Mend it." })).toEqual([
      "It is broken.\n\nMend it.",
    ]);
    const turns = [user("Look."), assistant("I see.")];
    expect(listAgentMessages({ id: 1, context: "A", turns, question: "B" })).toEqual([
      "A\n\nuser: Look.\n\nassistant: I see.\n\nB",
    ]);
  });

  it("sends each turn of the user that has no answer", () => {
    const turns = [user("a"), user("b"), assistant("c"), user("d")];
    expect(listAgentMessages({ id: 1, context: "x", turns, question: "e" })).toEqual([
      "x\n\na",
      "user: b\n\nassistant: c\n\nuser: d",
      "e",
    ]);
    expect(listAgentMessages({ id: 1, turns: [user("a"), user("b")], question: "b" })).toEqual(["a", "b"]);
  });

  it("omits the role of a single turn", () => {
    expect(listAgentMessages({ id: 1, turns: [user("Mend it.")] })).toEqual(["Mend it."]);
  });

  it("is empty for an example without content", () => {
    expect(listAgentMessages({ id: 1, context: "", turns: [] })).toEqual([""]);
  });
});

describe("numberMessages", () => {
  it("puts each message where it was sent, once", () => {
    const events = [
      { type: "user_message" as const, text: "<env>\na", timestamp: 11 },
      { type: "assistant_message" as const, text: "A", timestamp: 12 },
      { type: "assistant_message" as const, text: "B", timestamp: 20 },
    ];
    const messages = [
      { message: "a", startedAt: 10 },
      { message: "b", startedAt: 20 },
    ];
    expect(numberMessages(events, messages)).toEqual([
      { type: "user_message", text: "a", turn: 1, timestamp: 10 },
      events[1],
      { type: "user_message", text: "b", turn: 2, timestamp: 20 },
      events[2],
    ]);
  });
});

describe("combineFigures", () => {
  const told = { usage: { input: 1, output: 2 }, costUsd: 0.5, isPartial: false };

  it("adds up what all runs report", () => {
    expect(combineFigures([told, { ...told, usage: { input: 3, output: 4, cacheRead: 5 } }], false)).toEqual({
      usage: { input: 4, output: 6, cacheRead: 5 },
      costUsd: 1,
      isPartial: false,
    });
  });

  it("is incomplete if a run reports nothing", () => {
    const silent = { usage: null, costUsd: null, isPartial: false };
    const incomplete = { usage: told.usage, costUsd: null, isPartial: true };
    expect(combineFigures([told, silent], false)).toEqual(incomplete);
    expect(combineFigures([told, silent], true)).toEqual({ ...incomplete, costUsd: 0.5 });
  });

  it("is the last report if that is of the whole session", () => {
    const whole = { ...told, usage: { input: 4, output: 6 } };
    expect(combineFigures([told, whole], true)).toEqual(whole);
  });
});
