import { posix } from "node:path";
import type { GraderSpec } from "../../../core/index.js";
import { parseDuration } from "../../../core/index.js";
import type { KeyPath, YamlTree } from "../../../utils/index.js";
import { getConfigList, getConfigText, listWantedParts } from "./grader-config.js";
import type { EvalIssue, LintedStimulus } from "./linted-stimulus.js";
import { getDocumentList, toDocumentFields, type WrittenGrader } from "./locations.js";

/** Programs whose first argument is a file to run. */
const INTERPRETERS = new Set(["node", "python", "python3", "bash", "sh", "ruby", "perl", "tsx", "bun", "deno"]);
const SCRIPT_PATTERN = /^[\w./-]+\.(?:[cm]?[jt]s|py|sh|rb|pl)$/;

/** Finds graders that run a file which does not exist. */
export function findCommandIssues({ graders, given, asked }: LintedStimulus): EvalIssue[] {
  if (!given.isComplete) return [];
  return graders.flatMap(({ spec, title, placeOf }) =>
    listWantedParts(spec).flatMap((part): EvalIssue[] => {
      const file = findCommandFile(part);
      // A prompt that names the file asks for it.
      if (file === null || given.paths.has(file) || asked.includes(posix.basename(file))) return [];
      if (
        getConfigList(part, "files").some((placed) => posix.normalize(String(toDocumentFields(placed).dest)) === file)
      )
        return [];
      const message = `${title} runs ${file}, which is neither in the environment nor in the prompt.`;
      return [{ ...placeOf("config"), code: "EVAL-COMMAND-MISSING", message }];
    }),
  );
}

/** Returns the workspace file that a command runs; null if it runs an installed program or if that is unclear. */
function findCommandFile(spec: GraderSpec): string | null {
  if (spec.type !== "run-command") return null;
  const command = getConfigText(spec, "command") ?? "";
  const args = spec.config?.args === undefined ? null : getConfigList(spec, "args").map(String);
  // A shell line is checked only if it is one plain command.
  if (args === null && /[;&|<>$`(){}"'\\]/.test(command)) return null;
  const [program = "", ...rest] = args === null ? command.trim().split(/\s+/) : [command, ...args];
  const file = INTERPRETERS.has(program) ? findScriptArgument(rest) : program.includes("/") ? program : null;
  if (file === null || file.startsWith("/")) return null;
  const path = posix.join(getConfigText(spec, "sub_path") ?? ".", file);
  return path.startsWith("../") ? null : path;
}

function findScriptArgument(args: readonly string[]): string | null {
  const [first] = args;
  return first !== undefined && SCRIPT_PATTERN.test(first) ? first : null;
}

const MIN_TIMEOUT_MS = 5000;

export function findGraderIssues(subject: LintedStimulus): EvalIssue[] {
  const { graders, stimulus, placeOf, isWhole } = subject;
  // A rubric without a judge is reported by another rule.
  if (graders.length === 0 && isWhole && stimulus.rubric.length === 0) {
    const message = `"${stimulus.name}" has no graders.`;
    return [{ ...placeOf(), code: "EVAL-NO-GRADERS", message }];
  }
  return [...findRepeatedGraderNames(graders), ...findRepeatedChecks(graders), ...findShortWallTimes(graders)];
}

function findRepeatedGraderNames(graders: readonly WrittenGrader[]): EvalIssue[] {
  return findRepeats(graders, ({ spec }) => spec.name ?? null).map(([, { title, placeOf }]) => {
    return { ...placeOf("name"), code: "EVAL-GRADER-NAME", message: `Two graders have the name "${title}".` };
  });
}

function findRepeatedChecks(graders: readonly WrittenGrader[]): EvalIssue[] {
  const written = graders.filter(({ isWritten }) => isWritten);
  return findRepeats(written, ({ spec }) => serializeSorted([spec.type, spec.config ?? {}, spec.after_turn]))
    .filter(([first, again]) => first.title !== again.title || first.spec.name === undefined)
    .map(([first, again]) => ({
      ...again.placeOf(),
      code: "EVAL-GRADER-DUPLICATE",
      message: `${again.title} makes the same check as ${first.title === again.title ? "the one before it" : first.title}.`,
    }));
}

/** Returns each item whose key an earlier item has, with that item. */
function findRepeats<T>(items: readonly T[], keyOf: (item: T) => string | null): [first: T, again: T][] {
  const known = new Map<string, T>();
  return items.flatMap((item): [T, T][] => {
    const key = keyOf(item);
    const first = key === null ? undefined : known.get(key);
    if (first !== undefined) return [[first, item]];
    if (key !== null) known.set(key, item);
    return [];
  });
}

/** The same text for equal settings, whatever the order of their keys. */
function serializeSorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function findShortWallTimes(graders: readonly WrittenGrader[]): EvalIssue[] {
  return graders.flatMap(({ spec, placeOf }): EvalIssue[] => {
    const max = spec.type === "wall-time" ? getConfigText(spec, "max") : null;
    const ms = max === null ? null : parseDuration(max);
    if (max === null || ms === null || ms >= MIN_TIMEOUT_MS) return [];
    return [{ ...placeOf("config", "max"), code: "EVAL-TIME-SHORT", message: `No agent finishes within ${max}.` }];
  });
}

/** A timeout that ends a trial before the agent can have started. */
export function checkTimeout(timeoutMs: number | null): string | null {
  return timeoutMs === null || timeoutMs >= MIN_TIMEOUT_MS ? null : `Trials are stopped after ${timeoutMs / 1000} s.`;
}

/** Finds graders and rubrics that need a judge model where none is named. */
export function findJudgeIssues(tree: YamlTree, judgeModel: string | null): EvalIssue[] {
  if (judgeModel !== null) return [];
  const shared = getDocumentList(tree.value, "graders");
  return [
    ...findGraderJudgeIssues(shared, ["graders"], tree),
    ...getDocumentList(tree.value, "stimuli").flatMap((stimulus, index): EvalIssue[] => {
      const own = getDocumentList(stimulus, "graders");
      const path = ["stimuli", index];
      const isRubric = getDocumentList(stimulus, "rubric").length > 0 && ![...shared, ...own].some(isJudgeGrader);
      const unjudged = isRubric
        ? [reportUnjudgedRubric(toDocumentFields(stimulus).name, tree.locate([...path, "rubric"]))]
        : [];
      return [...findGraderJudgeIssues(own, [...path, "graders"], tree), ...unjudged];
    }),
  ];
}

function findGraderJudgeIssues(graders: readonly unknown[], path: KeyPath, tree: YamlTree): EvalIssue[] {
  return graders.flatMap((given, index): EvalIssue[] => {
    const { type, name, model, config } = toDocumentFields(given);
    if (type !== "prompt" || model !== undefined || toDocumentFields(config).model !== undefined) return [];
    const title = typeof name === "string" ? name : type;
    const message = `${title} asks a model, but neither its config nor defaults.judge_model names one.`;
    return [{ ...tree.locate([...path, index]), code: "EVAL-JUDGE-MODEL", message }];
  });
}

function reportUnjudgedRubric(name: unknown, place: ReturnType<YamlTree["locate"]>): EvalIssue {
  const message = `The rubric of ${JSON.stringify(name)} needs a judge, but defaults.judge_model is not set.`;
  return { ...place, code: "EVAL-RUBRIC-JUDGE", message };
}

/** True for a grader that asks a model, or has a part that does. */
function isJudgeGrader(given: unknown): boolean {
  const { type, config } = toDocumentFields(given);
  const parts = [...getDocumentList(config, "graders"), toDocumentFields(config).grader];
  return type === "prompt" || type === "panel" || parts.some((part) => part !== undefined && isJudgeGrader(part));
}
