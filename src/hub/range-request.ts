import { AGAIN } from "./connection-error.js";
import { contentRange } from "./content-range.js";
import { fileUrl, type HubContext } from "./context.js";
import { HubError } from "./errors.js";
import type { Wanted } from "./wanted.js";
import type { WireAnswer } from "./wire.js";
import { withRetries } from "./with-retries.js";

/** Asks for parts of one file, and sees to it that they are all of the same version. */
export class RangeRequest {
  readonly #context: HubContext;
  readonly #wanted: Wanted;
  /** Where the hub redirected to: asked directly until that fails, which saves every other request. */
  #location: URL | null = null;
  #etag: string | null = null;

  constructor(context: HubContext, wanted: Wanted) {
    this.#context = context;
    this.#wanted = wanted;
  }

  /** The bytes from `start` up to, not including, `end`; null when the server gives whole files only. */
  async fetch(start: number, end: number): Promise<Uint8Array | null> {
    const { ports, signal } = this.#context;
    return withRetries(() => this.#once(start, end), { ports, signal });
  }

  async #once(start: number, end: number): Promise<Uint8Array | null> {
    const answer = await this.#ask(start, end);
    try {
      if (answer.status === 200) return null;
      this.#checkVersion(answer, start, end);
      return await this.#take(answer, end - start);
    } finally {
      await answer.discard();
    }
  }

  async #ask(start: number, end: number): Promise<WireAnswer> {
    const { listing, file } = this.#wanted;
    const about = { repo: listing.repo, revision: listing.revision, path: file.path };
    const origin = fileUrl(this.#context, listing, file.path);
    const headers = { range: `bytes=${start}-${end - 1}` };
    const url = this.#location ?? origin;
    try {
      const answer = await this.#context.wire.open({ url, headers, about, accept: [416] });
      if (answer.url.origin !== origin.origin) this.#location = answer.url;
      return answer;
    } catch (error) {
      this.#location = null;
      throw error;
    }
  }

  #checkVersion({ status, headers }: WireAnswer, start: number, end: number): void {
    const range = contentRange(headers);
    const etag = headers.get("etag");
    this.#etag ??= etag;
    const isSame = etag === this.#etag && (range?.size ?? this.#wanted.file.size) === this.#wanted.file.size;
    if (status === 416 || !isSame) throw this.#changed();
    if (range === null || range.start !== start || range.end !== end) throw this.#wrongPart();
  }

  async #take(answer: WireAnswer, length: number): Promise<Uint8Array> {
    const { meter } = this.#context;
    const transfer = meter.start(this.#wanted.name, length);
    const bytes = new Uint8Array(length);
    let filled = 0;
    try {
      for await (const chunk of answer.chunks()) {
        transfer.got(chunk.length);
        if (filled + chunk.length > length) throw this.#wrongPart();
        bytes.set(chunk, filled);
        filled += chunk.length;
      }
    } finally {
      transfer.end();
    }
    if (filled < length) throw this.#wrongPart();
    return bytes;
  }

  #changed(): HubError {
    const { name } = this.#wanted;
    return new HubError(
      `${name} changed while it was being read: the server has another version of it now. Run again to read the new one.`,
    );
  }

  #wrongPart(): HubError {
    const { name } = this.#wanted;
    return new HubError(`Of ${name}, another part came than was asked for. Try again; check HF_ENDPOINT if it lasts.`, {
      retry: AGAIN,
    });
  }
}
