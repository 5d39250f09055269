/** What is known to work and what is predicted to: the latest working lines, the matrix, and the evidence of a cell. */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { CombinationsView } from "../../src/protocol/panel.ts";
import { foldMatrix, matrixChoices } from "../../src/views/matrix.ts";
import type { Axis, MatrixFilter } from "../../src/views/matrix.ts";
import { plural } from "../../src/views/words.ts";
import { outcomeWords } from "./cellWords.ts";
import { usePage } from "./context.ts";
import { Details } from "./details.tsx";
import { Grid } from "./grid.tsx";
import { Icon, OutcomeIcon } from "./icons.tsx";
import { livePlaces, placeKey, runningCells } from "./live.ts";
import { Running } from "./running.tsx";
import { Ago } from "./strip.tsx";
import { without } from "./without.ts";

export function Combinations(): JSX.Element {
  const { model } = usePage();
  const view = model.state?.combinations;
  return view === undefined ? <p class="busy" role="status">Reading the records…</p> : <Known view={view} />;
}

function Known({ view }: { readonly view: CombinationsView }): JSX.Element {
  const { hosted, tell, model: { state } } = usePage();
  const reasons = [...new Set((state?.work ?? []).flatMap(({ kind, unavailable }) => (kind === "predict" || kind === "combinations" ? unavailable ?? [] : [])))];
  const isEmpty = view.records.length === 0;
  return <>
    <Latest view={view} />
    <Running />
    {view.problems.length === 0 ? null : <details class="problems">
      <summary><Icon mark="warning" />{plural(view.problems.length, "problem")} with the records or the indexes</summary>
      <ul>{view.problems.map((one) => <li key={one}>{one}</li>)}</ul>
    </details>}
    {isEmpty ? <div class="empty">
      <p>{view.problems.length === 0 ? "Nothing was tried or predicted yet." : "No record of a trial or a prediction could be read."} A prediction reads only the symbol tables of each torch and takes seconds; a trial installs, builds and runs the tests.</p>
      {reasons.map((one) => <p key={one} class="dim">{one}</p>)}
      {hosted ? <div class="ways">
        <StartButtons primary />
        <button class="quiet" onClick={() => tell({ type: "editMatrix" })}>Edit the matrix in abiding.json</button>
        {view.problems.length === 0 || view.known.length > 0 ? null : <button class="quiet" onClick={() => tell({ type: "openRecords" })}>Open the records</button>}
      </div> : null}
    </div> : null}
    {isEmpty && view.known.length === 0 ? null : <MatrixView view={view} />}
  </>;
}

const channelWords = { release: "Released", nightly: "Nightly" } as const;

function Latest({ view }: { readonly view: CombinationsView }): JSX.Element {
  const { copy } = usePage();
  return <section class="latest" aria-labelledby="latest">
    <h2 id="latest" class="hidden">Latest working lines</h2>
    {(["release", "nightly"] as const).map((channel) => {
      const found = view.latest.find((one) => one.channel === channel);
      return <div key={channel} class="channel">
        <h3>{channelWords[channel]}</h3>
        {found === undefined ? <p class="dim">No {channel === "release" ? "released torch" : "nightly"} is known to work yet.</p> : <>
          <div class="line"><code tabIndex={0}>{found.line}</code><button onClick={() => copy(found.line, "install line")} aria-label={`Copy the line for the ${channel === "release" ? "release" : "nightly"}`}>Copy</button></div>
          <p class="dim">{found.because}</p>
        </>}
      </div>;
    })}
  </section>;
}

function MatrixView({ view }: { readonly view: CombinationsView }): JSX.Element {
  const { model: { live }, hosted, kept, keep, tell } = usePage();
  const { axis, filter, selected } = kept;
  const running = useMemo(() => runningCells(live, axis, view.current), [live, axis, view.current]);
  // Progress changes many times a second, what has a row and a column does not.
  const runningKey = JSON.stringify(running);
  const matrix = useMemo(() => foldMatrix(view.records, view.known, { axis, filter, running }), [view.records, view.known, axis, filter, runningKey]);
  const places = useMemo(() => livePlaces(live, axis, view.current, matrix), [live, axis, view.current, matrix]);
  const rowAt = useMemo(() => new Map(matrix.rows.map(({ torch }, index) => [torch, index])), [matrix]);
  const row = rowAt.get(selected?.torch ?? "");
  const column = selected?.column === undefined ? -1 : matrix.columns.findIndex(({ key }) => key === selected.column);
  const active: readonly [number, number] = row === undefined ? [0, matrix.columns.length > 0 ? 0 : -1] : [row, column];
  const select = (toRow: number, toColumn: number, open: boolean): void => {
    const torch = matrix.rows[toRow]?.torch;
    const key = matrix.columns[toColumn]?.key;
    if (torch !== undefined) keep({ selected: { torch, ...(key === undefined ? {} : { column: key }) }, open });
  };
  const scroll = useRef(kept.scroll);
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const isOpen = kept.open && row !== undefined;
  /** Counts how often evidence was asked for by keyboard: the focus goes there, and comes back. */
  const [asked, setAsked] = useState(0);
  const close = (): void => {
    keep({ open: false });
    document.querySelector<HTMLElement>(".grid [data-active]")?.focus();
  };

  return <section aria-labelledby="matrix">
    <h2 id="matrix" class="hidden">Matrix</h2>
    <Toolbar view={view} />
    <p class="summary" role="status">
      {matrix.shown.rows === matrix.shown.ofRows ? plural(matrix.shown.rows, "version") : `${matrix.shown.rows} of ${plural(matrix.shown.ofRows, "version")}`} of torch,{" "}
      {matrix.shown.records === matrix.shown.ofRecords ? plural(matrix.shown.records, "record") : `${matrix.shown.records.toLocaleString("en")} of ${plural(matrix.shown.ofRecords, "record")}`}
    </p>
    {matrix.rows.length === 0
      ? <div class="empty"><p>No version of torch fits the filter.</p><button onClick={() => keep({ filter: {} })}>Clear the filter</button></div>
      : <div class={isOpen ? "beside" : ""} onKeyDown={(event) => {
        if (event.key === "Escape" && isOpen) {
          event.preventDefault();
          close();
        }
      }}>
        <div class="main">
          <Grid matrix={matrix} label="Combinations" active={active} opened={isOpen}
            places={places}
            move={(toRow, toColumn) => select(toRow, toColumn, kept.open)} open={(toRow, toColumn, byKeyboard) => {
              select(toRow, toColumn, true);
              if (byKeyboard) setAsked(asked + 1);
            }}
            scroll={scroll.current.matrix ?? [0, 0]}
            keepScroll={(x, y) => {
              clearTimeout(timer.current);
              timer.current = setTimeout(() => keep((before) => ({ scroll: { ...before.scroll, matrix: [x, y] } })), 150);
            }} />
          <Legend />
        </div>
        {isOpen ? <Details matrix={matrix} row={active[0]} column={active[1]} live={places.get(placeKey(matrix.rows[active[0]]?.torch ?? "", matrix.columns[active[1]]?.key ?? "")) ?? []} asked={asked} close={close} /> : null}
      </div>}
    {hosted ? <p class="foot dim">
      {view.knownAt === undefined ? "No index was read yet." : <>Indexes were read <Ago when={view.knownAt} />.</>}{" "}
      <button class="link" onClick={() => tell({ type: "refreshIndexes" })}>Refresh indexes</button>{" "}
      <button class="link" onClick={() => tell({ type: "openRecords" })}>Open the records</button>{" "}
      <button class="link" onClick={() => tell({ type: "editMatrix" })}>Edit the matrix</button>
    </p> : null}
  </section>;
}

const axes: readonly (readonly [Axis, string])[] = [["version", "Project version"], ["commit", "Commit"], ["python", "Python"], ["cuda", "CUDA"], ["compiler", "Compiler"], ["platform", "Platform"], ["gpu", "GPU"]];

function Toolbar({ view }: { readonly view: CombinationsView }): JSX.Element {
  const { hosted, kept: { axis, filter }, keep } = usePage();
  const { pythons, platforms } = useMemo(() => matrixChoices(view.records), [view.records]);
  const set = <K extends keyof MatrixFilter>(name: K, value: MatrixFilter[K] | undefined): void => {
    keep({ filter: value === undefined ? without(filter, name) : { ...filter, [name]: value } });
  };
  const choice = (name: "channel" | "outcome" | "how" | "python" | "platform", title: string, all: string, values: readonly (readonly [string, string])[]): JSX.Element | null =>
    values.length < 2 && filter[name] === undefined ? null : <select aria-label={title} value={filter[name] ?? ""} onChange={({ currentTarget: { value } }) => set(name, value === "" ? undefined : value as never)}>
      <option value="">{all}</option>
      {values.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
    </select>;
  return <div class="toolbar" role="search" aria-label="Matrix">
    <input type="search" placeholder="Filter: 2.15 gcc undefined symbol" aria-label="Filter versions and records" value={filter.text ?? ""} spellcheck={false}
      onInput={({ currentTarget: { value } }) => set("text", value === "" ? undefined : value)} />
    <label>Columns <select value={axis} onChange={({ currentTarget: { value } }) => keep({ axis: value as Axis })}>{axes.map(([value, text]) => <option key={value} value={value}>{text}</option>)}</select></label>
    {choice("channel", "Channel", "Any channel", [["release", "Releases"], ["nightly", "Nightlies"]])}
    {choice("outcome", "Outcome", "Any outcome", [...Object.entries(outcomeWords), ["untried", "not tried"]])}
    {choice("how", "Method", "Any method", ["predicted", "built", "loaded", "smoke", "benchmark"].map((one) => [one, one]))}
    {choice("python", "Python", "Any Python", pythons.map((one) => [one, `Python ${one}`]))}
    {choice("platform", "Platform", "Any platform", platforms.map((one) => [one, one]))}
    <select aria-label="Listed" value={filter.listed === undefined ? "" : String(filter.listed)} onChange={({ currentTarget: { value } }) => set("listed", value === "" ? undefined : value === "true")}>
      <option value="">Listed or not</option><option value="true">Still listed</option><option value="false">No longer listed</option>
    </select>
    {Object.keys(filter).length === 0 ? null : <button class="quiet" onClick={() => keep({ filter: {} })}>Clear</button>}
    {hosted && view.records.length > 0 ? <span class="end"><StartButtons /></span> : null}
  </div>;
}

/** One of them at a time; why one cannot be started is said by the host. */
function StartButtons({ primary = false }: { readonly primary?: boolean }): JSX.Element {
  const { model: { state }, tell } = usePage();
  const [predict, tryAll] = (["predict", "combinations"] as const).map((kind) => state?.work.find((one) => one.kind === kind));
  const runs = predict?.state === "running" || tryAll?.state === "running";
  return <>
    <button class={primary ? "primary" : ""} disabled={runs || predict?.unavailable !== undefined} title={predict?.unavailable} onClick={() => tell({ type: "start", work: "predict" })}>Predict</button>
    <button disabled={runs || tryAll?.unavailable !== undefined || state?.trusted === false} title={tryAll?.unavailable} onClick={() => tell({ type: "start", work: "combinations" })}>Try the matrix</button>
  </>;
}

/** Tried and predicted side by side, so that neither is taken for the other. */
function Legend(): JSX.Element {
  return <p class="legend dim">
    <span class="strong">Tried:</span>
    <span><OutcomeIcon outcome="passed" />passed</span><span><OutcomeIcon outcome="failed" />failed</span><span><OutcomeIcon outcome="mixed" />both</span><span><OutcomeIcon outcome="unknown" />could not be told</span>
    <span class="strong">Predicted only:</span>
    <span><OutcomeIcon outcome="predicted-no-conflict" /><i>no conflict</i></span><span><OutcomeIcon outcome="predicted-conflict" /><i>conflict</i></span><span><OutcomeIcon outcome="predicted-unknown" /><i>not told</i></span>
  </p>;
}
