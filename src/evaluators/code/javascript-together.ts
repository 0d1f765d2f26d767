import { randomUUID } from "node:crypto";
import type { BoxedProcess } from "../../sandbox/boxed-process.js";
import { textArgs } from "../../sandbox/interpreter-args.js";
import { inspected } from "../../sandbox/javascript/harmless.js";
import { CALLABLE, GLOBALS, INTRINSICS, OWN, REFUSED } from "../../sandbox/javascript/names.js";
import { rewritten } from "../../sandbox/javascript/rewritten.js";
import type { Token } from "../../sandbox/javascript/tokens.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { definedNames, wordsOf } from "./definitions.js";
import { JAVASCRIPT_ALONE } from "./javascript-alone.js";
import { asScript, beforeEntry } from "./javascript-variants.js";
import { cutShort, failedStart, limitTime, type Trial, trialLimits, type Verdict, verdictIn } from "./judge.js";
import type { CodeTask } from "./task.js";

/** No text becomes code, and no object tells what it was made by. */
const FLAGS = ["--disallow-code-generation-from-strings", "--disable-proto=delete"];

/**
 * Runs a JavaScript program together with its tests, as the published graders do, when it is harmless to look at. The
 * verdict is not final when it was not run so.
 */
export function judgeTogether(sandbox: Sandbox, trial: Trial): Promise<Verdict> {
  const args = [...FLAGS, ...textArgs("javascript", JAVASCRIPT_ALONE)];
  const launch = { language: "javascript" as const, args, isQuiet: true, limits: trialLimits(trial.timeoutSecs) };
  return sandbox.use(launch, (box) => converse(box, trial), trial.signal);
}

async function converse(box: BoxedProcess, { task, variants, timeoutSecs }: Trial): Promise<Verdict> {
  if ((await box.lines.next()) === null) throw await failedStart(box);
  const release = limitTime(box, timeoutSecs);
  try {
    box.lines.send(JSON.stringify({ variants, entry: task.entryPoint }));
    const text: unknown = JSON.parse((await box.lines.next()) ?? "null");
    const job = typeof text === "string" ? jobFor(text, task) : "it is no program";
    if (typeof job === "string") return { outcome: "failed", detail: job, isFinal: false };
    const nonce = randomUUID();
    box.lines.send(JSON.stringify({ ...job, nonce }));
    const line = await box.lines.next();
    return line === null ? cutShort(await box.ended, timeoutSecs) : verdictIn(line, nonce);
  } finally {
    release();
  }
}

/** What the box is to run, or why it is not to. */
function jobFor(text: string, task: CodeTask): Record<string, unknown> | string {
  const found = inspected(text);
  if ("doubt" in found) return `not run together with its tests: ${found.doubt}`;
  const program = rewritten(found.tokens);
  if (program === null) return "not run together with its tests: a bracket that may mean two things";
  const words = [...wordsOf(task.tests)];
  if (helpersIn(task).some((name) => words.includes(name))) return "the tests use helpers of the prompt";
  const tests = asScript(task.tests);
  return {
    text: program,
    tests,
    words,
    names: namesFor(found.tokens, words, task.entryPoint),
    shadowed: [...new Set([...GLOBALS, ...REFUSED])].filter(isShadowed),
    isChecked: task.entryPoint !== "" && /\bcheck\b/.test(tests) && !/^check\s*\(/m.test(tests),
  };
}

/** The program might have put others in their place. */
function helpersIn({ prompt, entryPoint }: CodeTask): string[] {
  return [...definedNames(beforeEntry(prompt, entryPoint), "javascript")];
}

const RESERVED = new Set(
  "break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield await eval arguments undefined".split(
    " ",
  ),
);

/** What the tests may take from the program: its words, but for those that mean something already. */
export function namesFor(tokens: readonly Token[], words: readonly string[], entryPoint: string): string[] {
  const own = new Set(tokens.filter(({ kind }) => kind === "word").map(({ text }) => text));
  const isFree = (name: string) => !GLOBALS.has(name) && !CALLABLE.has(name) && !INTRINSICS.has(name);
  const asked = [...new Set([...words, entryPoint])].filter((name) => name === entryPoint || isFree(name));
  return asked.filter((name) => name !== "" && !RESERVED.has(name) && (own.has(name) || name === entryPoint));
}

/** Hidden from the program by parameters of the same name that nothing is given for. */
function isShadowed(name: string): boolean {
  const isAllowed = INTRINSICS.has(name) || CALLABLE.has(name) || OWN.has(name);
  return /^[A-Za-z_$][\w$]*$/.test(name) && !isAllowed && !RESERVED.has(name);
}
