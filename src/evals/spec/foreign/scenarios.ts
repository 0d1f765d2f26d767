import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { KeyPath } from "../../../utils/index.js";
import type { DocumentProblem, NormalizedDocument } from "../key-aliases.js";
import { isRawMapping, type RawMapping } from "../raw-mapping.js";
import { SourcePaths } from "../source-paths.js";

/** Keys of a scenario that are constraints of a test case. */
const CONSTRAINT_KEYS = ["max_turns", "max_tokens", "expect_tools", "reject_tools", "expect_skills", "reject_skills"];

/** Keys of an assertion, and the settings of our graders that they are. */
const COMMAND_KEYS: Readonly<Record<string, string>> = {
  expected_exit_code: "expected_exit_code",
  expected_std_output_contains: "stdout_contains",
  expected_std_output_matches: "stdout_matches",
  expected_std_error_contains: "stderr_contains",
};

const NAME_OF_EVAL = /^eval\..*ya?ml$/;

/**
 * Rewrites an eval file with `scenarios`: assertions become graders, the set-up becomes the environment, and the skill is
 * the one that the folder of the file belongs to.
 */
export function convertScenarios(document: RawMapping, file: string): NormalizedDocument {
  const conversion = new ScenariosConversion(file);
  const value = conversion.convert(document);
  const { notes, problems, paths } = conversion;
  return { value, notes: [...notes], problems, sourceOf: (path) => paths.find(path) };
}

class ScenariosConversion {
  readonly notes = new Set<string>();
  readonly problems: DocumentProblem[] = [];
  readonly paths = new SourcePaths();
  readonly #file: string;
  readonly #dir: string;
  /** The skill under test, relative to the file, and its name; null if there is none. */
  #skill: { readonly path: string; readonly name: string } | null = null;

  constructor(file: string) {
    this.#file = file;
    this.#dir = dirname(resolve(file));
  }

  convert(document: RawMapping): RawMapping {
    const { scenarios, config, required_skills: required, ...rest } = document;
    if (config !== undefined) this.notes.add("config: ignored: use --workers to set how many trials run at a time");
    this.#skill = this.#findSkill(document, Array.isArray(required) ? required[0] : undefined);
    this.paths.move(["skill"], [document.skill === undefined ? "scenarios" : "skill"]);
    this.paths.move(["stimuli"], ["scenarios"]);
    const skill = this.#skill === null ? {} : { skill: this.#skill.path };
    const convert = (given: unknown, index: number) =>
      isRawMapping(given) ? this.#convertScenario(given, index) : given;
    return { ...rest, ...skill, stimuli: Array.isArray(scenarios) ? scenarios.map(convert) : scenarios };
  }

  /** The file is in the folder of the skill, or in a folder of tests with its name. */
  #findSkill({ skill }: RawMapping, required: unknown): { path: string; name: string } | null {
    const own = basename(this.#dir);
    const above = basename(dirname(this.#dir));
    const name = typeof required === "string" ? required : own;
    const usual = ["..", ".", `../../skills/${name}`, `../../../plugins/${above}/skills/${name}`];
    const places = typeof skill === "string" ? [skill] : [...usual, `../../../skills/${above}`];
    const found = places.find((place) => existsSync(join(this.#dir, place, "SKILL.md")));
    if (found !== undefined) return { path: found, name: basename(resolve(this.#dir, found)) };
    const text = `the skill that ${this.#file} tests is not found: there is no SKILL.md in ${places.join(", ")}. Name its folder with skill, beside scenarios.`;
    this.problems.push({ path: ["scenarios"], isKey: true, text });
    return null;
  }

  #convertScenario(given: RawMapping, index: number): RawMapping {
    const at: KeyPath = ["stimuli", index];
    const { setup, assertions, timeout, expect_activation: isExpected, ...rest } = given;
    const constraints = Object.fromEntries(Object.entries(rest).filter(([key]) => CONSTRAINT_KEYS.includes(key)));
    const kept = Object.entries(rest).filter(([key]) => !CONSTRAINT_KEYS.includes(key));
    for (const key of Object.keys(constraints)) this.paths.move([...at, "constraints", key], ["scenarios", index, key]);
    this.paths.move([...at, "graders"], ["scenarios", index, "assertions"]);
    this.paths.move([...at, "environment"], ["scenarios", index, "setup"]);
    const all = { ...this.#expectActivation(isExpected), ...constraints };
    return {
      ...Object.fromEntries(kept),
      ...(timeout !== undefined && { timeout: typeof timeout === "number" ? `${timeout}s` : timeout }),
      ...(Object.keys(all).length > 0 && { constraints: all }),
      ...(assertions !== undefined && {
        graders: Array.isArray(assertions) ? assertions.map(convertAssertion) : assertions,
      }),
      environment: this.#convertSetup(setup, index),
    };
  }

  #expectActivation(isExpected: unknown): RawMapping {
    if (this.#skill === null || typeof isExpected !== "boolean") return {};
    return { [isExpected ? "expect_skills" : "reject_skills"]: [this.#skill.name] };
  }

  #convertSetup(setup: unknown, index: number): unknown {
    const skills = this.#skill === null ? [] : [this.#skill.path];
    if (!isRawMapping(setup)) return setup === undefined ? { skills } : setup;
    const { copy_test_files: copies, files, additional_required_skills: more = [], ...rest } = setup;
    const path: KeyPath = ["scenarios", index, "setup"];
    this.paths.move(["stimuli", index, "environment", "skills"], [...path, "additional_required_skills"]);
    const beside = copies === true ? this.#listTestFiles() : [];
    const own = Array.isArray(files) ? files.map((one: unknown) => this.#convertFile(one)) : [];
    for (const at of own.keys())
      this.paths.move(["stimuli", index, "environment", "files", beside.length + at], [...path, "files", at]);
    return {
      ...rest,
      ...(files !== undefined && !Array.isArray(files) ? { files } : { files: [...beside, ...own] }),
      skills: [...skills, ...(Array.isArray(more) ? more.map((name: unknown) => this.#findNeighbor(name)) : [])],
    };
  }

  /** Everything beside the eval file. */
  #listTestFiles(): RawMapping[] {
    const names = existsSync(this.#dir) ? readdirSync(this.#dir).sort() : [];
    return names.filter((name) => !NAME_OF_EVAL.test(name)).map((name) => ({ src: name, dest: name }));
  }

  /** A source is relative to the file, or to the skill. */
  #convertFile(given: unknown): unknown {
    if (!isRawMapping(given) || typeof given.source !== "string") return given;
    const { source, ...rest } = given;
    const places = [source, ...(this.#skill === null ? [] : [join(this.#skill.path, source)])];
    return { ...rest, src: places.find((place) => existsSync(join(this.#dir, place))) ?? source };
  }

  /** Another skill of the same plugin. */
  #findNeighbor(name: unknown): unknown {
    return typeof name === "string" && this.#skill !== null ? join(this.#skill.path, "..", name) : name;
  }
}

/** An answer contains a `substring`, where a file contains a `value`. */
function convertAssertion(given: unknown): unknown {
  if (!isRawMapping(given)) return given;
  const { type, value, ...rest } = given;
  if (type === "run_command_and_assert") return convertCommand(given);
  const isOfAnswer = type === "output_contains" || type === "output_not_contains";
  return { type, ...rest, ...(value !== undefined && { [isOfAnswer ? "substring" : "value"]: value }) };
}

function convertCommand(given: RawMapping): RawMapping {
  const { type: _, command_to_run: program, command_arguments: rest, command_timeout: seconds, ...checks } = given;
  const command = [program, rest].filter((part) => typeof part === "string" && part !== "").join(" ");
  const known = Object.entries(checks).map(([key, value]) => [COMMAND_KEYS[key] ?? key, value] as const);
  const timeout = typeof seconds === "number" ? { timeout: `${seconds}s` } : {};
  return { type: "run-command", config: { command, ...timeout, ...Object.fromEntries(known) } };
}
