import { EXAMPLE_STATEMENTS, VIEW_NAMES, VIEWS, type ViewName } from "./schema.js";

/** A long type would push what the column holds out of sight. */
const WIDEST_TYPE = 24;

/** The views with their columns and a few statements, for people. */
export function schemaText(): string {
  const views = VIEW_NAMES.map(viewText).join("\n\n");
  const statements = EXAMPLE_STATEMENTS.map((statement) => `  assay query "${statement}"`).join("\n");
  return `${views}\n\nExamples:\n${statements}\n`;
}

function viewText(name: ViewName): string {
  const { about, columns } = VIEWS[name];
  const widest = Math.max(...columns.map(([column]) => column.length));
  const lines = columns.map(
    ([column, type, holds]) => `  ${column.padEnd(widest)}  ${type.padEnd(WIDEST_TYPE)}  ${holds}`,
  );
  return [`${name}: ${about}`, ...lines].join("\n");
}
