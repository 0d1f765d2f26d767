import { render } from "preact";
import { createEmbeddedSource, createServedSource, readEmbeddedReport, SourceProvider } from "./data/index.js";
import { App, applySavedTheme } from "./shell/index.js";
import "./styles/index.css";

applySavedTheme();

const report = await readEmbeddedReport();
const source = report === null ? createServedSource() : createEmbeddedSource(report);
const container = document.getElementById("app");
if (container !== null)
  render(
    <SourceProvider value={source}>
      <App />
    </SourceProvider>,
    container,
  );
