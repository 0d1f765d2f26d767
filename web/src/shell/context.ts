import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { DataSource } from "../data/source.js";

const SourceContext = createContext<DataSource | null>(null);

/** Gives all pages below it their data. */
export const SourceProvider = SourceContext.Provider;

/** What the page is drawn from. */
export function useSource(): DataSource {
  const source = useContext(SourceContext);
  if (source === null) throw new Error("There is no SourceProvider around this component.");
  return source;
}
