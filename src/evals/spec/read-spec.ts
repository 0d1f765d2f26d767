import { readFileSync, realpathSync } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import type { Environment } from "../../core/index.js";
import {
  countAskedTurns,
  registry as defaultRegistry,
  getErrorMessage,
  IdDeduplicator,
  type Registry,
  UsageError,
} from "../../core/index.js";
import { readSkill } from "../../exec/index.js";
import { createBuiltInFactories } from "../../graders/index.js";
import { type FileProblem, type KeyPath, parseYaml, type YamlTree } from "../../utils/index.js";
import { parseMilliseconds } from "./fields.js";
import { convertForeignSpec } from "./foreign/index.js";
import { findGateProblem, resolveSpecGates } from "./gates.js";
import { type NormalizedDocument, normalizeKeys } from "./key-aliases.js";
import { SPEC_RULES } from "./key-rules.js";
import { findSchemaProblems, ProblemCollector, SpecError, sortProblems } from "./problems.js";
import { isRawMapping, type RawMapping } from "./raw-mapping.js";
import type { EvalSpec, SkillUnderTest, SpecDefaults, Stimulus, StimulusLimits } from "./spec.js";
import {
  clearsSkills,
  environmentOrNameSchema,
  mergeEnvironments,
  resolveEnvironment,
  resolveSkillFolder,
  type SharedEnvironment,
} from "./spec-environment.js";
import {
  defaultsSchema,
  type RawDefaults,
  type RawSpec,
  type RawStimulus,
  scoringSchema,
  specSchema,
  stimulusSchema,
} from "./spec-schema.js";
import { buildStimulusGraders, checkGrader, checkGraderEntries } from "./stimulus-graders.js";
import { parseTags } from "./tags.js";

interface BuildContext {
  readonly file: string;
  readonly findings: ProblemCollector;
  readonly registry: Registry;
  readonly shared: Readonly<Record<string, SharedEnvironment>>;
  readonly judgeModel: string | undefined;
  readonly runs: number | undefined;
  readonly isEdited: boolean;
}

/** Builds a spec from a document that fits the schema. Other problems are added to `findings`. */
async function buildSpec(raw: RawSpec, context: BuildContext): Promise<EvalSpec> {
  const { file, findings, registry } = context;
  const dir = dirname(resolve(file));
  const defaults = resolveDefaults(raw.defaults ?? {}, context);
  const skill = raw.skill === undefined ? null : await readSkillUnderTest(raw.skill, dir, findings);
  const environment = resolveEnvironment(raw.environment, ["environment"], { ...context, dir });
  const making = { ...context, dir, raw, environment, judgeModel: defaults.judgeModel };
  const own = (raw.stimuli ?? []).map((stimulus, index) => buildStimulus(stimulus, ["stimuli", index], making));
  const triggers = buildTriggerStimuli({ raw, skill, environment, registry, findings });
  const stimuli = [...own, ...triggers];
  checkStimulusNames(raw, triggers, findings);
  checkGraderWeights(raw, stimuli, findings);
  checkSpecGates(raw, findings);
  if (skill !== null) checkSkillOffered(skill, stimuli, { dir, findings, isEdited: context.isEdited });
  return {
    file,
    name: raw.name ?? deriveEvalName(file),
    description: raw.description ?? null,
    type: raw.type ?? "capability",
    skill,
    defaults,
    stimuli,
    gates: resolveSpecGates(raw, findFewestRuns(stimuli, defaults.runs)),
    notes: findings.notes,
  };
}

/** Every test case has at least this many trials. */
function findFewestRuns(stimuli: readonly Stimulus[], runs: number): number {
  return stimuli.length === 0 ? runs : Math.min(...stimuli.map(({ limits }) => limits.runs ?? runs));
}

/** An eval.yaml is named after its folder, any other file after itself. */
function deriveEvalName(file: string): string {
  const path = resolve(file);
  const stem = basename(path)
    .replace(/\.ya?ml$/, "")
    .replace(/\.eval$/, "");
  return stem === "eval" ? basename(dirname(path)) || stem : stem;
}

function resolveDefaults(given: RawDefaults, asked: Pick<BuildContext, "judgeModel" | "runs">): SpecDefaults {
  const { runs = 1, timeout, model, effort, executor = null, judge_model = null, max_cost_usd = null } = given;
  return {
    runs: asked.runs ?? runs,
    timeoutMs: timeout === undefined ? null : parseMilliseconds(timeout),
    executor,
    models: model === undefined ? [] : [model].flat(),
    efforts: effort === undefined ? [] : [effort].flat(),
    judgeModel: asked.judgeModel ?? judge_model,
    maxCostUsd: max_cost_usd,
  };
}

interface StimulusContext extends Omit<BuildContext, "judgeModel"> {
  readonly dir: string;
  readonly raw: RawSpec;
  readonly environment: Stimulus["environment"];
  readonly judgeModel: string | null;
}

function buildStimulus(given: RawStimulus, path: KeyPath, making: StimulusContext): Stimulus {
  const { findings, raw } = making;
  const own = resolveEnvironment(given.environment, [...path, "environment"], making);
  const parts = resolvePrompt(given, path, findings);
  const asked = countAskedTurns({ turns: [...parts.turns], question: parts.prompt });
  return {
    name: given.name,
    ...parts,
    tags: { ...parseTags(raw.tags), ...parseTags(given.tags) },
    rubric: given.rubric ?? [],
    environment: mergeStimulusEnvironment(given, own, making),
    graders: buildStimulusGraders(given, path, { ...making, asked }),
    threshold: given.threshold ?? raw.scoring?.threshold ?? null,
    goldenPatch: readGoldenPatch(given, [...path, "golden_patch"], making),
    limits: resolveStimulusLimits(given, making),
    trigger: null,
    ...findings.locate(path),
  };
}

/** Trials that are asked for, with --runs, are those of every test case. */
function resolveStimulusLimits(given: RawStimulus, { runs: asked }: Pick<BuildContext, "runs">): StimulusLimits {
  const { runs = null, timeout, max_cost_usd: maxCostUsd = null } = given;
  const timeoutMs = timeout === undefined ? null : parseMilliseconds(timeout);
  return { runs: asked === undefined ? runs : null, timeoutMs, maxCostUsd };
}

function mergeStimulusEnvironment(
  { name }: RawStimulus,
  own: Environment,
  { environment, findings }: StimulusContext,
): Environment {
  if (clearsSkills(environment, own))
    findings.addNote(`test case ${JSON.stringify(name)}: its empty environment.skills removes those of the file`);
  return mergeEnvironments(environment, own);
}

function readGoldenPatch(
  { golden_patch: given }: RawStimulus,
  path: KeyPath,
  { dir, findings }: StimulusContext,
): Stimulus["goldenPatch"] {
  if (given === undefined) return null;
  const file = resolve(dir, typeof given === "string" ? given : given.path);
  const at = typeof given === "string" ? path : [...path, "path"];
  try {
    const text = readFileSync(file, "utf8");
    if (text.trim() === "") findings.addAtValue(at, `the golden patch ${file} is empty.`);
    return { file, text };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    findings.addAtValue(
      at,
      isMissing
        ? `the golden patch ${file} does not exist.`
        : `the golden patch ${file} cannot be read: ${getErrorMessage(error)}.`,
    );
    return null;
  }
}

/** Names identify results, so they must be unique. */
function checkStimulusNames(
  { stimuli = [], triggers }: RawSpec,
  made: readonly Stimulus[],
  findings: ProblemCollector,
): void {
  const taken = new Set(made.map(({ name }) => name));
  if (stimuli.length === 0 && made.length === 0 && (triggers === undefined || hasNoTriggers(triggers)))
    findings.addAtValue(["stimuli"], "nothing to run: add stimuli with at least one entry, or triggers.");
  for (const [index, { name }] of stimuli.entries()) {
    if (taken.has(name))
      findings.addAtValue(
        ["stimuli", index, "name"],
        `the name ${JSON.stringify(name)} is used by another test case: give each its own name.`,
      );
    taken.add(name);
  }
}

function hasNoTriggers({ should = [], should_not: shouldNot = [] }: NonNullable<RawSpec["triggers"]>): boolean {
  return should.length + shouldNot.length === 0;
}

/** A weight without a grader of that type is a typo or a leftover. */
function checkGraderWeights({ scoring }: RawSpec, stimuli: readonly Stimulus[], findings: ProblemCollector): void {
  const types = new Set(stimuli.flatMap(({ graders }) => graders.map(({ type }) => type)));
  for (const type of Object.keys(scoring?.weights ?? {}))
    if (!types.has(type)) findings.addNote(`scoring.weights.${type} has no effect: there is no grader of this type`);
}

function checkSpecGates({ gate = [] }: RawSpec, findings: ProblemCollector): void {
  for (const [index, one] of [gate].flat().entries()) {
    const problem = findGateProblem(one);
    const path = Array.isArray(gate) ? ["gate", index, "value"] : ["gate", "value"];
    if (problem !== null) findings.addAtValue(path, problem);
  }
}

type PromptParts = Pick<Stimulus, "prompt" | "turns">;

/** The prompt may be the last turn of a conversation. */
function resolvePrompt(
  { name, prompt, turns = [] }: RawStimulus,
  path: KeyPath,
  findings: ProblemCollector,
): PromptParts {
  const who = `test case ${JSON.stringify(name)}`;
  if (turns.length === 0) {
    if (prompt === undefined) findings.addAtValue(path, `${who} has no prompt: add a prompt or turns.`);
    return { prompt: prompt ?? "", turns: [] };
  }
  if (prompt !== undefined)
    findings.addAtKey([...path, "turns"], `${who} has both a prompt and turns: put the prompt last among the turns.`);
  const spoken = turns.map((turn) => (typeof turn === "string" ? { role: "user", content: turn } : turn));
  const last = spoken.at(-1);
  if (last !== undefined && last.role !== "user")
    findings.addAtValue(
      [...path, "turns", turns.length - 1],
      `${who}: the last turn must be the user's, because it is the prompt.`,
    );
  return { prompt: last?.content ?? "", turns: spoken.slice(0, -1) };
}

async function readSkillUnderTest(
  given: string,
  dir: string,
  findings: ProblemCollector,
): Promise<SkillUnderTest | null> {
  let isThere = true;
  const folder = resolveSkillFolder(given, dir, (text) => {
    isThere = false;
    findings.addAtValue(["skill"], text);
  });
  if (!isThere) return null;
  try {
    return { dir: folder, name: (await readSkill(folder)).name };
  } catch (error) {
    findings.addAtValue(["skill"], getErrorMessage(error));
    return null;
  }
}

interface OfferContext {
  readonly dir: string;
  readonly findings: ProblemCollector;
  /** True when the file was edited on purpose: a variant may be the one without the skill. */
  readonly isEdited: boolean;
}

/** Reports test cases that do not offer the skill under test: they do not test it. */
function checkSkillOffered(skill: SkillUnderTest, stimuli: readonly Stimulus[], context: OfferContext): void {
  const wanted = realpathSync(skill.dir);
  const without = stimuli.filter(
    ({ environment }) => !(environment.skills ?? []).some((one) => isSameSkill(one, wanted, skill)),
  );
  if (without.length === 0) return;
  const names = without.slice(0, 3).map(({ name }) => JSON.stringify(name));
  const who =
    without.length === stimuli.length
      ? "no test case"
      : `not all test cases (not ${names.join(", ")}${without.length > 3 ? ", …" : ""})`;
  const path = relative(context.dir, skill.dir);
  const text = `the skill under test is offered to the agent in ${who}. Add ${path === "" ? "./" : path} to environment.skills`;
  if (context.isEdited) context.findings.addNote(text);
  else context.findings.addAtValue(["skill"], `${text}.`);
}

function isSameSkill(offered: string | { readonly name: string }, wanted: string, { name }: SkillUnderTest): boolean {
  if (typeof offered !== "string") return offered.name === name;
  try {
    return realpathSync(offered) === wanted;
  } catch {
    return false;
  }
}

interface TriggerContext {
  readonly raw: RawSpec;
  readonly skill: SkillUnderTest | null;
  readonly environment: Environment;
  readonly registry: Registry;
  readonly findings: ProblemCollector;
}

const TRIGGER_KINDS = [
  { key: "should", title: "should", setting: "required" },
  { key: "should_not", title: "should not", setting: "disallowed" },
] as const;

const MAX_NAME_LENGTH = 60;

/** A test case for each prompt of `triggers`, which passes if the skill is activated or not, as expected. */
function buildTriggerStimuli(context: TriggerContext): Stimulus[] {
  const { raw, skill, findings } = context;
  if (raw.triggers === undefined) return [];
  if (raw.skill === undefined) {
    findings.addAtKey(["triggers"], "triggers test when a skill is activated: name the skill under test with skill.");
    return [];
  }
  if (skill === null) return [];
  const met = new Set<string>();
  const names = new IdDeduplicator();
  return TRIGGER_KINDS.flatMap((kind) =>
    (raw.triggers?.[kind.key] ?? []).map((prompt, index) => {
      const path = ["triggers", kind.key, index];
      if (met.has(prompt.trim())) findings.addAtValue(path, "this prompt is a duplicate: keep one of them.");
      met.add(prompt.trim());
      const name = names.makeUnique(`${kind.title}: ${shortenPrompt(prompt)}`, () => false);
      return { ...buildTriggerStimulus({ ...context, skill }, kind, prompt), name, ...findings.locate(path) };
    }),
  );
}

function buildTriggerStimulus(
  { raw, skill, environment, registry, findings }: TriggerContext & { skill: SkillUnderTest },
  { key, setting }: (typeof TRIGGER_KINDS)[number],
  prompt: string,
): Omit<Stimulus, "name" | "line" | "column"> {
  const { spec, problem } = checkGrader({ type: "skill-invocation", config: { [setting]: [skill.name] } }, registry);
  if (problem !== undefined) findings.addAtKey(["triggers"], problem.text);
  return {
    prompt,
    turns: [],
    tags: { ...parseTags(raw.tags), ...parseTags(raw.triggers?.tags) },
    rubric: [],
    environment,
    graders: [spec],
    threshold: null,
    goldenPatch: null,
    limits: { runs: null, timeoutMs: null, maxCostUsd: null },
    trigger: key,
  };
}

function shortenPrompt(prompt: string): string {
  const line = prompt.trim().replaceAll(/\s+/g, " ");
  return line.length <= MAX_NAME_LENGTH ? line : `${line.slice(0, MAX_NAME_LENGTH - 1).trimEnd()}…`;
}

/** Options of `loadSpec`. */
export interface LoadSpecOptions {
  /** Changes a copy of the document before it is checked. */
  readonly edit?: (raw: unknown) => unknown;
  /** Environments of the project file, by name. */
  readonly environments?: Readonly<Record<string, SharedEnvironment>>;
  /** Where graders are looked up, besides the built-in ones. Default: the shared registry. */
  readonly registry?: Registry;
  /** The judge model, instead of that of the file. */
  readonly judgeModel?: string;
  /** Trials of each test case, instead of those of the file. The default gate depends on them. */
  readonly runs?: number;
}

/** An eval file, as far as it could be read. */
interface ParsedSpec {
  /** Null when the file is not an eval file; set despite other problems, but then not fit to be run. */
  readonly spec: EvalSpec | null;
  readonly problems: readonly FileProblem[];
  readonly tree: YamlTree;
}

/**
 * Reads an eval file and throws a `SpecError` with all of its problems.
 * @example
 * const spec = await loadSpec("evals/test-writer/eval.yaml");
 * spec.stimuli.map(({ name }) => name);
 */
export async function loadSpec(file: string, options: LoadSpecOptions = {}): Promise<EvalSpec> {
  const { spec, problems } = await readSpec(file, options);
  if (spec === null || problems.length > 0) throw new SpecError(file, problems);
  return spec;
}

/**
 * Reads an eval file and returns all of its problems; throws only if the file cannot be read.
 * @example
 * const { problems } = await readSpec("eval.yaml");
 */
export async function readSpec(file: string, options: LoadSpecOptions = {}): Promise<ParsedSpec> {
  const tree = await parseYaml(readSpecText(file));
  if (tree.isBroken) return { spec: null, problems: sortProblems(tree.problems), tree };
  const document = options.edit === undefined ? tree.value : options.edit(copyDocument(tree.value));
  const converted = convertForeignSpec(document, file);
  const { spec, problems } = await parseSpecDocument(converted, { file, options, tree });
  return { spec, problems: sortProblems([...tree.problems, ...problems]), tree: convertTree(tree, converted) };
}

/** The tree of a converted document: positions are those of the original file. */
function convertTree(tree: YamlTree, { value, sourceOf }: NormalizedDocument): YamlTree {
  return {
    ...tree,
    value,
    locate: (path) => tree.locate(sourceOf(path)),
    locateKey: (path) => tree.locateKey(sourceOf(path)),
  };
}

/** Copies what a YAML anchor shares for each place, so that editing one does not change the others. */
function copyDocument(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyDocument);
  if (!isRawMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copyDocument(inner)]));
}

interface SpecSource {
  readonly file: string;
  readonly options: LoadSpecOptions;
  readonly tree: YamlTree;
}

async function parseSpecDocument(
  converted: NormalizedDocument,
  { file, options, tree }: SpecSource,
): Promise<Omit<ParsedSpec, "tree">> {
  const { registry = defaultRegistry, environments = {}, judgeModel, runs, edit } = options;
  if (!isRawMapping(converted.value))
    return { spec: null, problems: [{ line: 1, column: 1, text: describeNonMapping(converted.value) }] };
  const respelled = normalizeKeys(converted.value, SPEC_RULES, createGraderTypeCheck(registry));
  const sourceOf = (path: KeyPath) => converted.sourceOf(respelled.sourceOf(path));
  const findings = new ProblemCollector(tree, sourceOf);
  for (const note of [...converted.notes, ...respelled.notes]) findings.addNote(note);
  for (const problem of converted.problems) findings.add(problem);
  for (const problem of respelled.problems) findings.add({ ...problem, path: converted.sourceOf(problem.path) });
  const wrong = findSchemaProblems(specSchema, respelled.value, SPEC_RULES);
  for (const problem of wrong) findings.add({ ...problem, path: sourceOf(problem.path) });
  const context = { file, findings, registry, shared: environments, judgeModel, runs, isEdited: edit !== undefined };
  if (wrong.length > 0) {
    checkParts(respelled.value as RawMapping, context);
    return { spec: null, problems: findings.problems };
  }
  const spec = await buildSpec(respelled.value as RawSpec, context);
  return { spec, problems: findings.problems };
}

/** Graders and environments of a document that does not fit the schema: all of its problems are reported at once. */
function checkParts(document: RawMapping, context: BuildContext): void {
  const dir = dirname(resolve(context.file));
  const { data: defaults } = defaultsSchema.safeParse(document.defaults);
  const judgeModel = context.judgeModel ?? defaults?.judge_model ?? null;
  const { data: scoring } = scoringSchema.safeParse(document.scoring);
  const raw: RawSpec = scoring === undefined ? {} : { scoring };
  const check = (part: RawMapping, path: KeyPath) => {
    const { data: rubric = [] } = stimulusSchema.shape.rubric.safeParse(part.rubric);
    checkGraderEntries(part.graders, [...path, "graders"], { ...context, dir, raw, judgeModel, rubric });
    const { data: environment } = environmentOrNameSchema.safeParse(part.environment);
    resolveEnvironment(environment, [...path, "environment"], { ...context, dir });
  };
  check(document, []);
  const { stimuli } = document;
  if (Array.isArray(stimuli))
    for (const [index, stimulus] of stimuli.entries()) if (isRawMapping(stimulus)) check(stimulus, ["stimuli", index]);
}

function describeNonMapping(document: unknown): string {
  const is = document === null || document === undefined ? "is empty" : "is not a mapping of keys to values";
  return `the file ${is}: give it a name and stimuli.`;
}

function createGraderTypeCheck(registry: Registry): (type: string) => boolean {
  const own = createBuiltInFactories(registry);
  return (type) => Object.hasOwn(own, type) || registry.has("grader", type);
}

function readSpecText(file: string): string {
  try {
    return readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  } catch (cause) {
    throw new UsageError(`The eval file ${file} cannot be read: ${getErrorMessage(cause)}.`, { cause });
  }
}
