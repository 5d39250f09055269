/** Tables of all libraries together that stay in memory: those of a torch with CUDA have 60 MB, a wheel may have thousands. */
const maximumKept = 80 * 1024 * 1024;

/** Whoever keeps tables gives them up when others need the room, and reads them again when they are asked for. */
export interface TableKeeper {
  forgetTables(): void;
}

/** What a keeper costs beside its table: thousands with small ones must not pile up either. */
const leastCost = 64 * 1024;

// No WeakRef: until the running job ends, it keeps alive what it points to, and a scan is one job.
const queue: { readonly keeper: TableKeeper; readonly cost: number }[] = [];
let kept = 0;

/** Says that `keeper` has read a table of `size` bytes; those of the others that were read first are given up. */
export function keepTable(keeper: TableKeeper, size: number): void {
  const cost = Math.max(size, leastCost);
  queue.push({ keeper, cost });
  kept += cost;
  let gone = 0;
  for (; kept > maximumKept && gone < queue.length - 1; gone += 1) {
    const oldest = queue[gone];
    kept -= oldest?.cost ?? 0;
    if (oldest?.keeper !== keeper) {
      oldest?.keeper.forgetTables();
    }
  }
  queue.splice(0, gone);
}

/** Bytes of their own for a small table: a view would keep the whole block that it lies in. */
export function owned(table: DataView | undefined): DataView | undefined {
  if (table === undefined || table.byteLength === table.buffer.byteLength || table.byteLength > 128 * 1024) {
    return table;
  }
  return new DataView(table.buffer.slice(table.byteOffset, table.byteOffset + table.byteLength));
}
