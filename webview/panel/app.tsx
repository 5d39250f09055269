import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Benchmarks } from "./benchmarks.tsx";
import { Bodies } from "./bodies.tsx";
import { Combinations } from "./combinations.tsx";
import { PageContext } from "./context.ts";
import type { Page } from "./context.ts";
import { hosted, keep as keepForLater, keptBefore, publishedState, tell } from "./host.ts";
import type { Kept, Tab } from "./host.ts";
import { Icon } from "./icons.tsx";
import { emptyModel, isHostMessage, noticed, receive } from "./model.ts";
import type { Model } from "./model.ts";
import { Strip } from "./strip.tsx";
import { disagreements } from "./traits.ts";
import { without } from "./without.ts";

export function App(): JSX.Element {
  const [model, setModel] = useState<Model>(() => ({ ...emptyModel, ...withPublished() }));
  const [kept, setKept] = useState<Kept>(keptBefore);
  const latest = useRef(kept);
  const keep: Page["keep"] = (changes) => {
    latest.current = { ...latest.current, ...(typeof changes === "function" ? changes(latest.current) : changes) };
    keepForLater(latest.current);
    setKept(latest.current);
  };
  const copy = (text: string, what: string): void => {
    if (hosted) {
      tell({ type: "copy", text, what });
      return;
    }
    navigator.clipboard.writeText(text).then(
      () => setModel((before) => noticed(before, "done", `Copied ${what}`)),
      () => setModel((before) => noticed(before, "failed", "The browser does not let this page copy. Select the line and copy it.")),
    );
  };

  useEffect(() => {
    let hasState = false;
    const ready = (): void => {
      const { root, also, baseline } = latest.current;
      tell({ type: "ready", ...(root === undefined ? {} : { root }), ...(also === undefined ? {} : { also }), ...(baseline === undefined ? {} : { baseline }) });
    };
    const listener = ({ data }: MessageEvent<unknown>): void => {
      if (!isHostMessage(data)) return;
      if (data.type === "shown") {
        // Without a state it is a new page, whose "ready" is on its way.
        if (hasState) ready();
        return;
      }
      if (data.type === "state") {
        hasState = true;
        const { root } = data.state.project;
        // Runs have their names in one project only.
        const before = latest.current.root === root ? latest.current : without(latest.current, "baseline");
        latest.current = withAlso({ ...before, root }, data.state.also);
        keepForLater(latest.current);
        setKept(latest.current);
      } else if (data.type === "bodies") {
        latest.current = withAlso(latest.current, data.also);
        keepForLater(latest.current);
      }
      setModel((before) => receive(before, data));
    };
    addEventListener("message", listener);
    ready();
    return () => removeEventListener("message", listener);
  }, []);

  const page: Page = { model, hosted, kept, keep, tell, copy };
  return <PageContext.Provider value={page}>
    {model.state === undefined ? <main class="waiting"><h1 class="hidden">Abiding</h1><p class="busy" role="status">Reading the project…</p></main> : <Views page={page} />}
    <Notices model={model} />
  </PageContext.Provider>;
}

function withPublished(): Partial<Model> {
  const state = publishedState();
  return state === undefined ? {} : { state };
}

function withAlso(kept: Kept, also: string | undefined): Kept {
  return also === undefined ? without(kept, "also") : { ...kept, also };
}

const tabs: readonly (readonly [Tab, string])[] = [["bodies", "Bodies"], ["combinations", "Combinations"], ["benchmarks", "Benchmarks"]];

function Views({ page }: { readonly page: Page }): JSX.Element {
  const { kept, keep, model: { state } } = page;
  const has: Readonly<Record<Tab, boolean>> = { bodies: hosted || state?.bodies !== undefined, combinations: hosted || state?.combinations !== undefined, benchmarks: hosted || state?.benchmarks !== undefined };
  const offered = tabs.filter(([tab]) => has[tab]);
  const current = has[kept.tab] ? kept.tab : offered[0]?.[0] ?? "combinations";
  useKeptScroll(current, page, state?.[current] !== undefined);
  return <>
    <Strip />
    <main>
      <div class="tabs" role="tablist" aria-label="Views" onKeyDown={(event) => {
        const at = offered.findIndex(([tab]) => tab === current);
        const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: offered.length - 1 }[event.key];
        const next = to === undefined ? undefined : offered[(to + offered.length) % offered.length];
        if (next !== undefined) {
          event.preventDefault();
          keep({ tab: next[0] });
          document.getElementById(`tab-${next[0]}`)?.focus();
        }
      }}>
        {offered.map(([tab, title]) => <button key={tab} role="tab" id={`tab-${tab}`} aria-selected={tab === current} aria-controls={`view-${tab}`} tabIndex={tab === current ? 0 : -1} onClick={() => keep({ tab })}>
          {title}<Count of={tab} page={page} />
        </button>)}
      </div>
      {offered.map(([tab]) => <div key={tab} role="tabpanel" id={`view-${tab}`} aria-labelledby={`tab-${tab}`} hidden={tab !== current} tabIndex={-1}>
        {tab !== current ? null : tab === "bodies" ? <Bodies /> : tab === "combinations" ? <Combinations /> : <Benchmarks />}
      </div>)}
    </main>
  </>;
}

function Count({ of, page: { model: { state } } }: { readonly of: Tab; readonly page: Page }): JSX.Element | null {
  const count = useMemo(() => {
    switch (of) {
      case "bodies":
        return state?.bodies === undefined ? undefined : disagreements(state.bodies);
      case "combinations":
        return state?.combinations?.records.length;
      case "benchmarks":
        return state?.benchmarks === undefined ? undefined : new Set(state.benchmarks.runs.flatMap(({ plan, measurements }) => measurements.map(({ name }) => `${plan}\n${name}`))).size;
    }
  }, [of, state?.bodies, state?.combinations, state?.benchmarks]);
  const words: Readonly<Record<Tab, string>> = { bodies: "disagreements", combinations: "records", benchmarks: "benchmarks" };
  return count === undefined || count === 0 ? null : <> <span class="count">{count.toLocaleString("en")}<span class="hidden"> {words[of]}</span></span></>;
}

/** Each view is scrolled to where it was left. */
function useKeptScroll(tab: Tab, { kept, keep }: Page, isThere: boolean): void {
  const place = useRef({ tab, keep });
  place.current = { tab, keep };
  useLayoutEffect(() => scrollTo(...(kept.scroll[tab] ?? [0, 0])), [tab, isThere]);
  useEffect(() => {
    let pending = 0;
    const listener = (): void => {
      clearTimeout(pending);
      pending = setTimeout(() => {
        const now = place.current;
        now.keep(({ scroll }) => ({ scroll: { ...scroll, [now.tab]: [scrollX, scrollY] } }));
      }, 150);
    };
    addEventListener("scroll", listener, { passive: true });
    return () => {
      clearTimeout(pending);
      removeEventListener("scroll", listener);
    };
  }, []);
}

/** What happened, in words: what was copied goes by itself, what failed stays until it was read. */
function Notices({ model: { notice, announcement } }: { readonly model: Model }): JSX.Element {
  const [gone, setGone] = useState(0);
  useEffect(() => {
    if (notice?.kind !== "done") return undefined;
    const timer = setTimeout(() => setGone(notice.serial), 3000);
    return () => clearTimeout(timer);
  }, [notice]);
  const shown = notice !== undefined && notice.serial > gone ? notice : undefined;
  return <div class="notices">
    <div class="hidden" role="status">{announcement}</div>
    <div role="status">{shown?.kind === "done" ? <p class="notice"><Icon mark="good" />{shown.text}</p> : null}</div>
    <div role="alert">{shown?.kind === "failed" ? <p class="notice"><Icon mark="bad" /><span>{shown.text}</span><button onClick={() => setGone(shown.serial)}>Dismiss</button></p> : null}</div>
  </div>;
}
