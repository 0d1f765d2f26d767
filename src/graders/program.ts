import * as z from "zod";
import type { Graded, GraderFactory, Verdict } from "../core/index.js";
import { formatDuration, getErrorMessage } from "../core/index.js";
import { makeBuiltInGrader, makeVerdict, quoteExcerpt, takeLastLines } from "./built-in-grader.js";
import { flag, nonEmptyText, readConfig } from "./config.js";
import { type GradedInput, makeEmptyFolder, requireWorkspace } from "./graded-workspace.js";
import { GraderError } from "./grader-error.js";
import { describeCommandExit, formatStreams, runConfig, runInFolder } from "./run-in-folder.js";

/** A program's verdict: at least one of `score` and `passed`. */
export interface ProgramAnswer {
  readonly score?: number | undefined;
  readonly passed?: boolean | undefined;
  readonly evidence?: string | undefined;
}

const shareSchema = z
  .number("must be a number from 0 to 1")
  .min(0, "must be from 0 to 1")
  .max(1, "must be from 0 to 1");

/** Not strict: programs written for other harnesses may print more keys. */
const programAnswerSchema = z
  .object({
    score: shareSchema.optional(),
    passed: z.boolean("must be true or false").optional(),
    evidence: z.string("must be a string").optional(),
  })
  .refine(({ score, passed }) => score !== undefined || passed !== undefined, "has neither score nor passed");

/**
 * Parses the answer in a program's output: the JSON object that begins on the last line starting with a brace and goes on
 * to the end. Null if there is no such line; throws if there is one that is not a valid answer.
 * @example
 * parseProgramAnswer('2 of 4 found\n{"score": 0.5, "evidence": "2 of 4"}\n'); // { score: 0.5, evidence: "2 of 4" }
 */
export function parseProgramAnswer(stdout: string): ProgramAnswer | null {
  const start = stdout.startsWith("{") ? Math.max(0, findLastObjectStart(stdout)) : findLastObjectStart(stdout);
  if (start === -1) return null;
  const answer = readConfig(
    programAnswerSchema,
    parseAnswerJson(stdout.slice(start)),
    "the JSON that the program printed",
  );
  const { evidence } = answer;
  return evidence === undefined ? answer : { ...answer, evidence: takeLastLines(evidence) };
}

function findLastObjectStart(stdout: string): number {
  const newline = stdout.lastIndexOf("\n{");
  return newline === -1 ? -1 : newline + 1;
}

function parseAnswerJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (cause) {
    throw new GraderError(
      `the program printed malformed JSON (${getErrorMessage(cause)}): ${quoteExcerpt(text)}. Print the verdict last, as one object.`,
      { cause },
    );
  }
}

const schema = z.strictObject({ program: nonEmptyText, shell: flag.default(false), ...runConfig });

type ProgramSettings = z.output<typeof schema>;

/** Tells a program where the workspace is, even if it runs in a subfolder. */
const WORKSPACE_VARIABLE = "ASSAY_WORKSPACE";

/**
 * Grades with a program that reads the trial as JSON and may print its verdict as JSON; otherwise its exit code decides.
 * The program belongs to the grader, not to the agent's work: if it is missing, the verdict is an error.
 */
export const programGraders = {
  program: (config) => {
    const settings = readConfig(schema, config);
    return makeBuiltInGrader({
      name: "program",
      folderUse: "runs",
      // It reads the output, which does not exist while the agent is working.
      seesWorkspaceOnly: false,
      grade: (graded) => gradeWithProgram(settings, graded),
    });
  },
} satisfies Record<string, GraderFactory>;

/** A system without a workspace, such as a plain model, is judged by its output: the program gets an empty folder. */
async function gradeWithProgram(settings: ProgramSettings, graded: GradedInput): Promise<Verdict> {
  const hasWorkspace = graded.workspace !== null || graded.whyNoWorkspace !== undefined;
  if (hasWorkspace) return gradeInFolder(settings, graded, { [WORKSPACE_VARIABLE]: requireWorkspace(graded) });
  const folder = await makeEmptyFolder(graded.example);
  try {
    return await gradeInFolder(settings, graded, {}, { ...graded, workspace: folder.path, env: folder.env });
  } finally {
    await folder.remove();
  }
}

async function gradeInFolder(
  settings: ProgramSettings,
  graded: Graded,
  variables: Readonly<Record<string, string>>,
  place: GradedInput = graded,
): Promise<Verdict> {
  const { program: command, shell, timeout, sub_path } = settings;
  const env = { ...settings.env, ...variables };
  const ran = await runInFolder({ command, shell, input: serializeTrial(graded) }, { ...settings, env }, place);
  if (ran === null) throw new GraderError(`there is no folder ${sub_path} in the workspace to run ${command} in`);
  const how = ran.timedOut ? `was stopped after ${formatDuration(timeout)}` : describeCommandExit(ran);
  const answer = ran.timedOut ? null : parseProgramAnswer(ran.stdout);
  const said = [`${quoteExcerpt(command)} ${how}`, ...formatStreams(ran)].join("\n");
  return answer === null ? makeVerdict(!ran.timedOut && ran.code === 0, said) : toProgramVerdict(answer, said);
}

/** Without `passed`, only the full score passes, as for all graders that score a share. */
function toProgramVerdict({ passed, score, evidence }: ProgramAnswer, said: string): Verdict {
  const isPassed = passed ?? score === 1;
  return { passed: isPassed, score: score ?? (isPassed ? 1 : 0), evidence: evidence ?? said };
}

function serializeTrial({ example, output, workspace }: Graded): string {
  try {
    return JSON.stringify({ example, output, workspace });
  } catch (error) {
    throw new GraderError("the output cannot be serialized as JSON for the program", { cause: error });
  }
}
