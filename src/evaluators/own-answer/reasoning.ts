import { saysNothing } from "./end-of-turn.js";

/** The marks between which models think aloud: the names of tags, and the brackets of Mistral, Kimi and Seed. */
const MARK =
  /<\/?(?:seed:)?(?:think(?:ing)?|thoughts?|reasoning)>|\[\/?THINK\]|◁\/?think▷|<\|(?:begin|end)_of_thought\|>/gi;
/** OpenAI's open models name the channel they write in. */
const CHANNEL = /<\|channel\|>\s?(\w{1,20})[^<\n]{0,80}(?:<\|constrain\|>\s?\w{1,20}\s?)?<\|message\|>/g;
/** The same once the marks have been dropped on the way: "analysis…assistantfinal…". */
const BARE_CHANNEL = "assistantfinal";

/**
 * A response without what the model thought aloud. A block that is never opened was opened by the prompt. One that is
 * never closed hides nothing, nor do thoughts with no word besides them: published graders score the whole text.
 * @example
 * withoutReasoning("<think>A? No.</think>B"); // "B"
 */
export function withoutReasoning(response: string): string {
  const text = finalChannel(response);
  const { spoken, unfinished } = partsOf(text);
  const own = join([...spoken, unfinished.replace(MARK, "\n")]);
  return own === "" ? text.replace(MARK, "\n") : own;
}

/**
 * The same for what must not be taken from a draft, such as code that is run and tools that are called: what stands in
 * a thought that was cut off, or in nothing but thoughts, is left out.
 * @example
 * spokenPart("<think>rm()"); // ""
 */
export function spokenPart(response: string): string {
  return join(partsOf(finalChannel(response)).spoken);
}

function finalChannel(text: string): string {
  const bare = text.startsWith("analysis") ? text.lastIndexOf(BARE_CHANNEL) : -1;
  if (bare !== -1) return text.slice(bare + BARE_CHANNEL.length);
  let rest = text;
  for (const { 0: mark, 1: channel, index } of text.matchAll(CHANNEL)) {
    const isFinal = channel === "final";
    const isFirst = rest === text && text.slice(0, index).replace("<|start|>assistant", "").trim() === "";
    if (isFinal || isFirst) rest = text.slice(index + mark.length);
  }
  return saysNothing(rest) ? text : rest;
}

/** What stands outside of all blocks, and a block without an end. */
function partsOf(text: string): { spoken: string[]; unfinished: string } {
  let spoken: string[] = [];
  let from = 0;
  let isOpen = false;
  for (const { 0: mark, index } of text.matchAll(MARK)) {
    if (isClosing(mark)) {
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

function isClosing(mark: string): boolean {
  return mark.includes("/") || mark.toLowerCase().includes("end_of");
}

function join(parts: readonly string[]): string {
  return parts.filter((part) => !saysNothing(part)).join("\n");
}
