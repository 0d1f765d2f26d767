import { expect, it } from "vitest";
import { formatAgentPrompt } from "./agent-system.js";

const user = (content: string) => ({ role: "user" as const, content });

it("has the context, the turns and the question", () => {
  expect(formatAgentPrompt({ id: 1, question: "Mend it." })).toBe("Mend it.");
  expect(formatAgentPrompt({ id: 1, context: "It is broken.", question: "Mend it." })).toBe(
    "It is broken.\n\nMend it.",
  );
  const turns = [user("Look."), { role: "assistant" as const, content: "I see." }];
  expect(formatAgentPrompt({ id: 1, context: "A", turns, question: "B" })).toBe(
    "A\n\nuser: Look.\n\nassistant: I see.\n\nB",
  );
});

it("omits the role of a single turn", () => {
  expect(formatAgentPrompt({ id: 1, turns: [user("Mend it.")] })).toBe("Mend it.");
});

it("is empty for an example without content", () => {
  expect(formatAgentPrompt({ id: 1, context: "", turns: [] })).toBe("");
});
