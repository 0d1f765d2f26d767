import { InvalidArgumentError } from "commander";
import {
  DURATION_FORMAT_HINT,
  type Effort,
  type ExpertCosts,
  getErrorMessage,
  parseDuration,
  parseEffort,
  UsageError,
} from "../core/index.js";

// Parsers for flag values. Each error says what is accepted.

/** Takes the value of a flag that a second one would silently replace. */
export function parseOnce(value: string, before: string | undefined): string {
  if (before !== undefined) throw new InvalidArgumentError(`It is given twice, as ${before} and ${value}. Name one.`);
  return value;
}

export function collectValues(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

export function parseListFlag(value: string): string[] {
  return value.split(",").map((item) => item.trim());
}

export function parseAgentEnvFlag(value: string): string[] {
  const names = parseListFlag(value);
  const wrong = names.find((name) => !/^[A-Za-z_]\w*$/.test(name));
  if (wrong !== undefined) throw new UsageError(`--agent-env expects variable names like NPM_TOKEN, got "${wrong}".`);
  return names;
}

/** `memoryGib=8` → { memoryGib: 8 } */
export function collectBoxLimits(value: string, before: Readonly<Record<string, number>> = {}): Record<string, number> {
  const [, name = "", number = ""] = /^(\w+)=(.+)$/s.exec(value) ?? [];
  if (name === "" || !Number.isFinite(Number(number)))
    throw new UsageError(`--box-limit expects NAME=NUMBER, such as memoryGib=8, got "${value}".`);
  return { ...before, [name]: Number(number) };
}

export function parseNumberFlag(value: string): number {
  const parsed = Number(value);
  if (value.trim() === "" || !Number.isFinite(parsed)) throw new InvalidArgumentError("It must be a number.");
  return parsed;
}

export function parseIntegerFlag(value: string): number {
  const parsed = parseNumberFlag(value);
  if (!Number.isSafeInteger(parsed)) throw new InvalidArgumentError("It must be a whole number.");
  return parsed;
}

export function parsePortFlag(value: string): number {
  const parsed = parseIntegerFlag(value);
  if (parsed < 0 || parsed > 65_535) throw new InvalidArgumentError("It must be between 0 and 65535.");
  return parsed;
}

export function parseCountFlag(value: string): number {
  const parsed = parseIntegerFlag(value);
  if (parsed < 1) throw new InvalidArgumentError("It must be at least 1.");
  return parsed;
}

export function parseOutageAction(value: string): "stop" | "wait" {
  if (value !== "stop" && value !== "wait") throw new InvalidArgumentError("It must be stop or wait.");
  return value;
}

export function parseLateAction(value: string): "live" | "leave" {
  if (value !== "live" && value !== "leave") throw new InvalidArgumentError("It must be live or leave.");
  return value;
}

export function parseMissAction(value: string): "fail" | "live" | "nearest" {
  if (value !== "fail" && value !== "live" && value !== "nearest")
    throw new InvalidArgumentError("It must be fail, live or nearest.");
  return value;
}

export function parseDurationFlag(value: string): string {
  if (parseDuration(value) === null) throw new InvalidArgumentError(`It ${DURATION_FORMAT_HINT}.`);
  return value;
}

export function parseServiceTierFlag(value: string): "flex" | "priority" {
  if (value !== "flex" && value !== "priority")
    throw new InvalidArgumentError(
      `It must be flex or priority.${value === "batch" ? " For batches, use --batch." : ""}`,
    );
  return value;
}

/** `low,high` or `4096`. */
export function parseEffortsFlag(value: string): Effort[] {
  try {
    const efforts = parseListFlag(value).map((each) => parseEffort(each, "It"));
    const twice = efforts.find((effort, at) => efforts.indexOf(effort) < at);
    if (twice !== undefined) throw new UsageError(`It names ${twice} twice.`);
    return efforts;
  } catch (error) {
    throw new InvalidArgumentError(getErrorMessage(error));
  }
}

/** `a=b`, once or repeated. The value may contain commas. */
export function collectPair(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It must look like name=value.");
  return { ...before, [text.slice(0, at).trim()]: text.slice(at + 1).trim() };
}

/** `a=b,c=d`, once or repeated. */
export function collectPairs(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  return text.split(",").reduce<Record<string, string>>((parsed, one) => collectPair(one, parsed), { ...before });
}

export function parseDollarsFlag(value: string): number {
  const parsed = parseNumberFlag(value);
  if (parsed <= 0) throw new InvalidArgumentError("It must be more than 0. Leave it out for no limit.");
  return parsed;
}

export function parseObjectFlag(value: string): Record<string, unknown> {
  const parsed = parseJsonFlag(value);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new InvalidArgumentError(`It must be a JSON object such as '{"top_p": 0.9}'.`);
  const secret = Object.keys(parsed).find((key) => /api.?key|secret|password|authorization/i.test(key));
  if (secret !== undefined)
    throw new InvalidArgumentError(
      `"${secret}" would be stored with the run. Put keys in an environment variable and pass --api-key-env.`,
    );
  return parsed as Record<string, unknown>;
}

function parseJsonFlag(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** `Name: value`, once or repeated. */
export function collectHeader(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const at = text.indexOf(":");
  if (at < 1) throw new InvalidArgumentError('It must look like "Name: value".');
  return { ...before, [text.slice(0, at).trim()]: text.slice(at + 1).trim() };
}

/** `3.5` for every dataset, or `gsm8k=3.5,math=12`, once or repeated. */
export function collectExpertCosts(text: string, before?: ExpertCosts): ExpertCosts {
  const isForAll = !text.includes("=");
  if (before !== undefined && (isForAll || typeof before === "number"))
    throw new InvalidArgumentError("Give one amount for all datasets, or DATASET=USD for each.");
  if (isForAll) return parseExpertCost(text);
  const costs = text.split(",").map((one): [string, number] => {
    const at = one.lastIndexOf("=");
    if (at < 1) throw new InvalidArgumentError("It must look like 3.5, or gsm8k=3.5.");
    return [one.slice(0, at).trim(), parseExpertCost(one.slice(at + 1))];
  });
  return { ...before, ...Object.fromEntries(costs) };
}

function parseExpertCost(text: string): number {
  const parsed = parseNumberFlag(text);
  if (parsed <= 0) throw new InvalidArgumentError("It must be more than 0 dollars.");
  return parsed;
}

/** `metric=number,metric=number`, once or repeated. The name of a metric may contain equals signs and commas. */
export function collectThresholds(
  value: string,
  before: Readonly<Record<string, number>> = {},
): Record<string, number> {
  return { ...before, ...Object.fromEntries(splitGates(value).map(parseThreshold)) };
}

/** The number has no equals sign, so the last one separates the two. */
function parseThreshold(text: string): [key: string, value: number] {
  const at = text.lastIndexOf("=");
  if (at < 1) throw new InvalidArgumentError("It must look like name=value.");
  return [text.slice(0, at).trim(), parseNumberFlag(text.slice(at + 1))];
}

/** Splits at commas, except inside `cell:depth=0.5,length=1000=0.7` and `facet:country=Korea, South=0.7`. */
function splitGates(text: string): string[] {
  const gates: string[] = [];
  for (const piece of text.split(",")) {
    const open = gates.at(-1);
    if (open === undefined || isCompleteGate(open)) gates.push(piece);
    else gates[gates.length - 1] = `${open},${piece}`;
  }
  return gates;
}

/** A facet contains one equals sign and a cell two, besides the one before the number. */
function isCompleteGate(gate: string): boolean {
  const name = gate.trimStart();
  const own = name.startsWith("cell:") ? 2 : Number(name.startsWith("facet:"));
  return own === 0 || name.split("=").length > own + 1;
}

/** The half-width of an interval of a share. */
export function checkHalfWidth(halfWidth: number | undefined): void {
  if (halfWidth === undefined || (halfWidth > 0 && halfWidth < 0.5)) return;
  throw new UsageError(`--half-width must be between 0 and 0.5, got ${halfWidth}. It is a share, such as 0.03.`);
}
