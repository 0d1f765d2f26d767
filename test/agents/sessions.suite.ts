import { describe, expect, it } from "vitest";
import type { MockOptions } from "../../src/testing/mock/index.js";
import { ADAPTED_AGENTS, fillUsage, sumMockUsage, tryAgent } from "./real-agent.js";

const FIRST = "Write the file number-one.txt.";
const SECOND = "Write the file number-two.txt as well.";

const WRITE_SECOND = { command: "echo 2 > two.txt" };

/** The step is the one after as many tool results as the conversation has; Gemini CLI repeats a result when it resumes. */
const SCRIPT: MockOptions = {
  keepBodies: true,
  tools: [
    {
      match: "number-two",
      steps: [
        { text: "-" },
        WRITE_SECOND,
        WRITE_SECOND,
        { text: "The second is there." },
        { text: "The second is there." },
      ],
    },
    { match: "number-one", steps: [{ command: "echo 1 > one.txt" }, { text: "The first is there." }] },
  ],
};

const file = (path: string, after_turn?: number) => ({
  type: "file-exists",
  name: `${path} after ${after_turn ?? "all"}`,
  config: { path },
  ...(after_turn !== undefined && { after_turn }),
});

describe.each(ADAPTED_AGENTS.map(({ name, version }) => [name, version]))("real %s %s", (name) => {
  it("gets a further message in the same session and folder", async () => {
    const graders = [
      file("one.txt", 1),
      { type: "not", config: { grader: file("two.txt") }, after_turn: 1 },
      file("two.txt"),
    ];
    const example = { turns: [{ role: "user", content: FIRST }], question: SECOND, graders };
    const { row, output, calls } = await tryAgent(name, { script: SCRIPT, example });
    expect(row, JSON.stringify([row.attempts, row.notes, output.replies])).toMatchObject({
      outcome: "pass",
      errorCategory: "none",
    });
    expect(output.replies).toEqual(["The first is there.", "The second is there."]);
    expect(output.response).toBe("The second is there.");
    expect(row.metadata).toMatchObject({ userTurns: 2 });
    const messages = (output.trajectory?.events ?? []).filter(({ type }) => type === "user_message");
    expect(messages.map(({ text, turn }) => [text, turn])).toEqual([
      [FIRST, 1],
      [SECOND, 2],
    ]);
    // The second message is asked with the first one and its answer before it.
    const asked = calls.map(({ body }) => JSON.stringify(body)).filter((body) => body.includes("number-two"));
    expect(asked[0]).toContain("number-one.txt");
    expect(asked[0]).toContain("The first is there.");
    expect(fillUsage(row)).toEqual(sumMockUsage(calls));
    expect(row.notes.filter((note) => note.includes("the program reports"))).toEqual([]);
  });
});
