import type { Example } from "../../core/index.js";
import { LANGUAGES, type Language } from "../../exec/index.js";
import { convertToText } from "../gold.js";
import { findCodeBlocks, findIdentifiers, listDefinedNames } from "./source-text.js";

/** What an example asks for, and how it is tested. */
export interface CodeTask {
  language: Language;
  /** The code that the response continues; may be empty. */
  prompt: string;
  /** The requested function; empty if unknown. */
  entryPoint: string;
  /** Runs before the program, so that it has the imports of the tests. */
  before: string;
  tests: string;
}

const ALIASES: Readonly<Record<string, Language>> = {
  py: "python",
  python3: "python",
  js: "javascript",
  node: "javascript",
};

/** Reads the format of HumanEval, of MBPP, or of plain tests. Returns a message if something is missing. */
export function readCodeTask(example: Example, asked?: Language): CodeTask | string {
  const language = asked ?? readLanguage(example);
  if (typeof language !== "string") return `the language is ${language.unknown}, not ${LANGUAGES.join(" or ")}`;
  const before = [joinCodeLines(example.test_imports), joinCodeLines(example.test_setup_code)]
    .filter(Boolean)
    .join("\n");
  const tests = [joinCodeLines(example.test), joinCodeLines(example.tests), joinCodeLines(example.test_list)].find(
    (text) => text.trim() !== "",
  );
  if (tests === undefined) return "the example has no test, tests or test_list";
  const named = convertToText(example.entry_point).trim() || findCalledBuiltin(tests);
  const prompts = [example.prompt, example.context, example.question].map((value) =>
    normalizeNewlines(convertToText(value)),
  );
  const { prompt, entryPoint } = findPrompt(prompts, { named, words: findIdentifiers(tests), language });
  return { language, prompt, entryPoint, before, tests: before === "" ? tests : `${before}\n${tests}` };
}

const CALL = /(?<![\w.])([A-Za-z_]\w*)\s*\(/g;
const BUILTINS = new Set(
  "abs all any bin bool chr dict divmod filter float format hash hex int len list map max min next oct ord pow range reversed round set slice sorted str sum tuple type zip".split(
    " ",
  ),
);

/** MBPP has functions named like a builtin, `sum(10, 15)`: then its tests call nothing else. */
function findCalledBuiltin(tests: string): string {
  const called = new Set(Array.from(tests.matchAll(CALL), ([, name = ""]) => name));
  const [only = ""] = called;
  return called.size === 1 && BUILTINS.has(only) ? only : "";
}

function readLanguage({ language, task_id: taskId }: Example): Language | { unknown: string } {
  // HumanEval-X names the language only in its ids.
  const said =
    convertToText(language).trim() || (/^javascript\//i.test(convertToText(taskId)) ? "javascript" : "python");
  const name = said.toLowerCase();
  return LANGUAGES.find((known) => known === name) ?? ALIASES[name] ?? { unknown: `"${said}"` };
}

function joinCodeLines(value: unknown): string {
  return normalizeNewlines(Array.isArray(value) ? value.map(convertToText).join("\n") : convertToText(value));
}

export function normalizeNewlines(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

interface EntrySearch {
  named: string;
  words: ReadonlySet<string>;
  language: Language;
}

/** The first text with code for the requested function, fenced or bare. */
function findPrompt(texts: readonly string[], sought: EntrySearch): Pick<CodeTask, "prompt" | "entryPoint"> {
  for (const text of texts) {
    const codes = [...findCodeBlocks(text).map(({ code }) => `${code}\n`), text];
    for (const prompt of codes) {
      const entryPoint = findEntryPoint(prompt, sought);
      if (entryPoint !== undefined) return { prompt, entryPoint };
    }
  }
  return { prompt: "", entryPoint: sought.named };
}

function findEntryPoint(prompt: string, { named, words, language }: EntrySearch): string | undefined {
  const names = [...listDefinedNames(prompt, language)];
  return named === "" ? names.findLast((name) => words.has(name)) : names.find((name) => name === named);
}
