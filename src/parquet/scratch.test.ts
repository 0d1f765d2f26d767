import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { expect, it } from "vitest";
import { openBytes } from "../files/byte-source.js";
import { openParquet } from "./index.js";
import { plainValue } from "./plain-value.js";

it("compares", async () => {
  for (const name of ["snappy", "zstd", "v2"]) {
    const path = `/tmp/h1scratch/${name}.parquet`;
    const src = await openBytes(path);
    let touched = 0,
      reads = 0;
    const table = await openParquet({
      ...src,
      read: (s, e) => {
        touched += e - s;
        reads++;
        return src.read(s, e);
      },
    });
    console.log(name, touched, table.rows, table.columns);
    const sample = await table.sample({ count: 100, seed: 1 });
    console.log(sample.note, touched / src.size, reads);
    const got = [];
    for await (const b of table.read(sample.positions)) got.push(...b);
    console.log(touched / src.size, reads, got[3]);
    const file = await asyncBufferFromFile(path);
    for (const { position, row } of got.slice(0, 3)) {
      const [x] = await parquetReadObjects({ file, compressors, rowStart: position, rowEnd: position + 1 });
      expect(row).toEqual(plainValue(x));
    }
    expect(got.map((g) => g.row.id)).toEqual([...sample.positions]);
    await table.close();
  }
}, 120000);
