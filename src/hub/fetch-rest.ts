import { AGAIN } from "./connection-error.js";
import { contentRange } from "./content-range.js";
import { fileUrl, type HubContext } from "./context.js";
import { HubError } from "./errors.js";
import type { PartialFile } from "./partial-file.js";
import type { Wanted } from "./wanted.js";
import type { WireAnswer } from "./wire.js";

/** Asks once for what a partial file lacks, and adds what comes. */
export async function fetchRest(
  context: HubContext,
  { wanted, partial }: { wanted: Wanted; partial: PartialFile },
): Promise<void> {
  const { listing, file } = wanted;
  const have = await partial.have(file.size);
  if (have.bytes > 0 && have.bytes === file.size) return;
  const headers = have.bytes > 0 ? { range: `bytes=${have.bytes}-`, "if-range": have.etag } : {};
  const about = { repo: listing.repo, revision: listing.revision, path: file.path };
  const url = fileUrl(context, listing, file.path);
  const answer = await context.wire.open({ url, headers, about, accept: [416] });
  try {
    if (!continues(answer, have)) await startOver(answer, { wanted, partial });
    await take(context, { answer, wanted, partial });
  } finally {
    await answer.discard();
  }
}

/** A 200 is the whole file: the server has another version, or knows no ranges. */
function continues(answer: WireAnswer, have: { bytes: number; etag: string }): boolean {
  if (answer.status !== 206) return false;
  const etag = answer.headers.get("etag");
  return contentRange(answer.headers)?.start === have.bytes && (etag === null || etag === have.etag);
}

async function startOver(
  answer: WireAnswer,
  { wanted, partial }: { wanted: Wanted; partial: PartialFile },
): Promise<void> {
  if (answer.status === 200) return partial.begin(answer.headers.get("etag"));
  await partial.remove();
  throw new HubError(`${wanted.name} could not be continued where it was cut off.`, { retry: AGAIN });
}

async function take(
  { meter }: HubContext,
  { answer, wanted, partial }: { answer: WireAnswer; wanted: Wanted; partial: PartialFile },
): Promise<void> {
  const { file, name } = wanted;
  const before = answer.status === 206 ? await partial.bytes() : 0;
  let isShort = false;
  const transfer = meter.start(name, file.size - before);
  try {
    const bytes = await partial.append(metered(answer, transfer.got), file.size);
    isShort = bytes < file.size;
  } catch (error) {
    if (!(error instanceof HubError) || error.retry === null) throw error;
    throw cutShort(wanted, await partial.bytes(), error);
  } finally {
    transfer.end();
  }
  if (isShort) throw cutShort(wanted, await partial.bytes());
}

async function* metered(answer: WireAnswer, got: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of answer.chunks()) {
    got(chunk.length);
    yield chunk;
  }
}

function cutShort({ name, file }: Wanted, bytes: number, cause?: HubError): HubError {
  const why = cause === undefined ? "" : ` ${cause.message}`;
  return new HubError(
    `${name} was cut short: ${bytes} of ${file.size} bytes came.${why} What came is kept: run it again to go on from there.`,
    { cause, retry: AGAIN },
  );
}
