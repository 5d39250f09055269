import type { JSX } from "preact";
import type { Finding, Location } from "../../src/protocol/panel.ts";
import { usePage } from "./context.ts";
import { Icon } from "./icons.tsx";
import { RuleLink } from "./strip.tsx";
import { placeName } from "./traits.ts";

const marks = { error: "bad", warning: "warning", info: "info", hint: "info" } as const;

/** A finding with the ways on from it: to the line, to the fix, to the rule. */
export function FindingItem({ finding, index, of }: { readonly finding: Finding; readonly index: number; readonly of: "bodies" | "inTheWay" }): JSX.Element {
  const { hosted, tell } = usePage();
  const { severity, message, location, rule } = finding;
  return <li class="finding">
    <p><Icon mark={marks[severity]} /><span class="strong">{severity}</span> {message}</p>
    <p class="ways">
      <GoToLine location={location} />
      {hosted ? finding.fixes.map((fix, at) => <button key={at} class={fix.preferred ? "small primary" : "small"} onClick={() => tell({ type: "applyFix", of, finding: index, fix: at, title: fix.title })}>{fix.title}</button>) : null}
      <RuleLink rule={rule} />
    </p>
  </li>;
}

export function GoToLine({ location }: { readonly location: Location }): JSX.Element {
  const { hosted, tell } = usePage();
  const name = placeName(location);
  const title = name.endsWith(`:${location.range.start.line + 1}`) ? `Go to line ${location.range.start.line + 1} of ${location.path}` : `Open ${location.path}`;
  return hosted ? <button class="link" title={title} onClick={() => tell({ type: "openLocation", location })}>{name}</button> : <code>{name}</code>;
}
