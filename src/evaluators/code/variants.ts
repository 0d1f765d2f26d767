import type { Language } from "../../exec/sandbox/interpreters.js";
import { spokenPart } from "../own-answer/reasoning.js";
import { definedNames, definitions, wordsOf } from "./definitions.js";
import { beforeBareFence, type CodeBlock, codeBlocks } from "./fences.js";
import { javascriptVariants } from "./javascript-variants.js";
import { type CodeTask, newlines } from "./task.js";

/** One way to read a response as a program. */
export interface Variant {
  text: string;
  /** What stands after the last line that is code may be dropped: a response without fences ends in prose. */
  mayCut: boolean;
}

/** The code of a response, before it is put together with the prompt. */
export interface Answer {
  code: string;
  isFenced: boolean;
  /** True when it holds the whole function and not only its body. */
  isWhole: boolean;
}

/**
 * The programs a response may mean, best first: the first that is a program at all is the one that is run. None when
 * there is no code in it.
 */
export function variantsOf(response: string, task: CodeTask): Variant[] {
  const text = cleaned(spokenPart(newlines(response)));
  const { language, entryPoint, tests } = task;
  const wanted: Wanted = { language, entryPoint, words: wordsOf(tests) };
  const fenced = fencedCode(text, wanted);
  const code = fenced ?? text;
  if (code.trim() === "") return [];
  const isWhole = task.prompt === "" || definedNames(code, language).has(entryPoint);
  const answer = { code, isFenced: fenced !== null, isWhole };
  return language === "python" ? pythonVariants(answer, task) : javascriptVariants(answer, task);
}

/** The text from its first line that begins like code; all of it when none does. */
export function fromFirstCode(text: string, begins: RegExp): string {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => begins.test(line));
  return first <= 0 ? text : lines.slice(first).join("\n");
}

/** Each text once as it is, and then those that may be cut: what is cut too early still reads as a program. */
export function uncutFirst(texts: readonly string[], cuttable: readonly string[]): Variant[] {
  const whole = [...new Set(texts)].map((text) => ({ text, mayCut: false }));
  return [...whole, ...[...new Set(cuttable)].map((text) => ({ text, mayCut: true }))];
}

/** A response without what is no part of its text: a byte-order mark, no-break spaces as indents, MBPP's markers. */
function cleaned(response: string): string {
  const text = response.replace(/^\uFEFF/, "").replace(/^[ \t\u00A0]+/gm, (indent) => indent.replaceAll("\u00A0", " "));
  return betweenMarkers(text);
}

/** MBPP's own prompt asks for code between [BEGIN] and [DONE]; the first marker is often the prompt's. */
function betweenMarkers(text: string): string {
  const begin = /^[ \t]{0,20}\[BEGIN\][ \t]{0,20}$/m.exec(text);
  const rest = begin === null ? text : text.slice(begin.index + begin[0].length);
  const done = /^[ \t]{0,20}\[DONE\]|\[DONE\][ \t]{0,20}$/m.exec(rest);
  return done === null ? rest : rest.slice(0, done.index);
}

const BEGINS =
  /^(?:from[ \t]+[\w.]+[ \t]+import\b|import[ \t]+\w|def[ \t]+\w|async[ \t]+def\b|class[ \t]+\w+[ \t]*[(:]|@\w)/;
const INDENT = "    ";

/** A whole function replaces the prompt's, whose imports and helpers it may use; a body goes on from the prompt. */
function pythonVariants(answer: Answer, { prompt, entryPoint }: CodeTask): Variant[] {
  const { isFenced, isWhole } = answer;
  const code = isWhole ? withTyping(answer.code) : answer.code;
  if (!isWhole) {
    const texts = bodies(code).map((body) => afterPrompt(prompt, body));
    return uncutFirst(texts, isFenced ? [] : texts);
  }
  const withPrompt = (text: string) => (prompt === "" ? [text] : [`${prompt}\n\n${text}`, text]);
  if (isFenced) return uncutFirst(withPrompt(code), []);
  // The reading that begins with the function itself comes first: a cut before it would leave the prompt alone.
  const readings = [fromFirstCode(code, entryLine(entryPoint)), fromFirstCode(code, BEGINS), code];
  return uncutFirst(readings.toReversed().flatMap(withPrompt), readings.flatMap(withPrompt));
}

function entryLine(entryPoint: string): RegExp {
  return new RegExp(`^(?:async[ \\t]+)?(?:def|class)[ \\t]+${entryPoint.replace(/\W/g, "") || "\\w"}\\b`);
}

/** How a body may have been indented, most likely first. */
function bodies(code: string): string[] {
  const first = code.split("\n").find((line) => line.trim() !== "") ?? "";
  const whole = indented(code);
  if (/^[ \t]/.test(first)) return [code, indented(dedented(withSpaces(code))), fromIndented(code)];
  // An answer that was trimmed has lost the indent of its first line only.
  return [INDENT + code.trimStart(), whole, indented(withSpaces(code)), fromIndented(code), code];
}

function afterPrompt(prompt: string, body: string): string {
  return prompt.endsWith("\n") || body.startsWith("\n") ? prompt + body : `${prompt}\n${body}`;
}

function indented(code: string): string {
  return mapLines(code, (line) => (line.trim() === "" ? line : INDENT + line));
}

function withSpaces(code: string): string {
  return mapLines(code, (line) => line.replace(/^[ \t]+/, (space) => space.replaceAll("\t", INDENT)));
}

function dedented(code: string): string {
  const filled = code.split("\n").filter((line) => line.trim() !== "");
  const least = filled.reduce((least, line) => Math.min(least, line.length - line.trimStart().length), 1000);
  return mapLines(code, (line) => line.slice(Math.min(least, line.length - line.trimStart().length)));
}

/** Without the prose before a body. */
function fromIndented(code: string): string {
  return fromFirstCode(code, /^[ \t]+\S/);
}

function mapLines(code: string, change: (line: string) => string): string {
  return code.split("\n").map(change).join("\n");
}

const TYPING = [
  "Any",
  "Callable",
  "Deque",
  "DefaultDict",
  "Dict",
  "FrozenSet",
  "Generator",
  "Iterable",
  "Iterator",
].concat(["List", "Mapping", "Optional", "Sequence", "Set", "Tuple", "Type", "Union"]);

/** Adds the imports that sites which ask for a `class Solution` give every program. */
function withTyping(code: string): string {
  if (!/^class[ \t]+Solution\b/m.test(code)) return code;
  const known = new Set(definitions(code, "python").map(({ name }) => name));
  const words = wordsOf(code);
  const missing = known.has("*") ? [] : TYPING.filter((name) => words.has(name) && !known.has(name));
  if (missing.length === 0) return code;
  const added = `from typing import ${missing.join(", ")}\n`;
  // Imports of the future stand before all others.
  const [future = ""] = /^(?:from[ \t]+__future__[^\n]*\n)+/.exec(code) ?? [];
  return future + added + code.slice(future.length);
}

const FENCE = /`{3,}/g;
/** Far more than an answer has; a text made of marks would take for ever. */
const MAX_INLINE_BLOCKS = 200;

/** Code between fences that open and close on one line; `labels` are words that name a language and are no code. */
export function oneLineBlocks(text: string, labels: ReadonlySet<string>): CodeBlock[] {
  const lines = text.split("\n").filter((line) => line.includes("```"));
  return lines.flatMap((line) => blocksIn(line, labels)).slice(0, MAX_INLINE_BLOCKS);
}

function blocksIn(line: string, labels: ReadonlySet<string>): CodeBlock[] {
  const fences = [...line.matchAll(FENCE)];
  const blocks: CodeBlock[] = [];
  for (let at = 0; at + 1 < fences.length; at += 2) {
    const [open, close] = [fences[at], fences[at + 1]];
    if (open === undefined || close === undefined) break;
    const inside = line.slice(open.index + open[0].length, close.index);
    const [, word = "", rest = ""] = /^(\S+)[ \t](.*)$/.exec(inside) ?? [];
    const isLabel = word !== "" && labels.has(word.toLowerCase());
    blocks.push(isLabel ? { info: word.toLowerCase(), code: rest.trim() } : { info: "", code: inside.trim() });
  }
  return blocks.filter(({ code }) => code !== "");
}

const TAG = /<code(?:\s[^<>]{0,200})?>/gi;
const LANGUAGE = /\b(?:language|lang)-([\w+#.-]{1,40})/i;
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'", apos: "'" };

/** Code between `<code>` and `</code>`; a tag that is never closed goes on to the end. */
export function taggedBlocks(text: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  for (const open of text.matchAll(TAG)) {
    if (blocks.length === MAX_INLINE_BLOCKS) break;
    const from = open.index + open[0].length;
    const end = text.indexOf("</code>", from);
    const inside = end === -1 ? text.slice(from) : text.slice(from, end);
    blocks.push({ info: LANGUAGE.exec(open[0])?.[1]?.toLowerCase() ?? "", code: unescaped(inside) });
    if (end === -1) break;
  }
  return blocks;
}

function unescaped(html: string): string {
  const text = html.replace(/&(lt|gt|amp|quot|apos|#39);/g, (entity, name: string) => ENTITIES[name] ?? entity);
  return text.replace(/^\n/, "").trimEnd();
}

const LABELS: Record<Language, ReadonlySet<string>> = {
  python: new Set(["", "python", "py", "python3", "py3", "ipython", "python-repl", "sage"]),
  javascript: new Set(["", "javascript", "js", "node", "nodejs", "mjs", "cjs", "jsx", "es6", "typescript", "ts"]),
};

/** No answer is spread over more; a text made of fences would take for ever. */
const MOST_BLOCKS = 20;

/** What the tests need of a response. */
interface Wanted {
  language: Language;
  /** The function that is asked for; empty when nothing says which it is. */
  entryPoint: string;
  /** Every word of the tests: some of them are names that the response must define. */
  words: ReadonlySet<string>;
}

/** The code in the fenced blocks of a response, or in what else sets code apart; null when it has none. */
function fencedCode(text: string, wanted: Wanted): string | null {
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

const STATEMENT = /^(?:@|async[ \t]+def\b|def\b|class\b|import\b|from\b|#|[)\]}]|"""|''')/;
/** Values that a program sets up for itself; a call of anything else most likely shows how it is used. */
const PLAIN_VALUE =
  /^\w+[ \t]*(?::[^=]*)?=[ \t]*(?:[[{("'\d-]|None\b|True\b|False\b|lambda\b|(?:dict|set|list|deque|Counter|defaultdict|OrderedDict)\()/;
const EMPTY_LINE = /^(?:\.\.\.|pass|raise[ \t]+NotImplementedError\b.*|#.*)?$/;

/** True when Python code only imports and defines: nothing of it shows how something is used. */
function onlyDefines(code: string): boolean {
  const tops = code.split("\n").filter((line) => line.trim() !== "" && !/^\s/.test(line));
  return tops.every((line) => STATEMENT.test(line) || PLAIN_VALUE.test(line));
}

/** True when a function of Python code is only announced: its body is dots, `pass` or a comment. */
function isStub(code: string, name: string): boolean {
  const lines = code.split("\n");
  const at = lines.findLastIndex((line) => line.startsWith(`def ${name}`) && !/\w/.test(line[name.length + 4] ?? ""));
  if (at === -1) return false;
  if (/:[ \t]*(?:\.\.\.|pass)[ \t]*$/.test(lines[at] ?? "")) return true;
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => /^[^\s)]/.test(line));
  const body = end === -1 ? rest : rest.slice(0, end);
  const text = body.join("\n").replace(/"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)/g, "");
  return (lines[at] ?? "").trimEnd().endsWith(":") && text.split("\n").every((line) => EMPTY_LINE.test(line.trim()));
}

const PROMPTED = /^>>>(?: |$)/m;
const CONTINUED = /^\.\.\.(?: |$)/;
/** What a program is made of. All else in a session only shows what something gives. */
const LASTING =
  /^(?:@|(?:async[ \t]+)?(?:def|for|with)\b|class\b|import\b|from\b|if\b|while\b|try\b|[A-Za-z_]\w*[ \t]*(?::[^=]*)?=(?!=))/;

/**
 * The program in the transcript of a Python session: what was typed, without the prompts, what came back and calls that
 * only try something out. Code that is no session is given back as it is.
 * @example
 * typedIn(">>> def f(x):\n...     return x + 1\n>>> f(1)\n2"); // "def f(x):\n    return x + 1"
 */
export function typedIn(code: string): string {
  if (!PROMPTED.test(code)) return code;
  const chunks = chunksOf(code.split("\n")).filter(([first = ""]) => LASTING.test(first));
  const isProgram = chunks.some(([first = ""]) => /^(?:@|(?:async[ \t]+)?def\b|class\b)/.test(first));
  return isProgram ? chunks.map((lines) => lines.join("\n").trimEnd()).join("\n") : code;
}

/** Each statement as it was typed; the lines in between are what the session answered. */
function chunksOf(lines: readonly string[]): string[][] {
  const chunks: string[][] = [];
  let open: string[] | null = null;
  for (const line of lines) {
    if (/^>>>(?: |$)/.test(line)) {
      open = [line.slice(4)];
      chunks.push(open);
    } else if (open !== null && CONTINUED.test(line)) open.push(line.slice(4));
    else open = null;
  }
  return chunks;
}
