/** The evidence of a cell: every record with its reason, its symbols and its log, and what can be done from there. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { PanelRecord } from "../../src/protocol/panel.ts";
import type { Matrix } from "../../src/views/matrix.ts";
import { installLine } from "../../src/views/installLine.ts";
import { recordWords, shortCommit } from "../../src/views/words.ts";
import { cellSentence } from "./cellWords.ts";
import { usePage } from "./context.ts";
import { OutcomeIcon } from "./icons.tsx";
import type { LiveCell } from "./model.ts";
import { Ago, RuleLink } from "./strip.tsx";

/** Symbols of one record before one asks for all, and records of one cell. */
const shownSymbols = 5;
const shownRecords = 20;

export interface DetailsProps {
  readonly matrix: Matrix;
  readonly row: number;
  /** -1: all of the row. */
  readonly column: number;
  readonly live: readonly LiveCell[];
  /** Grows when the focus shall come here. */
  readonly asked: number;
  readonly close: () => void;
}

export function Details({ matrix, row, column, live, asked, close }: DetailsProps): JSX.Element | null {
  const { hosted, tell, copy } = usePage();
  const pane = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const at = matrix.rows[row];
  const cell = column < 0 ? undefined : matrix.cell(row, column);
  const records = column < 0 ? matrix.recordsOf(row) : cell?.records ?? [];
  const record = cell?.record ?? records[0];
  const ids = records.map(({ id }) => id);
  const place = `${at?.torch ?? ""}\n${column < 0 ? "" : matrix.columns[column]?.key ?? ""}`;
  useEffect(() => {
    if (records.length > 0 && at !== undefined) tell({ type: "openCell", torch: at.torch, records: ids.slice(0, shownRecords) });
    // Below the matrix, where there is no room beside it.
    pane.current?.scrollIntoView({ block: "nearest" });
  }, [place, ids.length]);
  useEffect(() => {
    if (asked > 0) heading.current?.focus({ preventScroll: true });
  }, [asked]);
  if (at === undefined) return null;
  const title = column < 0 ? `torch ${at.torch}` : `torch ${at.torch}, ${matrix.columns[column]?.label ?? ""}`;
  const act = (type: "copyInstallLine" | "tryIt" | "bisectFrom" | "rollPins" | "predict"): (() => void) => () => tell({ type, torch: at.torch, records: ids });
  return <section class="details" aria-labelledby="cell" ref={pane}>
    <div class="line"><h3 id="cell" tabIndex={-1} ref={heading}>{title}</h3><button class="quiet" onClick={close} aria-label="Close the evidence">Close</button></div>
    <p class="dim">{at.channel === "nightly" ? `Nightly${at.day === undefined ? "" : ` of ${at.day}`}` : "Release"}{at.yanked === true ? ", yanked" : at.listed === undefined ? "" : at.listed ? ", listed" : ", no longer listed by its index"}</p>
    {cell !== undefined ? <p class="outcome"><OutcomeIcon outcome={cell.outcome} />{cellSentence(cell)}</p> : records.length === 0 ? <p>Nothing was tried or predicted here.</p> : null}
    {live.map(({ cell: { id, label }, state, step }) => <p key={id}><span class={state === "running" ? "busy" : "queue"} /> {label}: {state === "queued" ? "waiting" : step ?? "starting"}</p>)}
    {hosted ? <div class="ways">
      <button onClick={act("copyInstallLine")}>Copy install line</button>
      <button onClick={act("tryIt")}>Try it</button>
      <button onClick={act("predict")}>Predict</button>
      <button onClick={act("bisectFrom")}>Bisect from here…</button>
      <button onClick={act("rollPins")}>Roll pins…</button>
    </div> : record === undefined ? null : <div class="ways">
      <button onClick={() => copy(installLine({ torch: at.torch, ...(record.index === undefined ? {} : { index: record.index }), ...(record.packages === undefined ? {} : { packages: record.packages }) }), "install line")}>Copy install line</button>
    </div>}
    <ol class="plain records">{records.slice(0, shownRecords).map((one) => <Evidence key={one.id} record={one} />)}</ol>
    {records.length > shownRecords ? <p class="dim">{records.length - shownRecords} older records are in the file.</p> : null}
  </section>;
}

function Evidence({ record }: { readonly record: PanelRecord }): JSX.Element {
  const { model, hosted, tell } = usePage();
  const { how, outcome, when, reason, note, run, id } = record;
  const more = model.details.get(id);
  const symbols = reason?.symbols ?? [];
  return <li class={how === "predicted" ? "predicted" : "tried"}>
    <p><OutcomeIcon outcome={how === "predicted" ? outcome === "conflict" ? "predicted-conflict" : outcome === "no-conflict" ? "predicted-no-conflict" : "predicted-unknown" : outcome === "passed" || outcome === "failed" ? outcome : "unknown"} />
      <span class="strong">{recordWords(how, outcome)}</span> <Ago when={when} /></p>
    {reason === undefined ? null : <p>{reason.message}{reason.rule === undefined ? null : <> <RuleLink rule={reason.rule} /></>}</p>}
    {reason?.test === undefined ? null : <p>Test <code>{reason.test}</code></p>}
    {symbols.length === 0 ? null : <details open={symbols.length <= shownSymbols}><summary>Symbols ({symbols.length})</summary><ul class="plain symbols">{symbols.map((symbol) => <li key={symbol}><code>{symbol}</code></li>)}</ul></details>}
    {more?.explanation === undefined ? null : <p class="explanation">{more.explanation}</p>}
    <dl>{facts(record).map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
    {note === undefined ? null : <p class="dim">{note}</p>}
    {more?.log === undefined ? null : <details><summary>End of the log</summary><pre tabIndex={0}>{more.log}</pre></details>}
    {hosted && run !== undefined ? <button class="link" onClick={() => tell({ type: "openLog", record: id })}>Open log</button> : null}
  </li>;
}

function facts({ project, version, commit, python, cuda, compiler, platform, gpu, packages, index }: PanelRecord): readonly (readonly [string, string])[] {
  const rows: readonly (readonly [string, string | undefined])[] = [
    [project, [version, commit === undefined ? undefined : shortCommit(commit)].filter((one) => one !== undefined).join(", ") || undefined],
    ["Python", python], ["CUDA", cuda === null ? "none" : cuda], ["Compiler", compiler], ["Platform", platform], ["GPU", gpu === null ? "none" : gpu],
    ["Beside it", packages === undefined ? undefined : Object.entries(packages).map(([name, one]) => `${name} ${one}`).join(", ") || undefined], ["Index", index],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}
