import type { KeyPath } from "../../utils/files/yaml-tree.js";
import type { Findings } from "./findings.js";
import type { Stimulus } from "./spec.js";
import type { RawStimulus } from "./spec-schema.js";

/** What is asked, and what was said before it. */
export type Asked = Pick<Stimulus, "prompt" | "turns">;

/** The prompt of a stimulus, which may be the last turn of a conversation. */
export function askedBy({ name, prompt, turns = [] }: RawStimulus, path: KeyPath, findings: Findings): Asked {
  const who = `the stimulus ${JSON.stringify(name)}`;
  if (turns.length === 0) {
    if (prompt === undefined) findings.at(path, `${who} asks nothing: give it a prompt, or turns.`);
    return { prompt: prompt ?? "", turns: [] };
  }
  if (prompt !== undefined)
    findings.atKey([...path, "turns"], `${who} has both a prompt and turns: put the prompt last among the turns.`);
  const spoken = turns.map((turn) => (typeof turn === "string" ? { role: "user", content: turn } : turn));
  const last = spoken.at(-1);
  if (last !== undefined && last.role !== "user")
    findings.at(
      [...path, "turns", turns.length - 1],
      `${who}: the last turn must be the user's, as it is what is asked.`,
    );
  return { prompt: last?.content ?? "", turns: spoken.slice(0, -1) };
}
