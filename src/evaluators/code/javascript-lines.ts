/** Runs in a box: reads and writes lines on descriptor 3, synchronously. */
export const JAVASCRIPT_LINE_IO = String.raw`
const fs = require("fs"), vm = require("vm");
const LONGEST = 1 << 24;
let rest = Buffer.alloc(0);
function receive() {
  for (;;) {
    const at = rest.indexOf(10);
    if (at !== -1) {
      const line = rest.toString("utf8", 0, at);
      rest = rest.subarray(at + 1);
      return line;
    }
    const chunk = Buffer.alloc(1 << 16);
    let size = 0;
    try { size = fs.readSync(3, chunk); } catch (error) { if (error.code !== "EAGAIN") return null; }
    if (size === 0 || rest.length > LONGEST) return null;
    rest = Buffer.concat([rest, chunk.subarray(0, size)]);
  }
}
function send(line) {
  const bytes = Buffer.from(line + "\n");
  if (bytes.length > LONGEST) throw new TypeError("the tests need something that cannot cross between processes: " + (bytes.length >> 20) + " MB at once");
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(3, bytes, at);
}
`;
