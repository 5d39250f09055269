/** The cells of the run that goes on, each with what is done for it now. */
import type { JSX } from "preact";
import { plural } from "../../src/views/words.ts";
import { usePage } from "./context.ts";
import { Icon } from "./icons.tsx";
import type { LiveCell } from "./model.ts";

/** Cells that wait are many and say little. */
const shownWaiting = 5;
/** Of those that ended the last are of interest; the matrix has all. */
const shownEnded = 50;

export function Running(): JSX.Element | null {
  const { model: { live } } = usePage();
  if (live.size === 0) return null;
  const all = [...live.values()];
  const of = (state: LiveCell["state"]): readonly LiveCell[] => all.filter((one) => one.state === state);
  const [running, waiting, ended] = [of("running"), of("queued"), of("ended")];
  return <details class="trials" open>
    <summary>Being tried: {ended.length} of {plural(all.length, "cell")} ended, {running.length} running{waiting.length === 0 ? "" : `, ${waiting.length} waiting`}</summary>
    <ul class="plain">
      {running.map((one) => <Line key={one.cell.id} one={one} />)}
      {waiting.slice(0, shownWaiting).map((one) => <Line key={one.cell.id} one={one} />)}
    </ul>
    {waiting.length > shownWaiting ? <p class="dim">and {waiting.length - shownWaiting} more waiting</p> : null}
    {ended.length === 0 ? null : <details><summary>Ended ({ended.length})</summary><ul class="plain">{ended.slice(-shownEnded).map((one) => <Line key={one.cell.id} one={one} />)}</ul></details>}
  </details>;
}

const marks = { passed: "good", failed: "bad", unknown: "unknown", cancelled: "warning" } as const;
const words = { passed: "passed", failed: "failed", unknown: "could not be told", cancelled: "cancelled" } as const;

function Line({ one: { cell, state, step, fraction, where, note, result } }: { readonly one: LiveCell }): JSX.Element {
  const doing = result === undefined ? state === "queued" ? "waiting" : step ?? "starting" : words[result.outcome];
  return <li>
    {result === undefined ? <span class={state === "running" ? "busy" : "queue"} /> : <Icon mark={marks[result.outcome]} />}
    <span class="label">{cell.label}</span>
    <span class="dim">{doing}{where === undefined ? "" : ` on ${where}`}{note === undefined ? "" : `: ${note}`}{result?.reason === undefined ? "" : `: ${result.reason.message}`}</span>
    {fraction === undefined || state !== "running" ? null : <progress max={1} value={fraction} aria-label={`${cell.label}: ${doing}`} />}
  </li>;
}
