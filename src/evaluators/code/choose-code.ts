import type { Language } from "../../exec/sandbox/interpreters.js";
import { isStub, onlyDefines } from "./blocks.js";
import { definedNames, definitions, wordsOf } from "./definitions.js";
import { beforeBareFence, type CodeBlock, codeBlocks } from "./fences.js";
import { oneLineBlocks, taggedBlocks } from "./inline-code.js";
import { typedIn } from "./sessions.js";

const LABELS: Record<Language, ReadonlySet<string>> = {
  python: new Set(["", "python", "py", "python3", "py3", "ipython", "python-repl", "sage"]),
  javascript: new Set(["", "javascript", "js", "node", "nodejs", "mjs", "cjs", "jsx", "es6", "typescript", "ts"]),
};

/** No answer is spread over more; a text made of fences would take for ever. */
const MOST_BLOCKS = 20;

/** What the tests need of a response. */
export interface Wanted {
  language: Language;
  /** The function that is asked for; empty when nothing says which it is. */
  entryPoint: string;
  /** Every word of the tests: some of them are names that the response must define. */
  words: ReadonlySet<string>;
}

/** The code in the fenced blocks of a response, or in what else sets code apart; null when it has none. */
export function fencedCode(text: string, wanted: Wanted): string | null {
  const before = beforeBareFence(text);
  if (before !== null && isCode(before, wanted)) return before;
  const blocks = codeBlocks(text);
  return chosenFrom(blocks.length > 0 ? blocks : setApart(text, wanted), wanted);
}

/** Code in tags, between fences on one line, or typed into a session; none where the text is code by itself. */
function setApart(text: string, wanted: Wanted): CodeBlock[] {
  const { language, entryPoint } = wanted;
  if (entryPoint !== "" && definedNames(text, language).has(entryPoint)) return [];
  const tagged = taggedBlocks(text);
  const found = tagged.length > 0 ? tagged : oneLineBlocks(text, LABELS[language]);
  if (found.length > 0) return found.some(({ code }) => isMoreThanName(code)) ? found : [];
  const typed = language === "python" ? typedIn(text) : text;
  return typed === text ? [] : [{ info: "", code: typed }];
}

/** Prose sets names apart as it does code. */
function isMoreThanName(code: string): boolean {
  return /[\s(=]/.test(code.trim()) && !/^[\w.]+\(\)$/.test(code.trim());
}

function chosenFrom(given: readonly CodeBlock[], wanted: Wanted): string | null {
  const blocks = wanted.language === "python" ? given.map(withoutPrompts) : given;
  const filled = blocks.filter(({ code }) => code.trim() !== "");
  const labelled = filled.filter(({ info }) => LABELS[wanted.language].has(info));
  const usable = labelled.length > 0 ? labelled : filled;
  if (usable.length > 0) return assembled(usable, wanted);
  return blocks.length > 0 ? "" : null;
}

function withoutPrompts({ info, code }: CodeBlock): CodeBlock {
  return { info, code: typedIn(code) };
}

/** A whole function, or a body by its indent. */
function isCode(text: string, { language, entryPoint }: Wanted): boolean {
  return definedNames(text, language).has(entryPoint) || /^(?:[ \t]*\n)*[ \t]+\S/.test(text);
}

/** The last block that defines what is wanted, with those that define what it uses. */
function assembled(blocks: readonly CodeBlock[], wanted: Wanted): string {
  const chosen = new Set([mainBlock(blocks, wanted)]);
  while (chosen.size < MOST_BLOCKS) {
    const added = nextNeeded(blocks, chosen, wanted);
    if (added === null) break;
    chosen.add(added);
  }
  return blocks
    .filter((block) => chosen.has(block))
    .map(({ code }) => code)
    .join("\n\n");
}

function mainBlock(blocks: readonly CodeBlock[], { language, entryPoint, words }: Wanted): CodeBlock {
  const defining = blocks.map((block) => ({ block, names: definedNames(block.code, language) }));
  const having = defining.filter(({ names }) => names.has(entryPoint));
  // An outline of the function after the function itself is no better answer.
  const asked = having.findLast(({ block }) => !isStub(block.code, entryPoint)) ?? having.at(-1);
  const mentioned = defining.findLast(({ names }) => [...names].some((name) => words.has(name)));
  const found = asked ?? (entryPoint === "" ? mentioned : undefined) ?? defining.at(-1);
  return found?.block ?? { info: "", code: "" };
}

/** Later blocks correct earlier ones, so that the last definition of a missing name is taken. */
function nextNeeded(
  blocks: readonly CodeBlock[],
  chosen: ReadonlySet<CodeBlock>,
  { language, words, entryPoint }: Wanted,
): CodeBlock | null {
  const code = [...chosen].map((block) => block.code).join("\n");
  const known = new Set(definitions(code, language).map(({ name }) => name));
  const used = wordsOf(code);
  const isNeeded = (name: string) =>
    name !== entryPoint && !known.has(name) && (used.has(name) || (entryPoint === "" && words.has(name)));
  const needed = (block: CodeBlock) => {
    const found = definitions(block.code, language);
    if (found.some(({ name, isLasting }) => isLasting && isNeeded(name))) return true;
    if (language !== "python" || found.length === 0) return false;
    const mayHelp = found.every(({ isImported }) => isImported) || found.some(({ name }) => isNeeded(name));
    return mayHelp && onlyDefines(block.code);
  };
  return blocks.findLast((block) => !chosen.has(block) && needed(block)) ?? null;
}
