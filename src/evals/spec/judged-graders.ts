import type { GraderSpec } from "../../core/grader.js";

/** What graders that ask a model are given by the file. */
export interface Judging {
  readonly rubric: readonly string[];
  readonly judgeModel: string | null;
}

type Config = Readonly<Record<string, unknown>>;

/** Which of its settings the file fills in, for graders that ask a model. */
const FILLED: Readonly<Record<string, (judging: Judging) => Config>> = {
  prompt: ({ rubric, judgeModel }) => ({ ...rubricOf(rubric), ...(judgeModel !== null && { model: judgeModel }) }),
  panel: ({ rubric }) => rubricOf(rubric),
};

function rubricOf(rubric: readonly string[]): Config {
  return rubric.length === 0 ? {} : { rubric };
}

/** A grader with the rubric of its stimulus and the judge of its file, where it has none of its own; parts of it, too. */
export function withJudging(spec: GraderSpec, judging: Judging): GraderSpec {
  const filled = Object.hasOwn(FILLED, spec.type) ? (FILLED[spec.type]?.(judging) ?? {}) : {};
  const config = { ...filled, ...partsWithJudging(spec.config ?? {}, judging) };
  return Object.keys(config).length === 0 ? spec : { ...spec, config };
}

function partsWithJudging(config: Config, judging: Judging): Config {
  const { graders, grader } = config;
  return {
    ...config,
    ...(Array.isArray(graders) && {
      graders: graders.map((part: unknown) => (isSpec(part) ? withJudging(part, judging) : part)),
    }),
    ...(isSpec(grader) && { grader: withJudging(grader, judging) }),
  };
}

/** True for a grader that looks at the rubric, or has a part that does. */
export function isJudged({ type, config = {} }: GraderSpec): boolean {
  if (Object.hasOwn(FILLED, type)) return true;
  const { graders, grader } = config;
  const parts: readonly unknown[] = Array.isArray(graders) ? graders : [grader];
  return parts.some((part) => isSpec(part) && isJudged(part));
}

function isSpec(value: unknown): value is GraderSpec {
  return typeof value === "object" && value !== null && typeof (value as Partial<GraderSpec>).type === "string";
}
