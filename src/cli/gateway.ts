import { constants } from "node:os";
import {
  findModelsFile,
  type Gateway,
  loadModels,
  type Receipt,
  type ReceiptLine,
  startGateway,
} from "../budget/index.js";
import type { Price } from "../core/index.js";
import { EXIT, UsageError } from "../core/index.js";
import { type ProgramEnd, type RunningProgram, startAttached } from "../exec/index.js";
import { createLayout, formatDollars, formatPlural, formatSeconds, type TableColumn } from "../report/index.js";
import { detectScreen } from "./screen.js";
import { printNote, writeResult } from "./streams.js";

export interface GatewayFlags {
  maxCost?: number;
  maxTokens?: number;
  modelMap?: Readonly<Record<string, string>>;
  models?: string;
  upstream?: Readonly<Record<string, string>>;
  /** In seconds. */
  timeout?: number;
  /** Allows sending a key over plain http to another machine. */
  allowInsecure?: boolean;
  /** Allows calls that cannot be metered despite a limit in dollars. */
  allowUnmetered?: boolean;
  /** The receipt: `table` on stderr, or `json` on stdout. */
  output?: string;
}

type GatewayStopReason = "budget" | "time";

const MAX_TIMEOUT_SECONDS = 2_147_483;

/**
 * `assay gateway`: runs a program with its calls metered and stops it when the budget is spent. Without a program, prints
 * the variables to set and meters until Ctrl-C.
 */
export async function executeGateway(options: GatewayFlags, command: readonly string[]): Promise<number> {
  checkGatewayFlags(options);
  const brake = new ProgramStopper();
  const gateway = await openGateway(options, () => brake.stop());
  const limit = startTimeLimit(options.timeout);
  let outcome: GatewayOutcome;
  try {
    outcome = await (command.length === 0
      ? serveGateway(gateway, options, { exceeded: brake.stopped, limit })
      : runProgram(gateway, { options, command, brake, limit }));
  } finally {
    limit.clear();
    await gateway.close();
  }
  await printReceipt(gateway.receipt(), options, outcome);
  return outcome.exitCode;
}

interface GatewayOutcome {
  readonly exitCode: number;
  readonly stoppedBy: GatewayStopReason | null;
}

function checkGatewayFlags({ output = "table", timeout }: GatewayFlags): void {
  if (output !== "table" && output !== "json")
    throw new UsageError(`Unknown output format "${output}". Use --output table or --output json.`);
  if (timeout !== undefined && !(timeout > 0 && timeout <= MAX_TIMEOUT_SECONDS))
    throw new UsageError(`--timeout must be a number of seconds above 0, got ${timeout}.`);
}

async function openGateway(options: GatewayFlags, onExceeded: () => void): Promise<Gateway> {
  const { maxCost, maxTokens, modelMap, upstream } = options;
  const file = options.models ?? findModelsFile();
  return startGateway({
    budget: {
      ...(maxCost === undefined ? {} : { maxCostUsd: maxCost }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
    },
    ...(modelMap === undefined ? {} : { modelMap }),
    ...(options.allowInsecure === undefined ? {} : { allowInsecure: options.allowInsecure }),
    ...(options.allowUnmetered === undefined ? {} : { allowUnmetered: options.allowUnmetered }),
    ...(upstream === undefined ? {} : { upstreams: upstream }),
    ...(file === undefined ? {} : { prices: await readPrices(file) }),
    onExceeded,
  });
}

/** By both names of a model: programs use the provider's, people the one in the file. */
async function readPrices(file: string): Promise<Map<string, Price>> {
  const { models } = await loadModels(file);
  const prices = new Map<string, Price>();
  for (const { name, apiName, price } of models.values()) {
    if (price === null) continue;
    if (!prices.has(apiName)) prices.set(apiName, price);
    prices.set(name, price);
  }
  return prices;
}

interface TimeLimit {
  readonly passed: Promise<GatewayStopReason>;
  clear(): void;
}

function startTimeLimit(seconds: number | undefined): TimeLimit {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<GatewayStopReason>((resolve) => {
    if (seconds !== undefined) timer = setTimeout(() => resolve("time"), seconds * 1000);
  });
  return { passed, clear: () => clearTimeout(timer) };
}

/** Suspends the program as soon as its budget is spent, until it is terminated, so that it cannot act on a truncated answer. */
class ProgramStopper {
  readonly stopped: Promise<GatewayStopReason>;
  isStopped = false;
  #resolve: (reason: GatewayStopReason) => void = () => {};
  #program: RunningProgram | null = null;

  constructor() {
    this.stopped = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  attach(program: RunningProgram): void {
    this.#program = program;
  }

  stop(): void {
    this.isStopped = true;
    this.#program?.signal("SIGSTOP");
    this.#resolve("budget");
  }
}

interface ProgramRun {
  readonly options: GatewayFlags;
  readonly command: readonly string[];
  readonly brake: ProgramStopper;
  readonly limit: TimeLimit;
}

async function runProgram(gateway: Gateway, { options, command, brake, limit }: ProgramRun): Promise<GatewayOutcome> {
  const [name = "", ...args] = command;
  const env = { ...process.env, ...gateway.env };
  // Before it starts: a Ctrl-C in between would end this process and leave the program running.
  const signals = forwardSignals();
  try {
    const program = await startAttached({ command: name, args, env }, options.output === "json" ? "stderr" : "stdout");
    signals.sendTo(program);
    brake.attach(program);
    const first = await Promise.race([program.ended, brake.stopped, limit.passed]);
    if (typeof first === "object") {
      // After a stop, terminate whatever ignored the signal or is still suspended.
      if (signals.wereSent || brake.isStopped) await program.stop();
      return { exitCode: toExitCode(first), stoppedBy: null };
    }
    printNote(`${STOP_MESSAGES[first](gateway.receipt(), options)}: stopping ${name}.`);
    const { left } = await program.stop();
    if (left.length > 0) printNote(`Some processes that ${name} started could not be stopped: ${left.join(", ")}.`);
    return { exitCode: EXIT.gateFailed, stoppedBy: first };
  } finally {
    signals.release();
  }
}

const STOP_MESSAGES: Readonly<Record<GatewayStopReason, (receipt: Receipt, options: GatewayFlags) => string>> = {
  budget: ({ totalUsd }) => `The budget is spent (${formatDollars(totalUsd)})`,
  time: (_, { timeout }) => `The time limit of ${timeout} s is reached`,
};

/** As in shells: 128 plus the signal's number for a program that was ended by a signal. */
function toExitCode({ code, signal }: ProgramEnd): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

const FORWARDED_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The program has its own process group, so Ctrl-C reaches only this process. The first one is forwarded; the second kills. */
function forwardSignals(): ForwardedSignals {
  const early: NodeJS.Signals[] = [];
  let program: RunningProgram | null = null;
  const forward = (signal: NodeJS.Signals) => {
    if (program === null) {
      early.push(signal);
      return;
    }
    if (signals.wereSent) void program.stop();
    else program.signal(signal);
    signals.wereSent = true;
  };
  const sendTo = (started: RunningProgram) => {
    program = started;
    for (const signal of early.splice(0)) forward(signal);
  };
  const release = () => {
    for (const signal of FORWARDED_SIGNALS) process.off(signal, forward);
  };
  const signals = { wereSent: false, release, sendTo };
  for (const signal of FORWARDED_SIGNALS) process.on(signal, forward);
  return signals;
}

interface ForwardedSignals {
  /** True once a signal was forwarded. */
  readonly wereSent: boolean;
  /** Sets the receiver, and forwards signals that came before it started. */
  sendTo(program: RunningProgram): void;
  release(): void;
}

interface ServeLimits {
  readonly exceeded: Promise<GatewayStopReason>;
  readonly limit: TimeLimit;
}

/** Without a program: meters any client that uses the printed variables, until Ctrl-C. */
async function serveGateway(
  gateway: Gateway,
  options: GatewayFlags,
  { exceeded, limit }: ServeLimits,
): Promise<GatewayOutcome> {
  const isJson = options.output === "json";
  const interrupted = waitForStopSignal();
  const lines = formatExportLines(gateway.env);
  if (isJson) printNote(lines.trimEnd());
  else await writeResult(lines);
  printNote("Metering until Ctrl-C. Start your program in a shell with these variables.");
  void exceeded.then(() =>
    printNote(`${STOP_MESSAGES.budget(gateway.receipt(), options)}: all further calls are rejected.`),
  );
  const stoppedBy = await Promise.race([interrupted, limit.passed]);
  const isExceeded = gateway.receipt().exceeded;
  return { exitCode: isExceeded ? EXIT.gateFailed : EXIT.fine, stoppedBy: isExceeded ? "budget" : stoppedBy };
}

function waitForStopSignal(): Promise<null> {
  return new Promise((resolve) => {
    const stop = () => {
      for (const signal of FORWARDED_SIGNALS) process.off(signal, stop);
      resolve(null);
    };
    for (const signal of FORWARDED_SIGNALS) process.on(signal, stop);
  });
}

function formatExportLines(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'\n`)
    .join("");
}

async function printReceipt(receipt: Receipt, { output }: GatewayFlags, outcome: GatewayOutcome): Promise<void> {
  if (output === "json")
    await writeResult(`${JSON.stringify({ schema: "assay.receipt/1", ...receipt, ...outcome }, null, 2)}\n`);
  else printNote(renderReceipt(receipt));
  if (receipt.requests === 0) printNote(formatUsageHints());
}

/** The receipt as text: usage and cost per model, how requests ended, and what is uncertain. */
function renderReceipt(receipt: Receipt): string {
  const { byModel, usage, totalUsd } = receipt;
  // Notes have no escape codes.
  const layout = createLayout({ ...detectScreen(process.stderr), hasColors: false });
  const total = { model: "total", requests: countRequests(byModel), usage, costUsd: totalUsd, costSource: null };
  const lines = byModel.length > 1 ? [...byModel, total] : byModel;
  const table = lines.length === 0 ? [] : [layout.table(COLUMNS, lines), ""];
  return ["", layout.heading("Receipt"), "", ...table, layout.bullets(describeReceipt(receipt))].join("\n");
}

type ReceiptTableLine = Pick<ReceiptLine, "model" | "requests" | "usage" | "costUsd"> & { costSource: string | null };

const COLUMNS: readonly TableColumn<ReceiptTableLine>[] = [
  { title: "model", cell: ({ model }) => model },
  { title: "requests", align: "right", cell: ({ requests }) => String(requests) },
  { title: "input", align: "right", cell: ({ usage }) => String(usage.input) },
  { title: "cache read", align: "right", cell: ({ usage }) => String(usage.cacheRead) },
  { title: "cache write", align: "right", cell: ({ usage }) => String(usage.cacheWrite) },
  { title: "output", align: "right", cell: ({ usage }) => String(usage.output) },
  { title: "reasoning", align: "right", cell: ({ usage }) => String(usage.reasoning) },
  { title: "cost", align: "right", cell: ({ costUsd }) => formatDollars(costUsd) },
  { title: "cost source", cell: ({ costSource }) => costSource ?? "" },
];

function countRequests(lines: readonly ReceiptLine[]): number {
  return lines.reduce((sum, { requests }) => sum + requests, 0);
}

const REQUEST_OUTCOMES = [
  ["answered", "answered"],
  ["cut", "cut by the budget"],
  ["refused", "refused"],
  ["failed", "failed"],
  ["abandoned", "abandoned by the program"],
  ["unmetered", "unmetered"],
] as const;

function describeReceipt(receipt: Receipt): string[] {
  const { requests, durationMs, unmeteredPaths, unknownModels, partial } = receipt;
  const endings = REQUEST_OUTCOMES.filter(([ending]) => receipt[ending] > 0).map(
    ([ending, words]) => `${receipt[ending]} ${words}`,
  );
  const found = [[formatPlural(requests, "request"), endings.join(", ")].filter(Boolean).join(": ")];
  found.push(describeSpending(receipt), `duration: ${formatSeconds(durationMs / 1000)}`);
  if (unknownModels.length > 0) found.push(`no price is known for ${unknownModels.join(", ")}: set one with --models`);
  if (partial) found.push("⚠ parts are estimated or not priced: some usage was not reported, or a price is unknown");
  if (unmeteredPaths.length > 0)
    found.push(`unmetered calls, not in the total if they cost anything: ${unmeteredPaths.join(", ")}`);
  return found;
}

function describeSpending({ totalUsd, maxCostUsd, exceeded, costKilledAt }: Receipt): string {
  const limit = maxCostUsd === null || maxCostUsd === 0 ? "" : ` of ${formatDollars(maxCostUsd)}`;
  return `${formatDollars(totalUsd)}${limit} spent${exceeded ? `; the limit was exceeded at ${formatDollars(costKilledAt)}` : ""}`;
}

/** For a receipt without any request. */
function formatUsageHints(): string {
  return `No requests arrived: the program made none, or ignored the variables. How to configure known programs:
  claude    uses ANTHROPIC_BASE_URL; check that no "env" in its settings.json overrides it
  codex     ignores variables: sh -c 'codex exec -c model_provider=assay -c "model_providers.assay={name=\\"assay\\",base_url=\\"$OPENAI_BASE_URL\\",env_key=\\"OPENAI_API_KEY\\",wire_api=\\"responses\\"}" "…"'
  gemini    uses GOOGLE_GEMINI_BASE_URL when it signs in with a key: "security":{"auth":{"selectedType":"gemini-api-key"}} in its settings.json
  opencode  in opencode.json, for the provider: "options":{"baseURL":"{env:OPENAI_BASE_URL}"}
  pi        ignores variables: have a script write $OPENAI_BASE_URL as the "baseUrl" of a provider into ~/.pi/agent/models.json, then start pi
  others    print the variables with 'assay gateway' and look for a setting named base URL or endpoint`;
}
