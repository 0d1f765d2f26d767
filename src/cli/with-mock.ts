import { UsageError } from "../core/errors.js";
import { printNote } from "./streams.js";

interface MockRequestFlags {
  /** Script of a simulated model. */
  mock?: string | undefined;
  agentUrl?: string | undefined;
}

/** Starts the simulated model, if there is one, while `use` runs, and passes its address. */
export async function withMock<T>(
  { mock: script, agentUrl }: MockRequestFlags,
  use: (url?: string) => Promise<T>,
): Promise<T> {
  if (script === undefined) return use();
  if (agentUrl !== undefined) throw new UsageError("--mock cannot be combined with --agent-url. Remove one of them.");
  const [{ startMock }, { loadScript }] = await Promise.all([
    import("../testing/mock/index.js"),
    import("../testing/mock/script-file.js"),
  ]);
  const mock = await startMock({ ...loadScript(script), keepRequests: 0 });
  printNote(`The model is simulated by ${script}: the results say nothing about a real one.`);
  try {
    return await use(mock.url);
  } finally {
    await mock.close();
  }
}
