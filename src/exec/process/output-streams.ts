import { PassThrough, type Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";

const LOOK_EVERY_MS = 100;

/** About a second. Counted in looks and not by the clock, so that a process that was busy meanwhile still reads it all. */
const IDLE_LOOKS = 10;

/** What a program prints, up to its end. */
export interface OutputStream {
  readonly stream: Readable;
  /** When all of it was handed on; when nobody reads it, when all was printed. */
  readonly closed: Promise<void>;
}

/**
 * Hands on what a program prints and ends well in any case: something that the program started may hold its output open
 * for ever, so that some time after the program's end without a word nothing more is waited for.
 */
export function outputStream(source: Readable, ended: Promise<unknown>): OutputStream {
  const stream = new PassThrough();
  source.on("error", () => undefined);
  source.pipe(stream, { end: false });
  // A reader that turns away must not leave the program waiting for somebody to read.
  stream.on("close", () => source.unpipe(stream).resume());
  return { stream, closed: close(source, stream, ended) };
}

async function close(source: Readable, stream: PassThrough, ended: Promise<unknown>): Promise<void> {
  const over = finished(source).catch(() => undefined);
  await Promise.race([over, ended.then(() => isSilent(source, stream))]);
  source.destroy();
  stream.end();
  if (stream.readableFlowing !== null) await finished(stream).catch(() => undefined);
}

async function isSilent(source: Readable, stream: PassThrough): Promise<void> {
  let received = 0;
  const count = () => {
    received += 1;
  };
  source.on("data", count);
  for (let idle = 0, seen = 0; idle < IDLE_LOOKS && !source.closed; seen = received) {
    await wait(LOOK_EVERY_MS);
    idle = received === seen && !isBeingRead(source, stream) ? idle + 1 : 0;
  }
  source.off("data", count);
}

/** True while a reader that takes its time has some of it still to come. */
function isBeingRead(source: Readable, stream: PassThrough): boolean {
  return stream.readableFlowing !== null && source.readableLength + stream.readableLength + stream.writableLength > 0;
}
