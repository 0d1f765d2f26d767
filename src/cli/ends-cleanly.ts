import { EXIT } from "../core/errors.js";

/** Turns a signal into a regular exit, so that exit handlers remove temporary files. */
export async function exitOnSignal<T>(work: () => Promise<T>): Promise<T> {
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
