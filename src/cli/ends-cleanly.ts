import { EXIT } from "../core/errors.js";

/**
 * Does work that a signal ends. The process then ends by its own hand, so that whatever was set aside is removed: a signal
 * alone would leave it.
 */
export async function endsCleanly<T>(work: () => Promise<T>): Promise<T> {
  const end = () => process.exit(EXIT.interrupted);
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  try {
    return await work();
  } finally {
    process.off("SIGINT", end);
    process.off("SIGTERM", end);
  }
}
