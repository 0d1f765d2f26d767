import type { Example, Turn } from "../../core/example.js";
import { isConversation } from "../../core/example.js";
import type { Output } from "../../core/system.js";
import { convertToText, listGolds } from "../../evaluators/gold.js";
import type { Material } from "./fence.js";

/** The task as shown to the judge: context, then conversation or question, then choices. */
export function buildTaskMaterial(example: Example, output: Output): Material[] {
  const { context, choices } = example;
  return [
    ...makeMaterial("context", convertToText(context)),
    ...(isConversation(example.turns) && example.turns.length > 0
      ? buildConversationMaterial(example, example.turns, output)
      : makeMaterial("question", convertToText(example.question))),
    ...(Array.isArray(choices) ? choices.flatMap((choice) => makeMaterial("choice", convertToText(choice))) : []),
  ];
}

/** The gold answers, each as its own reference. */
export function listReferences(example: Example): Material[] {
  return listGolds(example).map((text) => ({ tag: "reference", text }));
}

/** The turns in order, with the system's replies in between, and the question last. */
function buildConversationMaterial(example: Example, turns: readonly Turn[], output: Output): Material[] {
  const replies = Array.isArray(output.replies) ? output.replies.map(convertToText) : [];
  const shown: Material[] = [];
  let asked = 0;
  const add = (role: string, text: string, isOpen: boolean) => {
    shown.push({ tag: toRoleTag(role), text });
    // The last reply is the answer that is judged.
    const reply = isOpen && asked + 1 < replies.length ? replies[asked] : undefined;
    if (isOpen) asked += 1;
    if (reply !== undefined) shown.push({ tag: "assistant", text: reply });
  };
  turns.forEach((turn, at) => {
    const next = turns[at + 1];
    add(
      turn.role,
      turn.content,
      toRoleTag(turn.role) === "user" && (next === undefined || toRoleTag(next.role) === "user"),
    );
  });
  const question = convertToText(example.question);
  const last = turns.at(-1);
  if (question !== "" && !(last?.role === "user" && last.content === question)) add("user", question, true);
  return shown;
}

/** Roles come from datasets and become tag names, so they are limited to known ones. */
export function toRoleTag(role: string): string {
  const known = role.toLowerCase();
  if (known === "assistant" || known === "model") return "assistant";
  return known === "system" || known === "developer" ? "system" : "user";
}

function makeMaterial(tag: string, text: string): Material[] {
  return text.trim() === "" ? [] : [{ tag, text }];
}
