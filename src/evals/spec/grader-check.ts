import { getErrorMessage } from "../../core/errors.js";
import type { GraderSpec } from "../../core/grader.js";
import type { Registry } from "../../core/registry.js";
import { makeGrader } from "../../graders/make-grader.js";
import type { KeyPath } from "../../utils/files/yaml-tree.js";
import { isRawMapping } from "./respell.js";
import { toSnakeCaseKey } from "./spelling.js";

interface GraderProblem {
  readonly text: string;
  /** Path inside the config, if the message names one. */
  readonly key?: KeyPath;
  readonly isKey: boolean;
}

export interface CheckedGrader {
  readonly spec: GraderSpec;
  readonly problem?: GraderProblem;
  readonly note?: string;
}

/** Creates a grader to see whether that works, with settings in the spelling of other harnesses normalized. */
export function checkGrader(spec: GraderSpec, registry: Registry): CheckedGrader {
  const message = tryCreateGrader(spec, registry);
  if (message === null) return { spec };
  const config = normalizeConfigKeys(spec.config ?? {});
  const other = { ...spec, config };
  if (JSON.stringify(config) !== JSON.stringify(spec.config ?? {}) && tryCreateGrader(other, registry) === null)
    return { spec: other, note: `graders: settings of ${spec.type} in camel case are read with underscores` };
  return { spec, problem: locateGraderProblem(spec, message) };
}

function tryCreateGrader(spec: GraderSpec, registry: Registry): string | null {
  try {
    makeGrader(spec, registry);
    return null;
  } catch (error) {
    return getErrorMessage(error);
  }
}

/** Only names of settings: keys below them may be the user's own. */
function normalizeConfigKeys(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [toSnakeCaseKey(key), value]));
}

/** Messages name the setting they are about first, or the unknown key: that gives the location. */
function locateGraderProblem({ type, name, config = {} }: GraderSpec, message: string): GraderProblem {
  const text = `the grader ${name ?? type} cannot be used: ${message.replace(/\.$/, "")}.`;
  const unknown = /^its config has the unknown key "([^"]+)"/.exec(message)?.[1];
  if (unknown !== undefined) return { text, key: [unknown], isKey: true };
  const key = parseConfigPath(/^[\w.-]+(?= )/.exec(message)?.[0] ?? "", config);
  return key.length === 0 ? { text, isKey: false } : { text, key, isKey: false };
}

/** As much of a dotted name as the config has. */
function parseConfigPath(dotted: string, config: unknown): (string | number)[] {
  const keys: (string | number)[] = [];
  let value = config;
  for (const part of dotted.split(".")) {
    const isThere = Array.isArray(value) ? part in value : isRawMapping(value) && Object.hasOwn(value, part);
    if (!isThere) break;
    keys.push(Array.isArray(value) ? Number(part) : part);
    value = (value as Record<string, unknown>)[part];
  }
  return keys;
}
