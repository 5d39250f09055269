/** The bodies of each target side by side, trait by trait. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { BodiesView, BodyCell, BodyColumn, BodyRow } from "../../src/protocol/panel.ts";
import { plural } from "../../src/views/words.ts";
import { usePage } from "./context.ts";
import { FindingItem, GoToLine } from "./finding.tsx";
import { Icon } from "./icons.tsx";
import { chosenTarget, disagreementsOf, disagrees, placeName, roleWords, saysReason, targetKeys, targetNotes } from "./traits.ts";
import type { Target } from "./traits.ts";

/** A target's name may be an expression. */
const longestName = 48;

export function Bodies(): JSX.Element {
  const { model: { state }, hosted, kept, keep, tell } = usePage();
  const view = state?.bodies;
  if (view === undefined) {
    return <p class="busy" role="status">Reading the build files…</p>;
  }
  const target = chosenTarget(view, kept.target);
  const [keys, notes] = [targetKeys(view), targetNotes(view)];
  if (target === undefined) {
    return <div class="empty">
      <p>No target was found: no extension in setup.py or pyproject.toml, and none in CMakeLists.txt that has to do with torch.</p>
      {hosted ? <button onClick={() => tell({ type: "openDocumentation" })}>How projects are found</button> : null}
      <NotChecked view={view} />
    </div>;
  }
  return <>
    <div class="toolbar">
      {view.targets.length > 1 ? <label>Target <select class="wide" value={keys[view.targets.indexOf(target)]} onChange={({ currentTarget }) => keep({ target: currentTarget.value })}>
        {view.targets.map((one, index) => <option key={keys[index]} value={keys[index]}>{`${one.name.length > longestName ? `${one.name.slice(0, longestName)}…` : one.name} (${targetWords(one, notes[index] ?? "")})`}</option>)}
      </select></label> : null}
      <label class="check"><input type="checkbox" checked={kept.onlyDisagreements} onChange={({ currentTarget }) => keep({ onlyDisagreements: currentTarget.checked })} /> Only disagreements</label>
      {hosted ? <span class="end">
        <button onClick={() => tell({ type: "compareAlso" })}>{state?.also === undefined ? "Compare with another environment…" : "Compare with another…"}</button>
        {state?.also === undefined ? null : <button class="quiet" onClick={() => tell({ type: "compareAlso", remove: true })}>Remove the fifth column</button>}
      </span> : null}
    </div>
    <TargetTable view={view} target={target} only={kept.onlyDisagreements} />
    <NotChecked view={view} />
  </>;
}

function targetWords(target: Target, note: string): string {
  const count = disagreementsOf(target);
  return `${target.builder}${note === "" ? "" : ` ${note}`}, ${count === 0 ? "no disagreement" : plural(count, "disagreement")}`;
}

function TargetTable({ view, target, only }: { readonly view: BodiesView; readonly target: Target; readonly only: boolean }): JSX.Element {
  const { hosted, tell } = usePage();
  const rows = useMemo(() => target.rows.filter((row) => !only || disagrees(row)), [target, only]);
  const isBuilt = target.columns.some(({ role, absent }) => role === "built" && absent === undefined);
  return <section aria-labelledby="target">
    <h2 id="target">{target.name} <span class="dim">{target.builder}</span>{target.location === undefined ? null : <> <GoToLine location={target.location} /></>}</h2>
    {rows.length === 0
      ? <p>{target.rows.length === 0 ? "Nothing is known of this target yet." : "No disagreement was found in what was compared."}</p>
      : <div class="scroller" tabIndex={0} role="group" aria-label="Traits, to be scrolled">
        <table class="bodies">
          <caption class="hidden">Traits of {target.name}, side by side</caption>
          <thead><tr><th scope="col">Trait</th><th scope="col">Result</th>{target.columns.map((column) => <ColumnHead key={column.role} column={column} />)}</tr></thead>
          <tbody>{rows.map((row) => <TraitRow key={row.trait} row={row} columns={target.columns} view={view} />)}</tbody>
        </table>
      </div>}
    {isBuilt || !hosted ? null : <p class="hint">Nothing of this target was built yet. <button onClick={() => tell({ type: "start", work: "build" })}>Build</button></p>}
  </section>;
}

function ColumnHead({ column: { role, name, absent } }: { readonly column: BodyColumn }): JSX.Element {
  return <th scope="col">{roleWords[role]}<span class="name">{absent ?? name}</span></th>;
}

function TraitRow({ row, columns, view }: { readonly row: BodyRow; readonly columns: readonly BodyColumn[]; readonly view: BodiesView }): JSX.Element {
  const also = columns.some(({ role }) => role === "also") ? row.also : undefined;
  const findings = [...new Set([...row.findings, ...(also?.findings ?? [])])].flatMap((index) => {
    const finding = view.findings[index];
    return finding === undefined ? [] : [{ finding, index }];
  });
  const reasonOf = (agreement: Pick<BodyRow, "agrees" | "because"> | undefined): string | undefined =>
    agreement?.because === undefined || agreement.agrees === true || saysReason(agreement.because, findings.map(({ finding }) => finding)) ? undefined : agreement.because;
  const because = reasonOf(row);
  const alsoBecause = also?.because === row.because ? undefined : reasonOf(also);
  const tone = disagrees(row) ? `differs ${row.agrees === false ? row.weight ?? "error" : also?.weight ?? "error"}` : "";
  return <>
    <tr class={tone}>
      <th scope="row" title={row.trait}>{row.title}</th>
      <td class="result" data-label="Result"><Verdict of={row} />{also === undefined ? null : <Verdict of={also} name="fifth column" />}</td>
      {columns.map((column, index) => <ValueCell key={column.role} cell={row.cells[index] ?? {}} column={column} />)}
    </tr>
    {because === undefined && alsoBecause === undefined && findings.length === 0 ? null : <tr class={`${tone} more`}>
      <td colSpan={columns.length + 2}>
        {because === undefined ? null : <p>{because}</p>}
        {alsoBecause === undefined ? null : <p>With the fifth column: {alsoBecause}</p>}
        {findings.length === 0 ? null : <ul class="plain">{findings.map(({ finding, index }) => <FindingItem key={index} finding={finding} index={index} of="bodies" />)}</ul>}
      </td>
    </tr>}
  </>;
}

const certainties: Readonly<Record<NonNullable<BodyCell["certainty"]>, string>> = { observed: "read from the file", declared: "asked for in a build file", inferred: "concluded" };

function ValueCell({ cell: { value, certainty, evidence, location }, column: { role, absent } }: { readonly cell: BodyCell; readonly column: BodyColumn }): JSX.Element {
  return <td data-label={roleWords[role]} class="value">
    {value === undefined ? absent === undefined ? <span class="dim">not known</span> : <span class="dim absent"><span class="dash" aria-hidden="true">—</span><span class="hidden">{absent}</span></span> : <>
      <span class="fact">{value}</span>{" "}
      {certainty === undefined ? null : <span class={`certainty ${certainty}`} title={certainties[certainty]}>{certainty}</span>}
      {location === undefined ? null : <span class="at"><GoToLine location={location} /></span>}
      {evidence === undefined || (location !== undefined && evidence === placeName(location)) ? null : <span class="evidence" title={evidence}>{evidence}</span>}
    </>}
  </td>;
}

function Verdict({ of: { agrees, weight }, name }: { readonly of: Pick<BodyRow, "agrees" | "weight">; readonly name?: string }): JSX.Element {
  const [mark, word] = agrees === true ? ["good", "agrees"] as const : agrees === null ? ["unknown", "not compared"] as const
    : weight === "info" ? ["info", "differs"] as const : weight === "warning" ? ["warning", "disagrees"] as const : ["bad", "disagrees"] as const;
  return <div class="word"><Icon mark={mark} />{word}{name === undefined ? null : <span class="dim"> ({name})</span>}</div>;
}

function NotChecked({ view: { notChecked } }: { readonly view: BodiesView }): JSX.Element | null {
  return notChecked.length === 0 ? null : <details>
    <summary>Not checked ({notChecked.length})</summary>
    <ul>{notChecked.map((one) => <li key={one}>{one}</li>)}</ul>
  </details>;
}
