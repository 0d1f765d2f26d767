import { UsageError } from "../core/errors.js";
import { say } from "./streams.js";

/** Who answers the agents. */
interface Asked {
  /** A script by which a simulated model answers. */
  mock?: string | undefined;
  agentUrl?: string | undefined;
}

/** Has a simulated model answer while `use` goes on, when one is asked for: `use` is told its address. */
export async function withMock<T>({ mock: script, agentUrl }: Asked, use: (url?: string) => Promise<T>): Promise<T> {
  if (script === undefined) return use();
  if (agentUrl !== undefined)
    throw new UsageError("--mock answers in the place of --agent-url. Leave one of them out.");
  const [{ startMock }, { loadScript }] = await Promise.all([
    import("../testing/mock/index.js"),
    import("../testing/mock/script-file.js"),
  ]);
  const mock = await startMock({ ...loadScript(script), keepRequests: 0 });
  say(`The model is simulated by ${script}: what this run finds says nothing of a real one.`);
  try {
    return await use(mock.url);
  } finally {
    await mock.close();
  }
}
