import type * as z from "zod";
import { isRawMapping, type RawMapping } from "./raw-mapping.js";
import { environmentSchema, fileSchema, gitSchema, serverSchema } from "./spec-environment.js";
import {
  constraintsSchema,
  defaultsSchema,
  gateSchema,
  graderSchema,
  patchSchema,
  scoringSchema,
  specSchema,
  stimulusSchema,
  triggersSchema,
  turnSchema,
} from "./spec-schema.js";

/** A key of another harness that means one of ours. */
export interface KeyAlias {
  readonly key: string;
  /** Converts the value. Default: the same value. */
  readonly convert?: (value: unknown) => unknown;
  /** True if our key wins when both are given. */
  readonly yields?: boolean;
}

/** The keys that a mapping may have: ours, and what happens to those of other harnesses. */
export interface KeyRules {
  readonly keys: readonly string[];
  readonly aliases?: Readonly<Record<string, KeyAlias>>;
  /** Ignored keys, and why. */
  readonly ignored?: Readonly<Record<string, string>>;
  /** Keys that are errors, with advice. */
  readonly refused?: Readonly<Record<string, string>>;
  /** Converts values that may have another form. */
  readonly forms?: Readonly<Record<string, (value: unknown) => unknown>>;
  /** Keys whose mappings are read as if their keys were written here. */
  readonly lifted?: Readonly<Record<string, (value: RawMapping) => RawMapping>>;
  /** Rules for nested values. */
  readonly inside?: Readonly<Record<string, NestedRules>>;
  /** True for graders, whose settings may be beside their type. */
  readonly isGrader?: boolean;
}

/** Rules apply to the value, to each entry of a list, or with `each` to each value of a mapping. */
export interface NestedRules {
  readonly rules: KeyRules;
  readonly each?: boolean;
}

function listSchemaKeys({ shape }: z.ZodObject): string[] {
  return Object.keys(shape);
}

function convertSeconds(value: unknown): unknown {
  return typeof value === "number" ? `${value}s` : value;
}

function convertMilliseconds(value: unknown): unknown {
  return typeof value === "number" ? `${value}ms` : value;
}

/** Vally counts turns from 0. */
function convertTurnIndex(value: unknown): unknown {
  return typeof value === "number" ? value + 1 : value;
}

/** In a `config`, which only other harnesses have, a time without a unit is in seconds. */
function convertConfigTimeout(config: RawMapping): RawMapping {
  return Object.hasOwn(config, "timeout") ? { ...config, timeout: convertSeconds(config.timeout) } : config;
}

/** Some harnesses configure executors in place. */
function getExecutorName(value: unknown): unknown {
  const name = typeof value === "object" && value !== null && "name" in value ? value.name : value;
  return name === "copilot-sdk" ? "copilot" : name;
}

export const ENVIRONMENT_RULES: KeyRules = {
  keys: listSchemaKeys(environmentSchema),
  inside: {
    git: {
      rules: {
        keys: listSchemaKeys(gitSchema),
        aliases: {
          source: { key: "url" },
          repo: { key: "url" },
          branch: { key: "ref" },
          commit: { key: "ref" },
        },
        ignored: { type: "every trial has its own checkout", depth: "the whole history is there" },
      },
    },
    files: {
      rules: {
        keys: listSchemaKeys(fileSchema),
        aliases: { path: { key: "dest" }, source: { key: "src" }, target: { key: "dest" } },
      },
      each: true,
    },
    mcpServers: {
      rules: {
        keys: listSchemaKeys(serverSchema),
        ignored: {
          type: "a command means stdio, a url means http",
          tools: "the agent sees all tools of a server",
        },
      },
      each: true,
    },
  },
};

const grader: KeyRules = {
  keys: listSchemaKeys(graderSchema),
  aliases: { turn: { key: "after_turn", convert: convertTurnIndex } },
  isGrader: true,
};

const defaults: KeyRules = {
  keys: listSchemaKeys(defaultsSchema),
  forms: { executor: getExecutorName },
  aliases: {
    trials: { key: "runs" },
    trials_per_task: { key: "runs" },
    timeout_seconds: { key: "timeout", convert: convertSeconds },
    timeout_ms: { key: "timeout", convert: convertMilliseconds },
    models: { key: "model" },
    max_cost: { key: "max_cost_usd" },
    judge_reasoning_effort: { key: "judge_effort" },
    agent: { key: "executor" },
  },
  ignored: {
    parallel: "trials always run in parallel; use --workers to set how many",
    workers: "use --workers",
    max_workers: "use --workers",
    fail_fast: "all trials are run",
    verbose: "use --verbose",
    max_attempts: "use --max-retries",
    skill_directories: "list the skills in environment.skills",
    mcp_servers: "list the servers in environment.mcpServers",
    env: "list the variables in environment.env",
  },
};

const stimulus: KeyRules = {
  keys: listSchemaKeys(stimulusSchema),
  lifted: { config: convertConfigTimeout },
  aliases: {
    id: { key: "name", yields: true },
    input: { key: "prompt" },
    agent_environment: { key: "environment" },
    workspace: { key: "environment" },
  },
  ignored: {
    description: "it tells the agent nothing",
    expect_activation: "write it as expect_skills or reject_skills of constraints",
  },
  inside: {
    turns: { rules: { keys: listSchemaKeys(turnSchema) }, each: true },
    constraints: {
      rules: {
        keys: listSchemaKeys(constraintsSchema),
        aliases: {
          max_duration_seconds: { key: "max_duration", convert: convertSeconds },
          max_duration_ms: { key: "max_duration", convert: convertMilliseconds },
        },
      },
    },
    environment: { rules: ENVIRONMENT_RULES },
    golden_patch: { rules: { keys: listSchemaKeys(patchSchema) } },
    graders: { rules: grader, each: true },
  },
};

export const SPEC_RULES: KeyRules = {
  keys: listSchemaKeys(specSchema),
  aliases: {
    config: { key: "defaults", convert: (value) => (isRawMapping(value) ? convertConfigTimeout(value) : value) },
    agent_environment: { key: "environment" },
    gates: { key: "gate" },
  },
  ignored: {
    version: "changes are detected by content",
    metrics: "all metrics are computed; use gate to check them",
  },
  refused: {
    tasks: "lists files of another harness. Write test cases under stimuli, each with a name, a prompt and graders.",
    scenarios: "is the list of another harness: keep one of scenarios and stimuli.",
  },
  inside: {
    defaults: { rules: defaults },
    environment: { rules: ENVIRONMENT_RULES },
    graders: { rules: grader, each: true },
    stimuli: { rules: stimulus, each: true },
    triggers: {
      rules: {
        keys: listSchemaKeys(triggersSchema),
        aliases: { should_trigger: { key: "should" }, should_not_trigger: { key: "should_not" } },
      },
    },
    scoring: { rules: { keys: listSchemaKeys(scoringSchema) } },
    gate: { rules: { keys: listSchemaKeys(gateSchema), aliases: { operator: { key: "op" } } } },
  },
};
