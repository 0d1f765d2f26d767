import type { Language } from "../../exec/index.js";
import { stripAllReasoning } from "../own-answer.js";
import {
  type CodeBlock,
  findCodeBlocks,
  findDefinitions,
  findIdentifiers,
  getTextBeforeBareFence,
  listDefinedNames,
} from "./source-text.js";
import { type CodeTask, normalizeNewlines } from "./task.js";

const JAVASCRIPT_START = /^(?:(?:export|import|const|let|var|class|async|function)\b|['"]use strict|\/\/|\/\*)/;

const NAMED_DEFAULT =
  /^export[ \t]+default[ \t]+(?:(?:async[ \t]+)?function\b[ \t]*\*?[ \t]*[\w$]|class[ \t]+(?!extends\b)[\w$])/;
/** A program that exports something is never just a function body. */
const EXPORTS = /^(?:export[ \t]+default\b|(?:module\.)?exports\b)/m;

/** A whole function gets the part of the prompt before its own definition; a body continues the prompt. */
function listJavaScriptVariants(
  { code, isFenced, isWhole }: ExtractedCode,
  { prompt, entryPoint }: CodeTask,
): ProgramVariant[] {
  const programs = (text: string) =>
    isWhole || EXPORTS.test(code) ? buildWholePrograms(text, prompt, entryPoint) : buildFromBody(text, prompt);
  if (isFenced) return orderVariants(programs(convertToScript(code)), []);
  const readings = [trimToFirstCode(code, JAVASCRIPT_START), code].map(convertToScript);
  return orderVariants(readings.toReversed().flatMap(programs), readings.flatMap(programs));
}

function buildWholePrograms(text: string, prompt: string, entryPoint: string): string[] {
  const preamble = getPromptBeforeEntry(prompt, entryPoint);
  return preamble.trim() === "" ? [text] : [`${preamble}\n${text}`, text];
}

function buildFromBody(text: string, prompt: string): string[] {
  const start = prompt.endsWith("\n") ? prompt : `${prompt}\n`;
  return ["", "\n}", "\n};", "\n}}"].map((end) => start + text + end);
}

/** The part of a prompt before the function that it leaves open. */
export function getPromptBeforeEntry(prompt: string, entryPoint: string): string {
  const lines = prompt.split("\n");
  const name = entryPoint.replace(/[^\w$]/g, "").replaceAll("$", "\\$");
  const entry = new RegExp(`^(?:async[ \\t]+)?(?:function\\b[ \\t]*\\*?|class|const|let|var)[ \\t]+${name}(?![\\w$])`);
  const at = name === "" ? -1 : lines.findLastIndex((line) => entry.test(line));
  return at <= 0 ? "" : lines.slice(0, at).join("\n");
}

/** Converts a module to a script: exports become top-level definitions, imports become require(). */
export function convertToScript(code: string): string {
  return joinImports(code).split("\n").map(convertLine).join("\n");
}

/** Joins a multi-line import or export on its first line. The other lines stay empty to keep line numbers. */
function joinImports(code: string): string {
  return code.replace(
    /^(?:import|export)\b[^'"\n{]{0,200}\{[^'"{}]{0,2000}\}[^'"\n]{0,50}(?:['"][^'"\n]{1,200}['"])?;?/gm,
    (text) => {
      const lines = text.split("\n").map((line) => line.trim());
      return lines.length === 1 ? text : lines.join(" ").replace(/,\s*\}/, " }") + "\n".repeat(lines.length - 1);
    },
  );
}

function convertLine(line: string): string {
  if (/^export[ \t]*(?:\{|\*)/.test(line)) return convertRenamedExport(line);
  if (/^export[ \t]+default\b/.test(line) && !NAMED_DEFAULT.test(line)) {
    return line.replace(/^export[ \t]+default\b/, "module.exports =");
  }
  if (line.startsWith("export ")) return line.replace(/^export[ \t]+(?:default[ \t]+)?/, "");
  return line.startsWith("import") ? convertImport(line) : line;
}

/** Keeps only names that are exported under another name. */
function convertRenamedExport(line: string): string {
  const names = /^export[ \t]*\{([^}]*)\}/.exec(line)?.[1]?.split(",") ?? [];
  const pairs = names.map((name) => /^\s*([\w$]+)\s+as\s+([\w$]+)\s*$/.exec(name)).filter((pair) => pair !== null);
  return pairs.map(([, own, given]) => `module.exports.${given} = ${own};`).join(" ");
}

function convertImport(line: string): string {
  const [, names = "", module] =
    /^import[ \t]{1,9}([^'"]{1,400}?)[ \t]{1,9}from[ \t]{0,9}['"]([\w:/.@-]+)['"]/.exec(line) ?? [];
  if (module === undefined) return line;
  const target = names.replace(/^\*[ \t]+as[ \t]+/, "").replace(/([\w$]+)[ \t]+as[ \t]+([\w$]+)/g, "$1: $2");
  const [first = "", ...rest] = target.split(/,[ \t]*(?=\{)/);
  return [first, ...rest].map((part) => `const ${part.trim()} = require("${module}");`).join(" ");
}

/** One way to read a response as a program. */
export interface ProgramVariant {
  text: string;
  /** Whether text after the last line of code may be dropped: a response without fences ends in prose. */
  mayCut: boolean;
}

/** The code of a response, before it is combined with the prompt. */
interface ExtractedCode {
  code: string;
  isFenced: boolean;
  /** True if it holds the whole function and not only its body. */
  isWhole: boolean;
}

/** Lists the programs a response may mean, best first; the first that parses is run. Empty if there is no code. */
export function listVariants(response: string, task: CodeTask): ProgramVariant[] {
  const text = cleanResponse(stripAllReasoning(normalizeNewlines(response)));
  const { language, entryPoint, tests } = task;
  const wanted: CodeRequirements = { language, entryPoint, words: findIdentifiers(tests) };
  const fenced = extractFencedCode(text, wanted);
  const code = fenced ?? text;
  if (code.trim() === "") return [];
  const isWhole = task.prompt === "" || listDefinedNames(code, language).has(entryPoint);
  const answer = { code, isFenced: fenced !== null, isWhole };
  return language === "python" ? listPythonVariants(answer, task) : listJavaScriptVariants(answer, task);
}

/** The text from its first line that looks like code; all of it if none does. */
function trimToFirstCode(text: string, begins: RegExp): string {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => begins.test(line));
  return first <= 0 ? text : lines.slice(first).join("\n");
}

/** Whole texts come first: one that is cut too early may still parse as a program. */
function orderVariants(texts: readonly string[], cuttable: readonly string[]): ProgramVariant[] {
  const whole = [...new Set(texts)].map((text) => ({ text, mayCut: false }));
  return [...whole, ...[...new Set(cuttable)].map((text) => ({ text, mayCut: true }))];
}

/** Removes a byte-order mark, no-break spaces in indents, and MBPP's markers. */
function cleanResponse(response: string): string {
  const text = response.replace(/^\uFEFF/, "").replace(/^[ \t\u00A0]+/gm, (indent) => indent.replaceAll("\u00A0", " "));
  return extractBetweenMarkers(text);
}

/** MBPP's own prompt asks for code between [BEGIN] and [DONE]; the first marker is often the prompt's. */
function extractBetweenMarkers(text: string): string {
  const begin = /^[ \t]{0,20}\[BEGIN\][ \t]{0,20}$/m.exec(text);
  const rest = begin === null ? text : text.slice(begin.index + begin[0].length);
  const done = /^[ \t]{0,20}\[DONE\]|\[DONE\][ \t]{0,20}$/m.exec(rest);
  return done === null ? rest : rest.slice(0, done.index);
}

const PYTHON_START =
  /^(?:from[ \t]+[\w.]+[ \t]+import\b|import[ \t]+\w|def[ \t]+\w|async[ \t]+def\b|class[ \t]+\w+[ \t]*[(:]|@\w)/;
const INDENT = "    ";

/** A whole function replaces the prompt's and may use its imports and helpers; a body continues the prompt. */
function listPythonVariants(answer: ExtractedCode, { prompt, entryPoint }: CodeTask): ProgramVariant[] {
  const { isFenced, isWhole } = answer;
  const code = isWhole ? addTypingImports(answer.code) : answer.code;
  if (!isWhole) {
    const texts = listBodyIndents(code).map((body) => appendToPrompt(prompt, body));
    return orderVariants(texts, isFenced ? [] : texts);
  }
  const withPrompt = (text: string) => (prompt === "" ? [text] : [`${prompt}\n\n${text}`, text]);
  if (isFenced) return orderVariants(withPrompt(code), []);
  // Start with the function itself: a cut before it would leave only the prompt.
  const readings = [trimToFirstCode(code, createEntryPattern(entryPoint)), trimToFirstCode(code, PYTHON_START), code];
  return orderVariants(readings.toReversed().flatMap(withPrompt), readings.flatMap(withPrompt));
}

function createEntryPattern(entryPoint: string): RegExp {
  return new RegExp(`^(?:async[ \\t]+)?(?:def|class)[ \\t]+${entryPoint.replace(/\W/g, "") || "\\w"}\\b`);
}

/** How a body may have been indented, most likely first. */
function listBodyIndents(code: string): string[] {
  const first = code.split("\n").find((line) => line.trim() !== "") ?? "";
  const whole = indentCode(code);
  if (/^[ \t]/.test(first)) return [code, indentCode(dedentCode(expandTabs(code))), trimToFirstIndented(code)];
  // A trimmed answer has lost only the indent of its first line.
  return [INDENT + code.trimStart(), whole, indentCode(expandTabs(code)), trimToFirstIndented(code), code];
}

function appendToPrompt(prompt: string, body: string): string {
  return prompt.endsWith("\n") || body.startsWith("\n") ? prompt + body : `${prompt}\n${body}`;
}

function indentCode(code: string): string {
  return mapLines(code, (line) => (line.trim() === "" ? line : INDENT + line));
}

function expandTabs(code: string): string {
  return mapLines(code, (line) => line.replace(/^[ \t]+/, (space) => space.replaceAll("\t", INDENT)));
}

function dedentCode(code: string): string {
  const filled = code.split("\n").filter((line) => line.trim() !== "");
  const least = filled.reduce((least, line) => Math.min(least, line.length - line.trimStart().length), 1000);
  return mapLines(code, (line) => line.slice(Math.min(least, line.length - line.trimStart().length)));
}

function trimToFirstIndented(code: string): string {
  return trimToFirstCode(code, /^[ \t]+\S/);
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

/** Adds the imports that sites which ask for a `class Solution` provide. */
function addTypingImports(code: string): string {
  if (!/^class[ \t]+Solution\b/m.test(code)) return code;
  const known = new Set(findDefinitions(code, "python").map(({ name }) => name));
  const words = findIdentifiers(code);
  const missing = known.has("*") ? [] : TYPING.filter((name) => words.has(name) && !known.has(name));
  if (missing.length === 0) return code;
  const added = `from typing import ${missing.join(", ")}\n`;
  // `from __future__` imports must come first.
  const [future = ""] = /^(?:from[ \t]+__future__[^\n]*\n)+/.exec(code) ?? [];
  return future + added + code.slice(future.length);
}

const INLINE_FENCE = /`{3,}/g;
/** Far more than any answer has; keeps the search fast on hostile text. */
const MAX_INLINE_BLOCKS = 200;

/** Finds code between fences on one line; `labels` are language names that are not part of the code. */
export function findOneLineBlocks(text: string, labels: ReadonlySet<string>): CodeBlock[] {
  const lines = text.split("\n").filter((line) => line.includes("```"));
  return lines.flatMap((line) => findBlocksOnLine(line, labels)).slice(0, MAX_INLINE_BLOCKS);
}

function findBlocksOnLine(line: string, labels: ReadonlySet<string>): CodeBlock[] {
  const fences = [...line.matchAll(INLINE_FENCE)];
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

/** Finds code between `<code>` and `</code>`; an unclosed tag runs to the end. */
export function findTaggedBlocks(text: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  for (const open of text.matchAll(TAG)) {
    if (blocks.length === MAX_INLINE_BLOCKS) break;
    const from = open.index + open[0].length;
    const end = text.indexOf("</code>", from);
    const inside = end === -1 ? text.slice(from) : text.slice(from, end);
    blocks.push({ info: LANGUAGE.exec(open[0])?.[1]?.toLowerCase() ?? "", code: unescapeHtml(inside) });
    if (end === -1) break;
  }
  return blocks;
}

function unescapeHtml(html: string): string {
  const text = html.replace(/&(lt|gt|amp|quot|apos|#39);/g, (entity, name: string) => ENTITIES[name] ?? entity);
  return text.replace(/^\n/, "").trimEnd();
}

const LABELS: Record<Language, ReadonlySet<string>> = {
  python: new Set(["", "python", "py", "python3", "py3", "ipython", "python-repl", "sage"]),
  javascript: new Set(["", "javascript", "js", "node", "nodejs", "mjs", "cjs", "jsx", "es6", "typescript", "ts"]),
};

/** Far more than any answer has; keeps the search fast on hostile text. */
const MAX_BLOCKS = 20;

/** What the tests need from a response. */
interface CodeRequirements {
  language: Language;
  /** The requested function; empty if unknown. */
  entryPoint: string;
  /** All words of the tests: some are names that the response must define. */
  words: ReadonlySet<string>;
}

/** The code in fenced blocks or otherwise marked code; null if there is none. */
function extractFencedCode(text: string, wanted: CodeRequirements): string | null {
  const before = getTextBeforeBareFence(text);
  if (before !== null && isCodeText(before, wanted)) return before;
  const blocks = findCodeBlocks(text);
  return selectCode(blocks.length > 0 ? blocks : findInlineCode(text, wanted), wanted);
}

/** Code in tags, in one-line fences, or in a session transcript; empty if the text itself is code. */
function findInlineCode(text: string, wanted: CodeRequirements): CodeBlock[] {
  const { language, entryPoint } = wanted;
  if (entryPoint !== "" && listDefinedNames(text, language).has(entryPoint)) return [];
  const tagged = findTaggedBlocks(text);
  const found = tagged.length > 0 ? tagged : findOneLineBlocks(text, LABELS[language]);
  if (found.length > 0) return found.some(({ code }) => isMoreThanName(code)) ? found : [];
  const typed = language === "python" ? extractTypedCode(text) : text;
  return typed === text ? [] : [{ info: "", code: typed }];
}

/** Prose also puts plain names in code marks. */
function isMoreThanName(code: string): boolean {
  return /[\s(=]/.test(code.trim()) && !/^[\w.]+\(\)$/.test(code.trim());
}

function selectCode(given: readonly CodeBlock[], wanted: CodeRequirements): string | null {
  const blocks = wanted.language === "python" ? given.map(stripSessionPrompts) : given;
  const filled = blocks.filter(({ code }) => code.trim() !== "");
  const labelled = filled.filter(({ info }) => LABELS[wanted.language].has(info));
  const usable = labelled.length > 0 ? labelled : filled;
  if (usable.length > 0) return assembleBlocks(usable, wanted);
  return blocks.length > 0 ? "" : null;
}

function stripSessionPrompts({ info, code }: CodeBlock): CodeBlock {
  return { info, code: extractTypedCode(code) };
}

/** A whole function, or a body recognized by its indent. */
function isCodeText(text: string, { language, entryPoint }: CodeRequirements): boolean {
  return listDefinedNames(text, language).has(entryPoint) || /^(?:[ \t]*\n)*[ \t]+\S/.test(text);
}

/** The last block that defines what is needed, plus the blocks that define what it uses. */
function assembleBlocks(blocks: readonly CodeBlock[], wanted: CodeRequirements): string {
  const chosen = new Set([findMainBlock(blocks, wanted)]);
  while (chosen.size < MAX_BLOCKS) {
    const added = findNextNeeded(blocks, chosen, wanted);
    if (added === null) break;
    chosen.add(added);
  }
  return blocks
    .filter((block) => chosen.has(block))
    .map(({ code }) => code)
    .join("\n\n");
}

function findMainBlock(blocks: readonly CodeBlock[], { language, entryPoint, words }: CodeRequirements): CodeBlock {
  const defining = blocks.map((block) => ({ block, names: listDefinedNames(block.code, language) }));
  const having = defining.filter(({ names }) => names.has(entryPoint));
  // Prefer the function over a later outline of it.
  const asked = having.findLast(({ block }) => !isStub(block.code, entryPoint)) ?? having.at(-1);
  const mentioned = defining.findLast(({ names }) => [...names].some((name) => words.has(name)));
  const found = asked ?? (entryPoint === "" ? mentioned : undefined) ?? defining.at(-1);
  return found?.block ?? { info: "", code: "" };
}

/** Later blocks correct earlier ones, so the last definition of a missing name counts. */
function findNextNeeded(
  blocks: readonly CodeBlock[],
  chosen: ReadonlySet<CodeBlock>,
  { language, words, entryPoint }: CodeRequirements,
): CodeBlock | null {
  const code = [...chosen].map((block) => block.code).join("\n");
  const known = new Set(findDefinitions(code, language).map(({ name }) => name));
  const used = findIdentifiers(code);
  const isNeeded = (name: string) =>
    name !== entryPoint && !known.has(name) && (used.has(name) || (entryPoint === "" && words.has(name)));
  const needed = (block: CodeBlock) => {
    const found = findDefinitions(block.code, language);
    if (found.some(({ name, isLasting }) => isLasting && isNeeded(name))) return true;
    if (language !== "python" || found.length === 0) return false;
    const mayHelp = found.every(({ isImported }) => isImported) || found.some(({ name }) => isNeeded(name));
    return mayHelp && isOnlyDefinitions(block.code);
  };
  return blocks.findLast((block) => !chosen.has(block) && needed(block)) ?? null;
}

const STATEMENT = /^(?:@|async[ \t]+def\b|def\b|class\b|import\b|from\b|#|[)\]}]|"""|''')/;
/** Values that a program sets up; a call of anything else most likely shows how it is used. */
const PLAIN_VALUE =
  /^\w+[ \t]*(?::[^=]*)?=[ \t]*(?:[[{("'\d-]|None\b|True\b|False\b|lambda\b|(?:dict|set|list|deque|Counter|defaultdict|OrderedDict)\()/;
const EMPTY_LINE = /^(?:\.\.\.|pass|raise[ \t]+NotImplementedError\b.*|#.*)?$/;

/** Whether Python code only imports and defines, without usage examples. */
function isOnlyDefinitions(code: string): boolean {
  const tops = code.split("\n").filter((line) => line.trim() !== "" && !/^\s/.test(line));
  return tops.every((line) => STATEMENT.test(line) || PLAIN_VALUE.test(line));
}

/** Whether a Python function has no implementation: its body is dots, `pass` or a comment. */
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

const SESSION_PROMPT = /^>>>(?: |$)/m;
const SESSION_CONTINUATION = /^\.\.\.(?: |$)/;
/** Statements that belong to a program. Anything else in a session only shows results. */
const LASTING_STATEMENT =
  /^(?:@|(?:async[ \t]+)?(?:def|for|with)\b|class\b|import\b|from\b|if\b|while\b|try\b|[A-Za-z_]\w*[ \t]*(?::[^=]*)?=(?!=))/;

/**
 * Extracts the program from the transcript of a Python session: without prompts, output and trial calls.
 * Returns other code unchanged.
 * @example
 * extractTypedCode(">>> def f(x):\n...     return x + 1\n>>> f(1)\n2"); // "def f(x):\n    return x + 1"
 */
export function extractTypedCode(code: string): string {
  if (!SESSION_PROMPT.test(code)) return code;
  const chunks = splitStatements(code.split("\n")).filter(([first = ""]) => LASTING_STATEMENT.test(first));
  const isProgram = chunks.some(([first = ""]) => /^(?:@|(?:async[ \t]+)?def\b|class\b)/.test(first));
  return isProgram ? chunks.map((lines) => lines.join("\n").trimEnd()).join("\n") : code;
}

/** Lines in between are output of the session. */
function splitStatements(lines: readonly string[]): string[][] {
  const chunks: string[][] = [];
  let open: string[] | null = null;
  for (const line of lines) {
    if (/^>>>(?: |$)/.test(line)) {
      open = [line.slice(4)];
      chunks.push(open);
    } else if (open !== null && SESSION_CONTINUATION.test(line)) open.push(line.slice(4));
    else open = null;
  }
  return chunks;
}
