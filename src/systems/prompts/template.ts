import { didYouMean, type Example, findClosestName } from "../../core/index.js";
import { PromptError } from "./prompt-error.js";

/** A text with `{{name}}` where a column of the example is inserted. `\{{` is a literal `{{`. */
export class Template {
  readonly #parts: readonly TemplatePart[];
  readonly #where: (line: number) => string;

  /** `where` formats the place of a line of the text, for messages. */
  constructor(text: string, where: (line: number) => string) {
    this.#where = where;
    this.#parts = parseTemplate(text, where);
  }

  /** The columns that it inserts. */
  get variables(): string[] {
    return this.#parts.flatMap((part) => (typeof part === "string" ? [] : [part.name]));
  }

  /** Throws a `PromptError` if the example lacks a column. */
  render(example: Example): string {
    return this.#parts.map((part) => (typeof part === "string" ? part : this.#insert(part, example))).join("");
  }

  #insert({ name, line }: Variable, example: Example): string {
    const value = readColumn(example, name);
    if (value !== undefined && value !== null) return formatColumn(value);
    throw new PromptError(`${this.#where(line)}: ${describeMissing(name, example)}`);
  }
}

interface Variable {
  readonly name: string;
  readonly line: number;
}

type TemplatePart = string | Variable;

/** An escaped opening, or an opening with everything up to its end. */
const TAG =
  /\\(\{\{|\{%)|\{\{([^{}]*)\}\}|\{\{|\{%-?\s*(if|else|elif|elseif|endif|for|endfor|set|include|extends|block|macro|raw)\b/g;

function parseTemplate(text: string, where: (line: number) => string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const { 0: tag, 1: escaped, 2: inside, 3: keyword, index } of text.matchAll(TAG)) {
    const line = countLines(text.slice(0, index));
    parts.push(text.slice(end, index));
    end = index + tag.length;
    if (escaped !== undefined) parts.push(escaped);
    else if (keyword !== undefined) throw new PromptError(`${where(line)}: ${describeLogic(keyword)}`);
    else parts.push(parseVariable(inside, line, where));
  }
  return [...parts, text.slice(end)].filter((part) => part !== "");
}

function parseVariable(inside: string | undefined, line: number, where: (line: number) => string): Variable {
  const name = inside?.trim() ?? "";
  if (inside === undefined)
    throw new PromptError(
      `${where(line)}: "{{" is never closed. Close it with "}}", or write \\{{ for the text itself.`,
    );
  if (name === "")
    throw new PromptError(`${where(line)}: {{}} names no column. Write {{question}}, or \\{{ for the text itself.`);
  return { name, line };
}

function describeLogic(keyword: string): string {
  return `{% ${keyword} %} is not supported: a prompt inserts columns and has no conditions or loops. Compute the text as a column of the data, or write \\{% for the text itself.`;
}

function countLines(before: string): number {
  return before.split("\n").length;
}

/** A column of this very name, or a path of keys with dots: `customer.name`, `items.0`. */
function readColumn(example: Example, name: string): unknown {
  if (Object.hasOwn(example, name)) return example[name];
  let value: unknown = example;
  for (const key of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function formatColumn(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Not written by users as columns of their data. */
const HIDDEN_COLUMNS = new Set(["graders", "threshold", "dataset"]);

function describeMissing(name: string, example: Example): string {
  const columns = Object.keys(example).filter(
    (column) => !HIDDEN_COLUMNS.has(column) && example[column] !== undefined && example[column] !== null,
  );
  const what = `{{${name}}} is not a column of the example ${JSON.stringify(example.id)}.`;
  const isExpression = /[|()'"[\]+]/.test(name) && findClosestName(name, columns) === undefined;
  const hint = isExpression ? " Filters and expressions are not supported." : "";
  return `${what}${hint}${didYouMean(name, columns)} Fix the name, add the column to the data (it may be empty), or write \\{{ for the text itself.`;
}
