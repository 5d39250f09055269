/** The history of the benchmarks, what a run reaches of what the machine can do, and how it compares with a baseline. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { BenchmarksView, Comparison } from "../../src/protocol/panel.ts";
import { duration, fractionWords, plural, shortCommit, verdictWords } from "../../src/views/words.ts";
import { HistoryChart } from "./chart.tsx";
import { usePage } from "./context.ts";
import { Icon } from "./icons.tsx";
import { seriesOf } from "./series.ts";
import type { Series } from "./series.ts";
import { intervalWords, ratioWords, when } from "./seriesWords.ts";

/** Charts before one asks for more. */
const firstShown = 12;
/** Single runs that are offered as baselines. */
const offeredRuns = 20;

export function Benchmarks(): JSX.Element {
  const { model: { state } } = usePage();
  const view = state?.benchmarks;
  return view === undefined ? <p class="busy" role="status">Reading the history…</p> : <History view={view} />;
}

function History({ view }: { readonly view: BenchmarksView }): JSX.Element {
  const { model: { state }, hosted, kept: { benchmarks: text }, keep, tell } = usePage();
  const [shown, setShown] = useState(firstShown);
  const all = useMemo(() => seriesOf(view), [view]);
  const words = text.toLowerCase().split(/\s+/);
  const fitting = all.filter(({ name, plan }) => words.every((word) => `${name} ${plan}`.toLowerCase().includes(word)));
  const work = state?.work.find(({ kind }) => kind === "benchmark");
  const unavailable = work?.unavailable;
  if (view.runs.length === 0) {
    return <div class="empty">
      <p>No benchmark was run yet. Runs are kept with the state of the machine, so that later ones can be compared with them.</p>
      {unavailable === undefined ? null : <p class="dim">{unavailable}</p>}
      {hosted ? <div class="ways">
        <button class="primary" disabled={unavailable !== undefined || work?.state === "running"} onClick={() => tell({ type: "start", work: "benchmark" })}>Run benchmarks</button>
        <button class="quiet" onClick={() => tell({ type: "openDocumentation" })}>How to measure</button>
      </div> : null}
      <Problems view={view} />
    </div>;
  }
  return <>
    <div class="toolbar" role="search" aria-label="Benchmarks">
      {all.length > 1 ? <input type="search" placeholder="Filter benchmarks" aria-label="Filter benchmarks" value={text} spellcheck={false} onInput={({ currentTarget: { value } }) => keep({ benchmarks: value })} /> : null}
      {hosted ? <BaselineChooser view={view} /> : null}
    </div>
    <Problems view={view} />
    {view.comparison === undefined ? null : <ComparisonTable comparison={view.comparison} fits={(name) => words.every((word) => name.toLowerCase().includes(word))} />}
    {fitting.length === 0 ? <p>No benchmark fits the filter.</p> : fitting.slice(0, shown).map((series) => <Benchmark key={`${series.plan}\n${series.name}`} series={series} hasPlans={new Set(all.map(({ plan }) => plan)).size > 1} />)}
    {fitting.length > shown ? <button onClick={() => setShown(shown + firstShown)}>Show {Math.min(firstShown, fitting.length - shown)} more of {fitting.length}</button> : null}
  </>;
}

function BaselineChooser({ view }: { readonly view: BenchmarksView }): JSX.Element {
  const { kept, keep, tell } = usePage();
  const runs = view.runs.slice(-offeredRuns).reverse();
  const chosen = kept.baseline ?? "last";
  const isOffered = chosen === "last" || view.baselines.some(({ name }) => name === chosen) || runs.some(({ id }) => id === chosen);
  return <label>Baseline <select value={chosen} onChange={({ currentTarget: { value } }) => {
    keep({ baseline: value });
    tell({ type: "chooseBaseline", baseline: value });
  }}>
    <option value="last">The run before</option>
    {isOffered ? null : <option value={chosen}>{chosen}</option>}
    {view.baselines.length === 0 ? null : <optgroup label="Saved baselines">{view.baselines.map(({ name }) => <option key={name} value={name}>{name}</option>)}</optgroup>}
    <optgroup label="Runs">{runs.map(({ id, plan, started }) => <option key={id} value={id}>{`${when(started)} ${plan}`}</option>)}</optgroup>
  </select></label>;
}

const marks: Readonly<Record<Comparison["verdict"], "good" | "bad" | "info" | "unknown">> = {
  regressed: "bad", improved: "good", "no-difference": "info", "too-few": "unknown", unclear: "unknown", "only-before": "info", "only-now": "info", "machines-differ": "unknown", "not-measured": "unknown",
};

function ComparisonTable({ comparison, fits }: { readonly comparison: NonNullable<BenchmarksView["comparison"]>; readonly fits: (name: string) => boolean }): JSX.Element {
  const rows = comparison.comparisons.filter(({ name, plan }) => fits(`${name} ${plan ?? ""}`));
  return <section aria-labelledby="comparison">
    <h2 id="comparison">Compared with {comparison.with}</h2>
    <div class="scroller" tabIndex={0} role="group" aria-label="Comparison, to be scrolled">
      <table class="numbers">
        <thead><tr><th scope="col">Benchmark</th><th scope="col">Verdict</th><th scope="col">Before</th><th scope="col">Now</th><th scope="col">Ratio, with its interval</th></tr></thead>
        <tbody>{rows.map((one) => <tr key={`${one.plan ?? ""}\n${one.name}`} class={one.verdict}>
          <th scope="row">{one.name}</th>
          <td class="text"><Icon mark={marks[one.verdict]} />{verdictWords[one.verdict]}{one.reason === undefined ? null : <p class="dim">{one.reason}</p>}</td>
          <td>{one.before === undefined ? "" : duration(one.before)}</td><td>{one.now === undefined ? "" : duration(one.now)}</td><td>{ratioWords(one)}</td>
        </tr>)}</tbody>
      </table>
    </div>
    <p class="dim">{comparison.method}</p>
  </section>;
}

function Benchmark({ series, hasPlans }: { readonly series: Series; readonly hasPlans: boolean }): JSX.Element {
  const { kept: { tables }, keep } = usePage();
  const { name, plan, points, comparison } = series;
  const last = points.at(-1);
  const key = `${plan}\n${name}`;
  return <section class="benchmark" aria-label={name}>
    <h3>{name}{hasPlans ? <span class="dim"> {plan}</span> : null}</h3>
    <p class="now">
      {last?.median === undefined ? <span>{last?.problem ?? "No number."}</span> : <span class="strong">{duration(last.median)}</span>}
      {last?.interval === undefined ? null : <span class="dim">{intervalWords(last.interval)}</span>}
      {last?.fraction === undefined ? null : <span class="fraction"><meter min={0} max={1} value={last.fraction.fraction} aria-label={fractionWords(last.fraction)} />{fractionWords(last.fraction)}{last.fraction.doubtful === undefined ? null : <span class="dim" title={last.fraction.doubtful}>doubtful: {last.fraction.doubtful}</span>}</span>}
      {comparison === undefined ? null : <span><Icon mark={marks[comparison.verdict]} />{verdictWords[comparison.verdict]} {ratioWords(comparison)}</span>}
    </p>
    <HistoryChart series={series} />
    <details open={tables.includes(key)} onToggle={({ currentTarget: { open } }) => {
      if (open !== tables.includes(key)) keep({ tables: open ? [...tables, key] : tables.filter((one) => one !== key) });
    }}>
      <summary>Table of {plural(points.length, "run")}</summary>
      {tables.includes(key) ? <div class="scroller" tabIndex={0} role="group" aria-label={`Runs of ${name}, to be scrolled`}><table class="numbers">
        <thead><tr><th scope="col">Run (UTC)</th><th scope="col">Commit</th><th scope="col">Median</th><th scope="col">95 % interval</th><th scope="col">Repetitions</th><th scope="col">Of the limit</th><th scope="col">What changed around it</th></tr></thead>
        <tbody>{[...points].reverse().map((point) => <tr key={point.run}>
          <th scope="row">{when(point.started)}</th><td><code>{point.commit === undefined ? "" : shortCommit(point.commit)}</code></td>
          <td>{point.median === undefined ? point.problem ?? "" : duration(point.median)}</td><td>{intervalWords(point.interval)}</td><td>{point.repetitions}</td>
          <td>{point.fraction === undefined ? "" : fractionWords(point.fraction)}</td><td class="text">{point.changes.join("; ")}</td>
        </tr>)}</tbody>
      </table></div> : null}
    </details>
  </section>;
}

function Problems({ view: { problems, runs } }: { readonly view: BenchmarksView }): JSX.Element | null {
  const all = [...problems, ...(runs.at(-1)?.warnings ?? [])];
  return all.length === 0 ? null : <ul class="plain problems">{all.map((one) => <li key={one}><Icon mark="warning" />{one}</li>)}</ul>;
}
