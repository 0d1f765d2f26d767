import type { VNode } from "preact";
import { expect, test } from "vitest";
import type { WorkerState } from "../../../../../src/queue/contract.js";
import { sortRows } from "../../../ui/table-column.js";
import { createSampleWorker as worker } from "./sample-worker.js";
import { buildWorkerColumns } from "./worker-columns.js";

const AT_WORK = { delivered: 400, isOver: false, hasRefusals: true };

/** The texts of a cell, as they are drawn. */
function readText(node: unknown): string {
  if (Array.isArray(node)) return node.map(readText).join("");
  if (typeof node === "object" && node !== null)
    return readText((node as VNode<{ children?: unknown }>).props.children);
  return typeof node === "string" || typeof node === "number" ? String(node) : "";
}

const readLine = (whole: Parameters<typeof buildWorkerColumns>[0], row: WorkerState) =>
  Object.fromEntries(buildWorkerColumns(whole).map(({ title, cell }) => [readText(title), readText(cell(row))]));

test("a worker has a line that says what it does, how fast, and what it waits for", () => {
  expect(readLine(AT_WORK, worker({ waiting: "a place at api.example" }))).toEqual({
    Worker: "alpha pid 7",
    "At a time": "8",
    "Under way": "3",
    Done: "100",
    Share: "25 %",
    "A second": "12.5",
    "Waits for": "a place at api.example",
  });
  expect(readLine({ ...AT_WORK, delivered: 0 }, worker({ done: 0 }))).toMatchObject({ Share: "–" });
});

test("one that refuses says why", () => {
  expect(readLine(AT_WORK, worker({ refuses: "system: its code differs" }))).toMatchObject({
    "Waits for": "Refuses: system: its code differs",
  });
});

test("when the run is over, the line says who did how much, and why one took no part", () => {
  const over = { ...AT_WORK, isOver: true };
  expect(readLine({ ...over, hasRefusals: false }, worker({}))).toEqual({
    Worker: "alpha pid 7",
    "At a time": "8",
    Done: "100",
    Share: "25 %",
  });
  expect(readLine(over, worker({ refuses: "no" }))).toMatchObject({ "Took no part": "no" });
});

test("nothing in a name or a reason is hidden", () => {
  const line = readLine(AT_WORK, worker({ host: "\u202eevil\u001b[2J", waiting: "line\u0007" }));
  expect([line.Worker, line["Waits for"]]).toEqual(["⟨U+202E⟩evil⟨ESC⟩[2J pid 7", "line⟨BEL⟩"]);
});

test("workers can be sorted by what they do, and by name as people count", () => {
  const columns = buildWorkerColumns(AT_WORK);
  const rows = [worker({ host: "node-10", done: 1 }), worker({ host: "node-9", done: 5 })];
  const hostsBy = (key: string, isDescending: boolean) =>
    sortRows(rows, columns, { key, isDescending }).map(({ host }) => host);
  expect(hostsBy("worker", false)).toEqual(["node-9", "node-10"]);
  expect(hostsBy("done", true)).toEqual(["node-9", "node-10"]);
  expect(hostsBy("", false)).toEqual(["node-10", "node-9"]);
});
