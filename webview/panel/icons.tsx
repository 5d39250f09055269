import type { JSX } from "preact";
import type { CellOutcome } from "../../src/views/matrix.ts";
import { outlines } from "../shared/marks.ts";
import type { Mark } from "../shared/marks.ts";

export function Icon({ mark }: { readonly mark: Mark }): JSX.Element {
  return <svg viewBox="0 0 16 16" class={`icon ${mark}`} aria-hidden="true"><path d={outlines[mark]} fill-rule="evenodd" /></svg>;
}

const tick = "M4.8 8.2 7 10.4l4.2-4.6";
const cross = "M5.6 5.6l4.8 4.8M10.4 5.6l-4.8 4.8";
const question = "M6.2 6.4a1.8 1.8 0 1 1 2.6 1.6c-.6.3-.8.6-.8 1.3M8 11.2v.6";

/** What was tried has a filled disc, what was only predicted a broken ring: they differ in shape as well as in colour. */
export function OutcomeIcon({ outcome }: { readonly outcome: CellOutcome }): JSX.Element {
  switch (outcome) {
    case "passed":
      return <Icon mark="good" />;
    case "failed":
      return <Icon mark="bad" />;
    case "unknown":
      return <Icon mark="unknown" />;
    case "mixed":
      return <svg viewBox="0 0 16 16" class="icon mixed" aria-hidden="true"><path d="M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1Zm0 1.4v11.2A5.6 5.6 0 0 0 8 2.4Z" fill-rule="evenodd" /></svg>;
    case "predicted-no-conflict":
      return <Ring kind="good" sign={tick} />;
    case "predicted-conflict":
      return <Ring kind="bad" sign={cross} />;
    case "predicted-mixed":
      return <Ring kind="warning" sign="M8 4.5v7" />;
    case "predicted-unknown":
      return <Ring kind="unknown" sign={question} />;
  }
}

function Ring({ kind, sign }: { readonly kind: string; readonly sign: string }): JSX.Element {
  return <svg viewBox="0 0 16 16" class={`icon ring ${kind}`} aria-hidden="true"><circle cx="8" cy="8" r="6.4" /><path d={sign} /></svg>;
}
