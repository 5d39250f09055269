/** The build panel: what can be started, what runs, how it ended, and what stands in the way before anything is built. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { PanelState, WorkKind, WorkState } from "../../src/protocol/panel.ts";
import { age, elapsed, plural } from "../../src/views/words.ts";
import { usePage } from "./context.ts";
import { FindingItem } from "./finding.tsx";
import { Icon } from "./icons.tsx";
import { publishedPage } from "./host.ts";
import { workNames } from "./model.ts";

/** Those that every project has; the others stand here while they run, and when they ended. */
const always: readonly WorkKind[] = ["build", "smoke", "benchmark", "libtorch"];
const others: readonly WorkKind[] = ["combinations", "bisect", "predict"];

/** Skews shown before the view of the bodies has the rest. */
const firstInTheWay = 3;

export function Strip(): JSX.Element {
  const { model: { state }, hosted, tell } = usePage();
  if (state === undefined) return <header />;
  const { project, projects, torch, work, trusted } = state;
  const idle = (kind: WorkKind): WorkState => ({ kind, state: "idle" });
  const shown = [...always.map((kind) => work.find((one) => one.kind === kind) ?? idle(kind)), ...others.flatMap((kind) => work.filter((one) => one.kind === kind && one.state !== "idle"))];
  return <header class="strip">
    <div class="title">
      <h1>{project.name}</h1>
      {projects.length > 1 && hosted
        ? <label class="chooser"><span class="hidden">Project</span>
          <select value={project.root} onChange={({ currentTarget }) => tell({ type: "selectProject", root: currentTarget.value })}>
            {projects.map(({ name, root }) => <option key={root} value={root}>{name}</option>)}
          </select></label>
        : null}
      {publishedPage === undefined ? <p class="torch">
        {torch === undefined ? <><Icon mark="unknown" />No torch was found.</> : torch}
        <button class="link" onClick={() => tell({ type: "selectEnvironment" })}>{torch === undefined ? "Select environment…" : "Change…"}</button>
      </p> : <p class="torch">{publishedPage.project.version === undefined ? "" : `Version ${publishedPage.project.version}. `}Published {publishedPage.published.slice(0, 10)} by Abiding {publishedPage.by}</p>}
      {hosted ? <button class="quiet" onClick={() => tell({ type: "refresh" })}>Refresh</button> : null}
    </div>
    {hosted && !trusted ? <div class="banner" role="note">
      <Icon mark="warning" />
      <p>This workspace is in Restricted Mode: Abiding reads its files and starts nothing of it. Trust it to build, to test and to measure.</p>
      <button onClick={() => tell({ type: "manageTrust" })}>Manage workspace trust…</button>
    </div> : null}
    {hosted ? <ul class="works" aria-label="Work">{shown.map((one) => <Work key={one.kind} work={one} />)}</ul> : null}
    <InTheWay state={state} />
  </header>;
}

const outcomes: Readonly<Record<NonNullable<WorkState["outcome"]>, readonly ["good" | "bad" | "warning", string]>> = {
  passed: ["good", "Done"], failed: ["bad", "Failed"], cancelled: ["warning", "Cancelled"], stopped: ["warning", "Stopped"],
};

function Work({ work }: { readonly work: WorkState }): JSX.Element {
  const { model, tell } = usePage();
  const { kind, state, unavailable, outcome, headline, rule, hasLog, since } = work;
  const name = workNames[kind];
  const isRunning = state === "running";
  const start = kind === "libtorch" ? "Get" : kind === "build" ? "Start" : "Run";
  const canStart = always.includes(kind);
  return <li class="work">
    <div class="line">
      <h2>{name}</h2>
      {isRunning
        ? <button onClick={() => tell({ type: "cancel", work: kind })} aria-label={`Cancel: ${name}`}>Cancel</button>
        : canStart ? <button onClick={() => tell({ type: "start", work: kind })} disabled={unavailable !== undefined || model.state?.trusted === false} aria-label={`${start}: ${name}`}>{start}</button> : null}
      {hasLog === true ? <button class="quiet" onClick={() => tell({ type: "showLog", work: kind })} aria-label={`Log: ${name}`}>Log</button> : null}
    </div>
    {isRunning
      ? <Progress work={work} name={name} />
      : unavailable !== undefined && outcome === undefined ? <p class="dim">{unavailable}</p>
      : outcome === undefined ? <p class="dim">Not run yet.</p>
      : <p><Icon mark={outcomes[outcome][0]} /><span class="strong">{outcomes[outcome][1]}</span>{since === undefined ? null : <> <Ago when={since} /></>}
        {headline === undefined || headline === `${outcomes[outcome][1]}.` ? null : <> <span title={headline}>{headline}</span></>}
        {rule === undefined ? null : <> <RuleLink rule={rule} /></>}
      </p>}
  </li>;
}

function Progress({ work: { step, fraction, since }, name }: { readonly work: WorkState; readonly name: string }): JSX.Element {
  const percent = fraction === undefined ? undefined : Math.round(fraction * 100);
  return <>
    <progress max={100} {...(percent === undefined ? {} : { value: percent })} aria-label={`${name}${step === undefined ? "" : `: ${step}`}`} />
    <p class="dim">{step ?? "Starting"}{percent === undefined ? "" : `, ${percent} %`}{since === undefined ? null : <>, <Elapsed since={since} /></>}</p>
  </>;
}

/** Seconds go on without the rest of the page being made anew. */
function Elapsed({ since }: { readonly since: string }): JSX.Element {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <span>{elapsed(now - Date.parse(since))}</span>;
}

export function Ago({ when }: { readonly when: string }): JSX.Element | null {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 60_000);
    return () => clearInterval(timer);
  }, []);
  const text = age(when, now.getTime() < Date.parse(when) ? new Date() : now);
  return text === undefined ? null : <time class="dim" dateTime={when} title={new Date(when).toLocaleString()}>{text}</time>;
}

export function RuleLink({ rule }: { readonly rule: string }): JSX.Element {
  const { hosted, tell } = usePage();
  return hosted ? <button class="link" onClick={() => tell({ type: "openRule", rule })} title="Open rule documentation">{rule}</button> : <code>{rule}</code>;
}

function InTheWay({ state: { inTheWay } }: { readonly state: PanelState }): JSX.Element | null {
  const { kept, keep } = usePage();
  if (inTheWay.length === 0) return null;
  const rest = inTheWay.length - firstInTheWay;
  const isOpen = kept.inTheWay ?? kept.tab === "bodies";
  const worst = inTheWay.some(({ severity }) => severity === "error") ? "bad" : "warning";
  return <details class={`in-the-way ${worst}`} open={isOpen} onToggle={({ currentTarget: { open } }) => {
    if (open !== isOpen) keep({ inTheWay: open });
  }}>
    <summary><h2><Icon mark={worst} />In the way of a build <span class="count">{inTheWay.length}</span></h2></summary>
    <ul class="plain">{inTheWay.slice(0, firstInTheWay).map((finding, index) => <FindingItem key={index} finding={finding} index={index} of="inTheWay" />)}</ul>
    {rest > 0 ? <button class="link" onClick={() => {
      keep({ tab: "bodies" });
      document.getElementById("tab-bodies")?.focus();
    }}>{plural(rest, "more disagreement")} among the bodies</button> : null}
  </details>;
}
