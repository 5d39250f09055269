/** Stands for `abiding combinations cell --task FOLDER`: what it does is the cell's "version of torch". */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const [, , room, part, option, folder] = process.argv;
if (room !== "combinations" || part !== "cell" || option !== "--task" || process.argv.length !== 6) throw new Error(`Unexpected arguments: ${process.argv.slice(2).join(" ")}`);
const { cell } = JSON.parse(readFileSync(join(folder, "cell.json"), "utf8"));
const attempt = Number(process.env.SLURM_RESTART_COUNT ?? 0);
appendFileSync(join(folder, "tries"), `${attempt}\n`);
writeFileSync(join(folder, "environment.json"), JSON.stringify(process.env));

function end(outcome, reason) {
  const step = { name: "build", outcome: outcome === "cancelled" ? "unknown" : outcome, milliseconds: 1 };
  writeFileSync(join(folder, "result.json"), JSON.stringify({ schema: 1, cell, outcome, ...(reason === undefined ? {} : { reason: { message: reason } }), steps: [step], records: [], started: "2026-11-30T00:00:00.000Z", milliseconds: 1, where: "here" }));
  process.exit(0);
}

process.on("SIGTERM", () => {
  if (cell.torch !== "deaf") end("cancelled", "It was cancelled.");
});
console.log(`trying ${cell.torch}`);
console.error(`attempt ${attempt}`);
switch (cell.torch) {
  case "crashes when told":
    while (!existsSync(join(folder, "told"))) await delay(20);
  // falls through
  case "crashes":
    process.kill(process.pid, "SIGSEGV");
    await delay(60_000);
    break;
  case "says nothing":
    process.exit(3);
    break;
  case "fails":
    end("failed", "A test failed.");
    break;
  case "loses its node":
    if (attempt === 0) await delay(120_000);
    end("passed");
    break;
  case "waits":
  case "deaf":
    await delay(120_000);
    break;
  default:
    if (cell.torch.startsWith("takes ")) await delay(Number(cell.torch.slice(6)));
    end("passed");
}
