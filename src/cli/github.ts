import { randomUUID } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { getErrorMessage, isLoopback, type RunVerdict } from "../core/index.js";
import { cutComment, formatCommentMarker, toOneLine } from "../report/index.js";
import { GithubApi, GithubApiError } from "./github-api.js";

/** What a workflow is told about a run or a comparison. */
export interface GithubReport {
  title: string;
  runDir: string | null;
  verdict: RunVerdict;
  /** Each is an annotation. */
  problems: readonly string[];
  /** Begins with the marker of the title. */
  markdown: string;
}

export interface GithubContext {
  env: Readonly<Record<string, string | undefined>>;
  onNote: (note: string) => void;
  /** Whether a comment is written. Default: true. */
  hasComment?: boolean;
}

/** The size that a step summary may have is 1 MiB; characters may have several bytes. */
const MAX_SUMMARY_CHARS = 250_000;

/**
 * Writes the step summary, annotations and outputs of a GitHub workflow, and one comment on its pull request. Whatever fails
 * is a note: it must not change the result of a measurement.
 */
export async function publishToGithub(
  report: GithubReport,
  { env, onNote, hasComment = true }: GithubContext,
): Promise<void> {
  const { verdict, problems, markdown, runDir } = report;
  appendTo("GITHUB_STEP_SUMMARY", cutComment(markdown, MAX_SUMMARY_CHARS), { env, onNote });
  writeGithubOutputs({ runDir, verdict }, { env, onNote });
  const level = verdict.exitCode === 0 ? "warning" : "error";
  const texts = problems.length > 0 || verdict.exitCode === 0 ? problems : [verdict.words];
  // Workflow commands are read from both streams; stdout belongs to the report.
  for (const text of texts) onNote(formatAnnotation(level, report.title, text));
  if (!hasComment) return;
  try {
    onNote(await commentOnPullRequest(report, env));
  } catch (error) {
    onNote(`No pull request comment was written: ${getErrorMessage(error)}`);
  }
}

/** Sets the outputs of the step. What is written last counts. */
function writeGithubOutputs(
  { runDir, verdict }: Pick<GithubReport, "runDir" | "verdict">,
  context: GithubContext,
): void {
  const outputs = { run: runDir ?? "", "exit-code": String(verdict.exitCode), "exit-reason": verdict.words };
  appendTo("GITHUB_OUTPUT", Object.entries(outputs).map(formatOutput).join(""), context);
}

function appendTo(variable: string, text: string, { env, onNote }: GithubContext): void {
  const file = env[variable] ?? "";
  try {
    if (file !== "") appendFileSync(file, text);
    else onNote(`${variable} is not set: this is not a GitHub workflow, so nothing is written there.`);
  } catch (error) {
    onNote(`${variable} could not be written: ${getErrorMessage(error)}`);
  }
}

/** With a delimiter that no value can contain, so that a value cannot set other outputs. */
function formatOutput([name, value]: readonly [string, string]): string {
  const end = `end-${randomUUID()}`;
  return `${name}<<${end}\n${value}\n${end}\n`;
}

/** `::error title=…::…`: line breaks and separators of the text must not end the command. */
function formatAnnotation(level: "error" | "warning", title: string, text: string): string {
  const toData = (value: string) => toOneLine(value).replaceAll("%", "%25");
  const property = toData(title).replaceAll(":", "%3A").replaceAll(",", "%2C");
  return `::${level} title=${property}::${toData(text)}`;
}

/** Creates the comment of this title, or updates it. Returns what was done. */
async function commentOnPullRequest(report: GithubReport, env: GithubContext["env"]): Promise<string> {
  const token = env.GITHUB_TOKEN ?? "";
  const event = readGithubEvent(env);
  const number = findPullRequest(env, event);
  if (number === null) return "This is not a pull request, so no comment is written.";
  if (token === "")
    return "GITHUB_TOKEN is not set, so no pull request comment is written. Pass github.token in the env of the step.";
  const repository = env.GITHUB_REPOSITORY ?? "";
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) throw new GithubApiError(`GITHUB_REPOSITORY is "${repository}"`);
  const api = new GithubApi({ baseUrl: readApiUrl(env), token });
  const author = env.ASSAY_COMMENT_AUTHOR || (await api.getLogin());
  const marker = formatCommentMarker(report.title);
  const body = cutComment(report.markdown);
  const known = await api.findComment({ repository, number, author, marker });
  if (known !== null && (await api.updateComment(repository, known, body)))
    return `Updated the comment on pull request #${number}.`;
  await api.createComment({ repository, number, body });
  return `Commented on pull request #${number}.`;
}

/** The token is sent to this address only. */
function readApiUrl({ GITHUB_API_URL: address = "" }: GithubContext["env"]): string {
  const text = address || "https://api.github.com";
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))))
    throw new GithubApiError("GITHUB_API_URL is not an https address");
  return text.replace(/\/+$/, "");
}

/** The parts of a workflow's event that are used. Its texts come from anyone who may open a pull request. */
export interface GithubEvent {
  pull_request?: { number?: unknown; head?: GithubBranch; base?: GithubBranch } | null;
  issue?: { number?: unknown; pull_request?: unknown } | null;
  workflow_run?: { head_repository?: GithubRepository } | null;
}

type GithubRepository = { full_name?: unknown } | null;

interface GithubBranch {
  repo?: GithubRepository;
}

/** Empty if there is none, or if it cannot be read. */
export function readGithubEvent({ GITHUB_EVENT_PATH: file = "" }: GithubContext["env"]): GithubEvent {
  if (file === "") return {};
  try {
    const event: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof event === "object" && event !== null ? event : {};
  } catch {
    return {};
  }
}

/**
 * Whether the workflow is about code of another repository, whose authors must not get at secrets of this one. True as well
 * if a workflow for pull requests does not say where the code comes from.
 */
export function isForkPullRequest(
  { pull_request: pull, workflow_run: run }: GithubEvent,
  { GITHUB_REPOSITORY: repository, GITHUB_EVENT_NAME: name = "" }: GithubContext["env"],
): boolean {
  // A workflow that follows another one has secrets, whoever started the first.
  if (run != null) return run.head_repository?.full_name !== repository;
  if (pull == null) return name.startsWith("pull_request");
  // The repository of a deleted fork is null.
  const head = pull.head?.repo?.full_name;
  return head === undefined || head !== (pull.base?.repo?.full_name ?? repository);
}

function findPullRequest({ GITHUB_REF: ref = "" }: GithubContext["env"], event: GithubEvent): number | null {
  const { pull_request: pull, issue } = event;
  const named = pull?.number ?? (issue?.pull_request == null ? undefined : issue.number);
  if (Number.isSafeInteger(named)) return Number(named);
  const [, fromRef] = /^refs\/pull\/(\d+)\//.exec(ref) ?? [];
  return fromRef === undefined ? null : Number(fromRef);
}
