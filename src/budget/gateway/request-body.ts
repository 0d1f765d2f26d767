import type { IncomingMessage } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { messageOf } from "../../core/errors.js";
import { RefusalError } from "./refusal.js";

/** Larger requests are refused: they have to be held to be read. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** The body of a request, unpacked. Throws a `RefusalError` when it cannot be had. */
export async function readBody(request: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<Buffer> {
  if (Number(request.headers["content-length"]) > maxBytes) throw tooLarge(request, maxBytes);
  const bytes = await collect(request, maxBytes);
  return unpacked(bytes, request.headers["content-encoding"]?.trim().toLowerCase(), maxBytes);
}

function collect(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else reject(tooLarge(request, maxBytes));
    });
    request.on("end", () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    );
    const gone = () => {
      // Every request closes in the end: an error for each would take time for its stack.
      if (request.readableEnded) return;
      reject(new RefusalError("request", "the client went away before its request was complete."));
    };
    request.on("error", gone);
    request.on("close", gone);
  });
}

/** What else comes is read and dropped, so that the client gets to read why. */
function tooLarge(request: IncomingMessage, maxBytes: number): RefusalError {
  request.removeAllListeners("data");
  request.resume();
  return new RefusalError("request", `the request is larger than ${maxBytes / 2 ** 20} MiB, the most that is taken.`, {
    status: 413,
  });
}

function unpacked(bytes: Buffer, encoding: string | undefined, maxOutputLength: number): Buffer {
  try {
    if (encoding === undefined || encoding === "identity") return bytes;
    if (encoding === "gzip" || encoding === "x-gzip") return gunzipSync(bytes, { maxOutputLength });
    if (encoding === "deflate") return inflateSync(bytes, { maxOutputLength });
    if (encoding === "br") return brotliDecompressSync(bytes, { maxOutputLength });
  } catch (cause) {
    throw new RefusalError("request", `the request's body cannot be unpacked: ${messageOf(cause)}.`, { cause });
  }
  throw new RefusalError(
    "request",
    `requests packed with ${encoding} cannot be metered, only plain ones and those packed with gzip, deflate or brotli. Turn off the compression of requests.`,
    { status: 415 },
  );
}
