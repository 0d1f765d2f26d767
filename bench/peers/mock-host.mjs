// The mock endpoint of Assay in a process of its own, as a provider would be; its parent asks it what it has answered.
import { startMock } from "../../dist/lib/testing.js";

let answered = 0;
let awaited = Number.POSITIVE_INFINITY;

const mock = await startMock({
  latencyMs: Number(process.argv[2]),
  reply: "echo",
  keepRequests: 0,
  onRequest({ status, aborted }) {
    if (status === 200 && !aborted) answered += 1;
    if (answered >= awaited) tell("reached");
  },
});

function tell(kind) {
  if (kind === "reached") awaited = Number.POSITIVE_INFINITY;
  process.send({ kind, requests: mock.counts.requests, answered });
}

process.on("message", ({ kind, count }) => {
  if (kind === "await") awaited = answered + count;
  else tell("counts");
});
process.on("disconnect", () => process.exit(0));
process.send({ kind: "ready", url: `${mock.url}/v1` });
