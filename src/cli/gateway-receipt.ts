import type { Receipt, ReceiptLine } from "../budget/gateway/index.js";
import { formatDollars, formatSeconds, plural } from "../report/format.js";
import { type Column, markdownTable, oneLine } from "../report/markdown.js";

/** The receipt for people: what each model used and cost, how the requests ended, and what is not certain about it. */
export function renderReceipt(receipt: Receipt): string {
  const { byModel, usage, totalUsd } = receipt;
  const total = { model: "total", requests: sumOf(byModel), usage, costUsd: totalUsd, costSource: null };
  const lines = byModel.length > 1 ? [...byModel, total] : byModel;
  const table = lines.length === 0 ? [] : [markdownTable(COLUMNS, lines), ""];
  return ["", "# Receipt", "", ...table, ...facts(receipt).map((fact) => `- ${oneLine(fact)}`)].join("\n");
}

type Line = Pick<ReceiptLine, "model" | "requests" | "usage" | "costUsd"> & { costSource: string | null };

const COLUMNS: readonly Column<Line>[] = [
  { title: "model", cell: ({ model }) => model },
  { title: "requests", align: "right", cell: ({ requests }) => String(requests) },
  { title: "input", align: "right", cell: ({ usage }) => String(usage.input) },
  { title: "cache read", align: "right", cell: ({ usage }) => String(usage.cacheRead) },
  { title: "cache write", align: "right", cell: ({ usage }) => String(usage.cacheWrite) },
  { title: "output", align: "right", cell: ({ usage }) => String(usage.output) },
  { title: "of it reasoning", align: "right", cell: ({ usage }) => String(usage.reasoning) },
  { title: "cost", align: "right", cell: ({ costUsd }) => formatDollars(costUsd) },
  { title: "cost is", cell: ({ costSource }) => costSource ?? "" },
];

function sumOf(lines: readonly ReceiptLine[]): number {
  return lines.reduce((sum, { requests }) => sum + requests, 0);
}

const ENDINGS = [
  ["answered", "answered"],
  ["cut", "cut by the budget"],
  ["refused", "refused"],
  ["failed", "failed"],
  ["abandoned", "abandoned by the program"],
  ["unmetered", "unmetered"],
] as const;

function facts(receipt: Receipt): string[] {
  const { requests, durationMs, unmeteredPaths, unknownModels, partial } = receipt;
  const endings = ENDINGS.filter(([ending]) => receipt[ending] > 0).map(
    ([ending, words]) => `${receipt[ending]} ${words}`,
  );
  const found = [[plural(requests, "request"), endings.join(", ")].filter(Boolean).join(": ")];
  found.push(`${spent(receipt)} in ${formatSeconds(durationMs / 1000)}`);
  if (unknownModels.length > 0) found.push(`no price is known for ${unknownModels.join(", ")}: give one with --models`);
  if (partial)
    found.push("⚠ parts are estimated or not priced: some usage was never reported, or some price is not known");
  if (unmeteredPaths.length > 0)
    found.push(`unmetered, and not in the total if they cost anything: ${unmeteredPaths.join(", ")}`);
  return found;
}

function spent({ totalUsd, maxCostUsd, exceeded, costKilledAt }: Receipt): string {
  const limit = maxCostUsd === null || maxCostUsd === 0 ? "" : ` of ${formatDollars(maxCostUsd)}`;
  return `${formatDollars(totalUsd)}${limit} spent${exceeded ? `; the limit was exceeded at ${formatDollars(costKilledAt)}` : ""}`;
}

/** For a receipt without a single request. */
export function pointingHints(): string {
  return `No request came: the program made none, or ignored the variables. How to point the known ones:
  claude    takes ANTHROPIC_BASE_URL; look for an "env" in its settings.json that sets another
  codex     ignores variables: sh -c 'codex exec -c model_provider=assay -c "model_providers.assay={name=\\"assay\\",base_url=\\"$OPENAI_BASE_URL\\",env_key=\\"OPENAI_API_KEY\\",wire_api=\\"responses\\"}" "…"'
  gemini    takes GOOGLE_GEMINI_BASE_URL when it signs in with a key: "security":{"auth":{"selectedType":"gemini-api-key"}} in its settings.json
  opencode  in opencode.json, for the provider: "options":{"baseURL":"{env:OPENAI_BASE_URL}"}
  pi        takes none: have a script write $OPENAI_BASE_URL as the "baseUrl" of a provider into ~/.pi/agent/models.json, then start pi
  others    print the variables with 'assay gateway' and look for a setting called base URL or endpoint`;
}
