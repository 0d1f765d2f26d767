import { isEmptyTurn } from "./end-of-turn.js";

/** Reasoning marks: tag names, and the brackets of Mistral, Kimi and Seed. */
const REASONING_MARK =
  /<\/?(?:seed:)?(?:think(?:ing)?|thoughts?|reasoning)>|\[\/?THINK\]|◁\/?think▷|<\|(?:begin|end)_of_thought\|>/gi;
/** OpenAI's open models name the channel they write to. */
const CHANNEL = /<\|channel\|>\s?(\w{1,20})[^<\n]{0,80}(?:<\|constrain\|>\s?\w{1,20}\s?)?<\|message\|>/g;
/** The same after the marks were dropped: "analysis…assistantfinal…". */
const BARE_CHANNEL = "assistantfinal";

/**
 * Removes reasoning. A block that is never opened was opened by the prompt. One that is never closed hides nothing, nor
 * does a response of reasoning alone: published graders score the whole text.
 * @example
 * stripReasoning("<think>A? No.</think>B"); // "B"
 */
export function stripReasoning(response: string): string {
  const text = extractFinalChannel(response);
  const { spoken, unfinished } = splitReasoning(text);
  const own = joinParts([...spoken, unfinished.replace(REASONING_MARK, "\n")]);
  return own === "" ? text.replace(REASONING_MARK, "\n") : own;
}

/**
 * Like `stripReasoning`, for code that is run and tools that are called, which must not come from a draft: unclosed
 * reasoning, and a response of reasoning alone, are removed.
 * @example
 * stripAllReasoning("<think>rm()"); // ""
 */
export function stripAllReasoning(response: string): string {
  return joinParts(splitReasoning(extractFinalChannel(response)).spoken);
}

function extractFinalChannel(text: string): string {
  const bare = text.startsWith("analysis") ? text.lastIndexOf(BARE_CHANNEL) : -1;
  if (bare !== -1) return text.slice(bare + BARE_CHANNEL.length);
  let rest = text;
  for (const { 0: mark, 1: channel, index } of text.matchAll(CHANNEL)) {
    const isFinal = channel === "final";
    const isFirst = rest === text && text.slice(0, index).replace("<|start|>assistant", "").trim() === "";
    if (isFinal || isFirst) rest = text.slice(index + mark.length);
  }
  return isEmptyTurn(rest) ? text : rest;
}

/** The text outside of all blocks, and a block without an end. */
function splitReasoning(text: string): { spoken: string[]; unfinished: string } {
  let spoken: string[] = [];
  let from = 0;
  let isOpen = false;
  for (const { 0: mark, index } of text.matchAll(REASONING_MARK)) {
    if (isClosingMark(mark)) {
      if (!isOpen) spoken = [];
      from = index + mark.length;
      isOpen = false;
    } else if (!isOpen) {
      spoken.push(text.slice(from, index));
      from = index;
      isOpen = true;
    }
  }
  const rest = text.slice(from);
  return isOpen ? { spoken, unfinished: rest } : { spoken: [...spoken, rest], unfinished: "" };
}

function isClosingMark(mark: string): boolean {
  return mark.includes("/") || mark.toLowerCase().includes("end_of");
}

function joinParts(parts: readonly string[]): string {
  return parts.filter((part) => !isEmptyTurn(part)).join("\n");
}
