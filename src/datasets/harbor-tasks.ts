import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative, resolve, sep } from "node:path";
import * as z from "zod";
import type { Environment, Example, GraderSpec, LoadedExamples } from "../core/index.js";
import { DatasetError, getErrorMessage, UsageError } from "../core/index.js";
import { EnvironmentReader } from "../exec/index.js";

const TASK_FILE = "task.toml";
const DEFAULT_AGENT_SECONDS = 600;
const DEFAULT_VERIFIER_SECONDS = 600;
/** Tests become a part of the example. */
const MAX_FOLDER_BYTES = 16 * 1024 * 1024;
/** Where the tests are put before they are moved to where they belong. */
const TESTS_FOLDER = ".assay-tests";
const SOLUTION_FOLDER = ".assay-solution";

const seconds = z.number("must be a number of seconds").positive("must be above 0");
const variables = z.record(z.string(), z.string("must be text"), "must be a table of variables");

/** What is read of a `task.toml`; other keys say nothing of how a task is run. */
const taskSchema = z.looseObject({
  metadata: z.looseObject({ difficulty: z.string().optional(), category: z.string().optional() }).optional(),
  agent: z.looseObject({ timeout_sec: seconds.optional() }).optional(),
  verifier: z.looseObject({ timeout_sec: seconds.optional(), env: variables.optional() }).optional(),
  solution: z.looseObject({ env: variables.optional() }).optional(),
  environment: z
    .looseObject({
      docker_image: z.string("must be the name of an image").min(1, "is empty").optional(),
      cpus: z.number("must be a number").positive("must be above 0").optional(),
      memory_mb: z.number("must be a number").positive("must be above 0").optional(),
      memory: z.string("must be a size, such as 2G").optional(),
      gpus: z.number("must be a number").optional(),
      env: variables.optional(),
    })
    .optional(),
});

type TaskSettings = z.output<typeof taskSchema>;

/** Reads one task folder or a folder of them. */
export async function loadHarborTasks(path: string): Promise<LoadedExamples> {
  const examples = await readTasks(path, (dir, settings) => readTask(dir, settings));
  return { examples, facets: ["difficulty", "category"] };
}

/** A task, and the script that solves it. */
interface SolvedHarborTask {
  /** Its `task.toml`. */
  readonly file: string;
  readonly example: Example;
  /** Null if it has none. */
  readonly solution: HarborSolution | null;
}

/** How `solution/solve.sh` of a task is run. */
interface HarborSolution {
  /** The script on this machine. */
  readonly file: string;
  /** To be written into the folder of the trial before the command. */
  readonly files: readonly CarriedFile[];
  /** A shell command line. */
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/**
 * Reads the tasks of a folder with their solutions, which agents do not get.
 * @example
 * const [{ example, solution }] = await readSolvedHarborTasks("tasks");
 */
export function readSolvedHarborTasks(path: string): Promise<SolvedHarborTask[]> {
  return readTasks(path, async (dir, settings) => ({
    file: join(dir, TASK_FILE),
    example: await readTask(dir, settings),
    solution: readSolution(dir, settings),
  }));
}

/** Throws with the problems of all tasks. */
async function readTasks<T>(path: string, read: (dir: string, settings: TaskSettings) => Promise<T>): Promise<T[]> {
  const problems: string[] = [];
  const tasks: T[] = [];
  for (const dir of listTaskFolders(path)) {
    try {
      tasks.push(await read(dir, await readSettings(join(dir, TASK_FILE))));
    } catch (error) {
      problems.push(`${relative(process.cwd(), dir) || "."}: ${getErrorMessage(error)}`);
    }
  }
  if (problems.length > 0) throw new DatasetError(problems.join("\n"));
  return tasks;
}

function listTaskFolders(path: string): string[] {
  if (path === "") throw new UsageError("harbor needs a folder of tasks: --dataset harbor:DIR.");
  const dir = resolve(path);
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(
      `There is no folder ${path}. Assay does not download tasks of Harbor: download them with Harbor itself or as a repository, and give their folder, --dataset harbor:DIR.`,
    );
  if (existsSync(join(dir, TASK_FILE))) return [dir];
  const found = readdirSync(dir)
    .sort()
    .map((name) => join(dir, name))
    .filter((each) => existsSync(join(each, TASK_FILE)));
  if (found.length > 0) return found;
  throw new DatasetError(`${path} has no task: neither it nor a folder in it has a ${TASK_FILE}.`);
}

async function readTask(dir: string, settings: TaskSettings): Promise<Example> {
  const question = requireText(join(dir, "instruction.md"), "what the agent is asked");
  const { metadata: { difficulty, category } = {}, agent } = settings;
  return {
    id: basename(dir),
    question,
    environment: await new EnvironmentReader(dir).read(buildEnvironment(dir, settings)),
    graders: [buildGrader(dir, settings)],
    limits: { timeout: `${agent?.timeout_sec ?? DEFAULT_AGENT_SECONDS}s` },
    ...(difficulty !== undefined && { difficulty }),
    ...(category !== undefined && { category }),
  };
}

async function readSettings(file: string): Promise<TaskSettings> {
  const { parse } = await import("smol-toml");
  const parsed = taskSchema.safeParse(parse(readFileSync(file, "utf8")), { reportInput: true });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `${path.map(String).join(".")} ${message}`);
  throw new DatasetError(`${TASK_FILE}: ${issues.join("; ")}.`);
}

function requireText(file: string, what: string): string {
  if (!existsSync(file)) throw new DatasetError(`there is no ${basename(file)}, which says ${what}.`);
  const text = readFileSync(file, "utf8").trim();
  if (text === "") throw new DatasetError(`${basename(file)} is empty.`);
  return text;
}

/** The image of the task, and what it may use. */
function buildEnvironment(dir: string, { environment = {} }: TaskSettings): Environment {
  const { docker_image: image, cpus, gpus = 0, env } = environment;
  const memory = readMemory(environment);
  if (gpus > 0) throw new DatasetError(`it needs ${gpus} GPUs, which containers of Assay do not get.`);
  if (existsSync(join(dir, "environment/docker-compose.yaml")))
    throw new DatasetError("it needs several containers (environment/docker-compose.yaml); a trial has one.");
  if (image === undefined && !existsSync(join(dir, "environment/Dockerfile")))
    throw new DatasetError("it has neither environment/Dockerfile nor environment.docker_image.");
  const limits = { ...(cpus !== undefined && { cpus }), ...(memory !== null && { memoryGib: memory }) };
  return {
    ...(image === undefined ? { dockerfile: "environment/Dockerfile" } : { image }),
    ...(env !== undefined && { env: resolveVariables(env) }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
}

const GIB_OF = { G: 1, M: 1 / 1024, K: 1 / 1024 ** 2 } as const;

/** In GiB; null if the task does not say. */
function readMemory({ memory_mb: mb, memory }: NonNullable<TaskSettings["environment"]>): number | null {
  if (mb !== undefined) return mb / 1024;
  if (memory === undefined) return null;
  const [, amount, unit] = /^\s*(\d+(?:\.\d+)?)\s*([GMK])B?\s*$/i.exec(memory) ?? [];
  if (amount === undefined || unit === undefined)
    throw new DatasetError(`${TASK_FILE}: environment.memory is ${memory}, not a size such as 2G.`);
  return Number(amount) * GIB_OF[unit.toUpperCase() as keyof typeof GIB_OF];
}

/** Variables of this machine are not passed to tasks; those with a default get it. */
function resolveVariables(given: Readonly<Record<string, string>>): Record<string, string> {
  const resolved = Object.entries(given).map(([name, value]) => {
    const text = value.replaceAll(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, variable: string, usual?: string) => {
      if (usual !== undefined) return usual;
      throw new DatasetError(
        `the variable ${name} needs ${variable} of this machine, which Assay does not pass to tasks.`,
      );
    });
    return [name, text] as const;
  });
  return Object.fromEntries(resolved);
}

/** Runs the tests where they expect to be, and prints the reward as the score of a verdict. Without a reward, the verdict has no score. */
const RUN_TESTS = `rm -rf /tests /logs/verifier
mkdir -p /tests /logs/verifier
cp -R ${TESTS_FOLDER}/. /tests/ && rm -rf ${TESTS_FOLDER}
chmod -R a+rx /tests
if command -v bash >/dev/null; then bash /tests/test.sh >&2; else sh /tests/test.sh >&2; fi
reward=
test ! -f /logs/verifier/reward.json || reward=$(tr -d '\\n' < /logs/verifier/reward.json | sed -n 's/.*"reward"[[:space:]]*:[[:space:]]*\\([-+0-9.eE]*\\).*/\\1/p')
test -n "$reward" || test ! -f /logs/verifier/reward.txt || read -r reward < /logs/verifier/reward.txt || true
test -n "$reward" || { echo '{"evidence": "the tests left no reward"}'; exit 0; }
echo "{\\"score\\": $reward, \\"evidence\\": \\"reward $reward\\"}"`;

function buildGrader(dir: string, { verifier = {} }: TaskSettings): GraderSpec {
  const { timeout_sec: timeout = DEFAULT_VERIFIER_SECONDS, env } = verifier;
  const files = readFolder(join(dir, "tests"), TESTS_FOLDER, "folder of tests");
  if (!files.some(({ dest }) => dest === `${TESTS_FOLDER}/test.sh`))
    throw new DatasetError("there is no tests/test.sh, which grades it.");
  return {
    type: "program",
    name: "reward",
    config: {
      program: RUN_TESTS,
      shell: true,
      timeout: `${timeout}s`,
      files,
      ...(env !== undefined && { env: resolveVariables(env) }),
    },
  };
}

/** Runs the solution where it expects to be. */
const RUN_SOLUTION = `rm -rf /solution
mkdir -p /solution
cp -R ${SOLUTION_FOLDER}/. /solution/ && rm -rf ${SOLUTION_FOLDER}
chmod -R a+rx /solution
if command -v bash >/dev/null; then bash /solution/solve.sh; else sh /solution/solve.sh; fi`;

function readSolution(dir: string, { agent, solution = {} }: TaskSettings): HarborSolution | null {
  const file = join(dir, "solution/solve.sh");
  if (!existsSync(file)) return null;
  return {
    file,
    files: readFolder(join(dir, "solution"), SOLUTION_FOLDER, "solution"),
    command: RUN_SOLUTION,
    env: resolveVariables(solution.env ?? {}),
    timeoutMs: (agent?.timeout_sec ?? DEFAULT_AGENT_SECONDS) * 1000,
  };
}

/** A file of a task, to be written elsewhere. */
interface CarriedFile {
  readonly dest: string;
  readonly content: string;
  readonly encoding: "base64";
}

function readFolder(dir: string, to: string, what: string): CarriedFile[] {
  if (!existsSync(dir)) return [];
  let size = 0;
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" }).sort();
  return names.flatMap((name) => {
    const file = join(dir, name);
    if (!statSync(file).isFile()) return [];
    const bytes = readFileSync(file);
    size += bytes.length;
    if (size > MAX_FOLDER_BYTES) throw new DatasetError(`its ${what} is larger than 16 MB.`);
    const dest = `${to}/${name.split(sep).join("/")}`;
    return [{ dest, content: bytes.toString("base64"), encoding: "base64" as const }];
  });
}
