import { type FaultRule, formatFaultRules, TrialFaults } from "../budget/index.js";
import {
  type Canary,
  computeFingerprint,
  type Example,
  getErrorMessage,
  getExampleKey,
  isTrialError,
  NO_CONFIDENCE_NOTE,
  type Output,
  type StressArm,
  type System,
  type TrialContext,
  TrialError,
  UsageError,
} from "../core/index.js";
import { hashSeed } from "../stats/index.js";
import { askConfidence, CONFIDENCE_INSTRUCTION, takeConfidence } from "./confidence.js";
import { type PerturbationKind, type Rewording, rewordExample } from "./perturb.js";

/** What is done to the systems of a stress test. */
export interface StressPlan {
  /** Empty for no fault arm. */
  readonly faults: readonly FaultRule[];
  readonly perturbations: ReadonlyMap<PerturbationKind, ReadonlyMap<string, Rewording>>;
  readonly asksConfidence: boolean;
}

/** The arms of every system: itself, with faults, and with each perturbation. */
export function createArms(systems: readonly System[], plan: StressPlan): System[] {
  for (const system of systems) requireStressable(system, plan);
  return systems.flatMap((system) => [
    new StressArmSystem(system, { kind: "clean", asksConfidence: plan.asksConfidence }),
    ...(plan.faults.length === 0
      ? []
      : [new StressArmSystem(system, { kind: "faults", faults: plan.faults, asksConfidence: plan.asksConfidence })]),
    ...[...plan.perturbations].map(
      ([kind, rewordings]) => new StressArmSystem(system, { kind, rewordings, asksConfidence: plan.asksConfidence }),
    ),
  ]);
}

function requireStressable({ name, isRecorded, takesFaults }: System, { faults }: StressPlan): void {
  if (isRecorded === true)
    throw new UsageError(`${name} is a recording: it cannot be asked again. Stress the system that was recorded.`);
  if (faults.length > 0 && takesFaults !== true)
    throw new UsageError(
      `Faults cannot be injected into ${name}: its model calls do not pass through Assay's gateway. Models, --agent and --agent-command can; for other systems, leave out --faults.`,
    );
}

interface ArmOptions {
  readonly kind: StressArm["kind"];
  readonly asksConfidence: boolean;
  readonly faults?: readonly FaultRule[];
  readonly rewordings?: ReadonlyMap<string, Rewording>;
}

/** One system under one kind of stress. */
class StressArmSystem implements System {
  readonly name: string;
  readonly arm: StressArm;
  declare readonly endpoint?: string;
  declare readonly endpointName?: string;
  declare readonly model?: string;
  declare readonly harness?: string;
  declare readonly effort?: NonNullable<System["effort"]>;
  declare readonly limits?: NonNullable<System["limits"]>;
  declare readonly prompt?: string;
  declare readonly maxParallel?: number;
  declare readonly graceMs?: number;
  declare readonly worksInPhases?: boolean;
  declare readonly canary?: Canary;
  declare readonly listInputTexts?: (example: Example) => readonly string[];
  declare readonly countFileTokens?: (example: Example) => number | null;
  declare readonly skips?: (example: Example) => boolean;
  readonly #system: System;
  readonly #options: ArmOptions;
  /** The runner passes the same context to each attempt of a trial, whose calls are counted on. */
  readonly #faults = new WeakMap<TrialContext, TrialFaults>();

  constructor(system: System, options: ArmOptions) {
    const { kind, faults, rewordings } = options;
    this.#system = system;
    this.#options = options;
    this.name = kind === "clean" ? system.name : `${system.name} (${kind})`;
    this.arm = { system: system.name, kind };
    const { endpoint, endpointName, model, harness, effort, limits, prompt, maxParallel, graceMs, worksInPhases } =
      system;
    const shared = { endpointName, model, harness, effort, limits, prompt, maxParallel, graceMs, worksInPhases };
    for (const [name, value] of Object.entries(shared)) if (value !== undefined) Object.assign(this, { [name]: value });
    // One canary speaks for all arms: a trivial task needs no stress.
    if (kind === "clean" && system.canary !== undefined) this.canary = system.canary;
    // Injected rate limits must not slow the other arms down.
    if (endpoint !== undefined) this.endpoint = faults === undefined ? endpoint : `${endpoint} faults`;
    if (system.listInputTexts !== undefined)
      this.listInputTexts = (example) => system.listInputTexts?.(this.#toTask(example)) ?? [];
    if (system.countFileTokens !== undefined)
      this.countFileTokens = (example) => system.countFileTokens?.(example) ?? null;
    if (rewordings !== undefined) this.skips = (example) => !rewordings.has(getExampleKey(example));
  }

  async process(example: Example, trial: TrialContext): Promise<Output> {
    if (example === this.canary?.example) return this.#system.process(example, trial);
    const task = this.#toTask(example);
    const output = await this.#call(task, example, trial);
    const answered = this.#options.asksConfidence ? takeConfidence(output) : output;
    const isSilent = this.#options.asksConfidence && answered.confidence === undefined;
    if (isSilent && typeof answered.response === "string") trial.log(NO_CONFIDENCE_NOTE);
    return task.choice_order === undefined ? answered : { ...answered, choice_order: task.choice_order };
  }

  checkExample(example: Example): void {
    this.#system.checkExample?.(this.#toTask(example));
  }

  fingerprint(): unknown {
    const { kind, asksConfidence, faults, rewordings } = this.#options;
    return {
      system: computeFingerprint(this.#system, "process"),
      ...(kind !== "clean" && { arm: kind }),
      ...(asksConfidence && { confidence: CONFIDENCE_INSTRUCTION }),
      ...(faults !== undefined && { faults: formatFaultRules(faults) }),
      ...(rewordings !== undefined && { rewordings: [...rewordings] }),
    };
  }

  #toTask(example: Example): Example {
    const { rewordings, asksConfidence } = this.#options;
    const rewording = rewordings?.get(getExampleKey(example));
    const task = rewording === undefined ? example : rewordExample(example, rewording);
    return asksConfidence ? askConfidence(task) : task;
  }

  async #call(task: Example, example: Example, trial: TrialContext): Promise<Output> {
    const { faults: rules } = this.#options;
    if (rules === undefined) return this.#system.process(task, trial);
    let faults = this.#faults.get(trial);
    if (faults === undefined) {
      faults = new TrialFaults({ rules, seed: hashSeed(trial.seed, "stress", example.dataset ?? "") });
      this.#faults.set(trial, faults);
    }
    try {
      const output = await this.#system.process(task, { ...trial, faults });
      return { ...output, faults: [...faults.injected] };
    } catch (error) {
      if (faults.injected.length === 0) throw error;
      throw addFaults(error, faults);
    }
  }
}

/** An endpoint is not down because a fault was injected, so the error says nothing about other trials. */
function addFaults(error: unknown, { injected }: TrialFaults): unknown {
  if (!isTrialError(error)) return error;
  const { category, retry, spent } = error;
  return new TrialError(category, getErrorMessage(error), {
    cause: error.cause ?? error,
    spent: { ...spent, faults: [...injected] },
    ...(retry !== undefined && { retry }),
  });
}
