/** Says how calls are to be written by a system that is not given the tools in its provider's own way. */
const ASK =
  'Answer with the calls to make and nothing else, as a JSON list of objects with "name" and "arguments". Answer with an empty list when none of the tools fits.';

/** A request with the form that the answer takes. */
export function askForCalls(request: string): string {
  return `${request}\n\n${ASK}`;
}

/** The tools as a text that comes before the request. */
export function toolsAsContext(tools: readonly unknown[]): string {
  return `Tools that can be called:\n${JSON.stringify(tools)}`;
}
