import type { CodeTask } from "./task.js";
import { type ExtractedCode, orderVariants, type ProgramVariant, trimToFirstCode } from "./variants.js";

const JAVASCRIPT_START = /^(?:(?:export|import|const|let|var|class|async|function)\b|['"]use strict|\/\/|\/\*)/;

const NAMED_DEFAULT =
  /^export[ \t]+default[ \t]+(?:(?:async[ \t]+)?function\b[ \t]*\*?[ \t]*[\w$]|class[ \t]+(?!extends\b)[\w$])/;
/** A program that exports something is never just a function body. */
const EXPORTS = /^(?:export[ \t]+default\b|(?:module\.)?exports\b)/m;

/** A whole function gets the part of the prompt before its own definition; a body continues the prompt. */
export function listJavaScriptVariants(
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
