import { mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  explainPrice,
  findModelsFile,
  formatLockKey,
  formatPriceLock,
  formatPriceTable,
  LOCK_FILE,
  type LockedPrice,
  loadModels,
  openPriceBook,
  PRICES_FILE,
  type PriceBook,
  type PriceExplanation,
  type PriceQuery,
  type PriceTable,
  parsePriceTable,
} from "../budget/index.js";
import {
  BudgetError,
  EXAMPLE_MODELS,
  EXIT,
  getErrorMessage,
  isLoopback,
  type Price,
  UsageError,
} from "../core/index.js";
import { formatPlural } from "../report/index.js";
import { writeAtomically } from "../utils/index.js";
import { writeResult } from "./streams.js";

export interface PricesFlags {
  models?: string;
  /** `table` or `json`. */
  output?: string;
}

export interface UpdateFlags {
  models?: string;
  /** The day that the table is from. */
  date?: string;
}

export interface PinFlags {
  models?: string;
  /** Models besides those of the models file. */
  model?: readonly string[];
}

interface PricesContext {
  readonly dir?: string;
  readonly today?: string;
}

/** Far above the published table, which has about 2 MB. */
const MAX_TABLE_BYTES = 32 * 1024 * 1024;

const FETCH_TIMEOUT_MS = 60_000;

/** A model of the project that has no price of its own in the models file. */
interface ProjectModel {
  readonly name: string;
  readonly query: PriceQuery;
}

/** `assay prices`: the table in use, the lock, and the price of each model. */
export async function executePrices(
  { models, output = "table" }: PricesFlags,
  { dir = "." }: PricesContext = {},
): Promise<number> {
  if (output !== "table" && output !== "json")
    throw new UsageError(`Unknown output format "${output}". Use --output table or --output json.`);
  const book = await openPriceBook(dir);
  const found = await explainAll(await listProjectModels(dir, models), book);
  await writeResult(output === "json" ? formatPricesJson(book, found) : formatPrices(book, found));
  return EXIT.fine;
}

/** `assay prices update`: checks a table and stores it in the project. */
export async function executeUpdate(
  source: string | undefined,
  { models, date }: UpdateFlags,
  { dir = ".", today = formatToday() }: PricesContext = {},
): Promise<number> {
  const day = date === undefined ? today : requireDay(date, today);
  const address = source ?? (await import("@pydantic/genai-prices")).REMOTE_DATA_JSON_URL;
  const table: PriceTable = {
    source: address,
    date: day,
    providers: await parsePriceTable(await readSource(address), address),
  };
  const before = await openPriceBook(dir);
  const after: PriceBook = { ...before, table, origin: "updated" };
  const project = await listProjectModels(dir, models);
  const path = join(dir, PRICES_FILE);
  mkdirSync(dirname(path), { recursive: true });
  writeAtomically(path, formatPriceTable(table));
  const changes = countChanges(before.table, table);
  const lines = [
    `${PRICES_FILE}: ${formatPlural(listTableModels(table).size, "model")} of ${day} from ${address}`,
    `${changes.added} new, ${changes.changed} with another price, ${changes.removed} gone`,
    ...(await describeProjectChanges(project, { ...before, lock: null }, { ...after, lock: null })),
    ...(before.lock === null ? [] : [`${LOCK_FILE} of ${before.lock.date} stays in force. Pin again, or remove it`]),
  ];
  await writeResult(`${lines.join("\n")}\n`);
  return EXIT.fine;
}

/** `assay prices pin`: writes the prices of a day, if the table knows them all. */
export async function executePin(
  date: string,
  { models, model = [] }: PinFlags,
  { dir = ".", today = formatToday() }: PricesContext = {},
): Promise<number> {
  const day = requireDay(date, today);
  const book = { ...(await openPriceBook(dir)), lock: null };
  const project = [...(await listProjectModels(dir, models)), ...model.map(parseModelName)];
  if (project.length === 0)
    throw new UsageError(
      "There is nothing to pin: no models.yml here has a model without pricing. Name models with --model PROVIDER/MODEL.",
    );
  const at = new Date(`${day}T12:00:00Z`);
  const found = await explainAll(
    project.map(({ name, query }) => ({ name, query: { ...query, at } })),
    book,
  );
  const problems = found.flatMap(({ name, price }) => findPinProblem(name, price, day, book.table) ?? []);
  if (problems.length > 0) throw new BudgetError([`${LOCK_FILE} was not written.`, ...problems].join("\n"));
  const entries = found.flatMap(({ query, price }): [string, LockedPrice][] =>
    price === null
      ? []
      : [[formatLockKey(price.seller, query.model), { model: price.model, by: price.by, prices: price.prices }]],
  );
  const prices = Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  writeAtomically(join(dir, LOCK_FILE), formatPriceLock({ date: day, source: book.table.source, prices }));
  await writeResult(
    `${LOCK_FILE}: ${formatPlural(Object.keys(prices).length, "price")} of ${day} from ${book.table.source}. Commit it; every run here reads it.\n`,
  );
  return EXIT.fine;
}

function formatToday(): string {
  return new Date().toISOString().slice(0, 10);
}

function requireDay(date: string, today: string): string {
  const parsed = new Date(`${date}T00:00:00Z`);
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || Number.isNaN(parsed.getTime()) || parsed.toISOString().slice(0, 10) !== date)
    throw new UsageError(`"${date}" is not a day. Write it as YYYY-MM-DD, such as ${today}.`);
  if (date > today)
    throw new UsageError(`${date} is in the future, and its prices are not known yet. Today is ${today}.`);
  return date;
}

/** Models of the models file without pricing of their own. */
async function listProjectModels(dir: string, file: string | undefined): Promise<ProjectModel[]> {
  const name = findModelsFile(dir);
  const path = file ?? (name === undefined ? undefined : join(dir, name));
  if (path === undefined) return [];
  const { models } = await loadModels(path);
  return [...models.values()]
    .filter(({ pricing }) => pricing === null)
    .map((entry) => ({
      name: entry.name,
      query: { model: entry.apiName, provider: entry.provider, baseUrl: entry.baseUrl },
    }));
}

function parseModelName(text: string): ProjectModel {
  const at = text.indexOf("/");
  if (at < 1 || at === text.length - 1)
    throw new UsageError(`--model must be PROVIDER/MODEL, such as ${EXAMPLE_MODELS.openai}, not "${text}".`);
  return { name: text, query: { provider: text.slice(0, at), model: text.slice(at + 1) } };
}

interface ExplainedModel extends ProjectModel {
  readonly price: PriceExplanation | null;
}

async function explainAll(models: readonly ProjectModel[], book: PriceBook): Promise<ExplainedModel[]> {
  return Promise.all(models.map(async (each) => ({ ...each, price: await explainPrice(each.query, book) })));
}

/** A price without a start date is known for the day of its table, and for no earlier one. */
function findPinProblem(name: string, price: PriceExplanation | null, day: string, table: PriceTable): string | null {
  if (day > table.date)
    return `${name}: the table is from ${table.date} and does not know the prices of ${day}. Run assay prices update, or pin ${table.date}`;
  if (price === null)
    return `${name}: ${table.source} has no price for it. Give it pricing in models.yml, which needs no pin.`;
  if (day === table.date || (price.since !== null && price.since <= day)) return null;
  return `${name}: the table of ${table.date} does not say that its price was valid on ${day}. Pin ${table.date}, or update from a table of that day: assay prices update FILE --date ${day}`;
}

async function readSource(source: string): Promise<string> {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(source) ? fetchTable(source) : readTableFile(source);
}

function readTableFile(path: string): string {
  try {
    const { size } = statSync(path);
    if (size > MAX_TABLE_BYTES) throw new BudgetError(`it has ${size} bytes, more than the allowed ${MAX_TABLE_BYTES}`);
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new BudgetError(`The price table ${path} cannot be read: ${getErrorMessage(cause)}. Nothing was changed.`, {
      cause,
    });
  }
}

async function fetchTable(address: string): Promise<string> {
  const url = requireSafeUrl(address);
  try {
    // A redirect could lead to another host or to plain http.
    const answer = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    if (!answer.ok) throw new Error(`it answered ${answer.status}`);
    return await readBounded(answer);
  } catch (cause) {
    const reason = getErrorMessage(cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause);
    throw new BudgetError(
      `The price table could not be fetched from ${url.host}: ${reason}. Nothing was changed. Without a network, use a file: assay prices update FILE`,
      { cause },
    );
  }
}

/** A table that someone else changed on the way would set what a budget allows. */
function requireSafeUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))))
    throw new UsageError("A price table must be a file or an https URL. Plain http can be changed on the way.");
  if (url.username + url.password !== "")
    throw new UsageError(
      `The URL of ${url.host} contains a user name or a password, which would be stored. Download the table, and name the file.`,
    );
  return url;
}

async function readBounded(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const body: AsyncIterable<Uint8Array> | null = answer.body;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_TABLE_BYTES) throw new Error(`it is larger than the allowed ${MAX_TABLE_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
}

/** The prices of a table as text, by provider and model. */
function listTableModels({ providers }: PriceTable): Map<string, string> {
  return new Map(
    providers.flatMap(({ id, models }) => models.map((model) => [`${id}/${model.id}`, JSON.stringify(model.prices)])),
  );
}

function countChanges(before: PriceTable, after: PriceTable) {
  const [old, now] = [listTableModels(before), listTableModels(after)];
  const kept = [...now].filter(([name]) => old.has(name));
  return {
    added: now.size - kept.length,
    changed: kept.filter(([name, prices]) => old.get(name) !== prices).length,
    removed: old.size - kept.length,
  };
}

async function describeProjectChanges(
  models: readonly ProjectModel[],
  before: PriceBook,
  after: PriceBook,
): Promise<string[]> {
  const [old, now] = [await explainAll(models, before), await explainAll(models, after)];
  return now.flatMap(({ name, price }, at) => {
    const [was, is] = [formatPrice(old[at]?.price?.price ?? null), formatPrice(price?.price ?? null)];
    return was === is ? [] : [`${name}: ${was} → ${is}`];
  });
}

const PICO_PER_MTOK = 1e6;

function formatPrice(price: Price | null): string {
  if (price === null) return "no price";
  return `$${price.input / PICO_PER_MTOK} in, $${price.output / PICO_PER_MTOK} out per million tokens`;
}

function formatPrices({ table, origin, lock }: PriceBook, models: readonly ExplainedModel[]): string {
  const kind = origin === "bundled" ? "part of Assay" : PRICES_FILE;
  return [
    `table: ${table.source} of ${table.date} (${kind}), ${formatPlural(listTableModels(table).size, "model")}`,
    lock === null
      ? `lock: none (assay prices pin DATE)`
      : `lock: ${LOCK_FILE} of ${lock.date}, ${formatPlural(Object.keys(lock.prices).length, "price")} from ${lock.source}`,
    ...models.map(({ name, price }) => `${name}: ${formatPrice(price?.price ?? null)}${describeOrigin(price)}`),
    "",
  ].join("\n");
}

function describeOrigin(found: PriceExplanation | null): string {
  if (found === null) return "";
  const { origin, by, seller, model, since } = found;
  const match = by === "name" ? "" : `, matched by ${by}`;
  return ` (${origin}: ${seller}/${model}${match}${since === null ? "" : `, since ${since}`})`;
}

function formatPricesJson({ table, origin, lock }: PriceBook, models: readonly ExplainedModel[]): string {
  const { providers: _, ...about } = table;
  const value = {
    schema: "assay.price-status/1",
    table: { ...about, origin, models: listTableModels(table).size },
    lock: lock === null ? null : { date: lock.date, source: lock.source, models: Object.keys(lock.prices) },
    models: models.map(({ name, price }) => ({ name, price })),
  };
  return `${JSON.stringify(value, null, 2)}\n`;
}
