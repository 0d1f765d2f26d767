import { appendFileSync } from "node:fs";

const CAPITALS = { fr: "Paris", it: "The capital is Rome.", pe: "Cusco" };

/** Writes down each call, and dies at the one that KILLED_AT names. */
export default {
  name: "capitals",
  process({ id }) {
    if (process.env.KILLED_AT === id) process.kill(process.pid, "SIGKILL");
    appendFileSync("calls.txt", `${id}\n`);
    return { response: CAPITALS[id] };
  },
};
