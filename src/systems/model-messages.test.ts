import { describe, expect, it } from "vitest";
import { TrialError } from "../core/errors.js";
import { ASK, buildExampleScript } from "./model-conversation.js";

const user = (...parts: string[]) => ({ role: "user", parts });
const assistant = (...parts: string[]) => ({ role: "assistant", parts });
const turn = (role: string, content: string) => ({ role, content });

describe("buildExampleScript", () => {
  it("asks once for an example without turns", () => {
    expect(buildExampleScript({ id: 1, context: "c", question: "q" })).toEqual([user("c", "q"), ASK]);
    expect(buildExampleScript({ id: 1, context: "c", question: "c" })).toEqual([user("c"), ASK]);
    expect(buildExampleScript({ id: 1, context: "", question: "q" })).toEqual([user("q"), ASK]);
    expect(buildExampleScript({ id: 1, context: "c", turns: [] })).toEqual([user("c"), ASK]);
  });

  it("asks after each user turn without an answer", () => {
    const turns = [
      turn("system", "s"),
      turn("user", "1"),
      turn("assistant", "a"),
      turn("user", "2"),
      turn("human", "3"),
    ];
    expect(buildExampleScript({ id: 1, turns })).toEqual([
      { role: "system", parts: ["s"] },
      user("1"),
      assistant("a"),
      user("2"),
      ASK,
      user("3"),
      ASK,
    ]);
  });

  it("puts the context first and the question last, and does not repeat a question", () => {
    const turns = [turn("user", "1"), turn("model", "a")];
    expect(buildExampleScript({ id: 1, turns, context: "c", question: "q" })).toEqual([
      user("c", "1"),
      assistant("a"),
      user("q"),
      ASK,
    ]);
    expect(buildExampleScript({ id: 1, turns: [turn("user", "q")], question: "q" })).toEqual([user("q"), ASK]);
    expect(buildExampleScript({ id: 1, turns: [turn("assistant", "hi")], context: "c", question: "q" })).toEqual([
      assistant("hi"),
      user("c", "q"),
      ASK,
    ]);
  });

  it("reports an example that asks nothing", () => {
    for (const example of [{ id: "e7" }, { id: "e7", turns: [turn("user", "1"), turn("assistant", "a")] }]) {
      expect(() => buildExampleScript(example)).toThrow(TrialError);
      expect(() => buildExampleScript(example)).toThrow(/Example "e7" asks nothing/);
    }
  });
});
