/** The matrix as a grid of which only what is in sight is in the page. */
import { Component } from "preact";
import type { JSX, RefObject } from "preact";
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Matrix, MatrixCell, MatrixRow } from "../../src/views/matrix.ts";
import { cellWords, columnWords } from "./cellWords.ts";
import { OutcomeIcon } from "./icons.tsx";
import { placeKey } from "./live.ts";
import type { LiveCell } from "./model.ts";
import { itemsInSight, offsetFor } from "./window.ts";
import type { Item, Line } from "./window.ts";

/** In pixels, as the style sheet has them. */
const rowHeight = 24;
const headHeight = 28;

export interface GridProps {
  readonly matrix: Matrix;
  readonly label: string;
  /** Where the tab stop is; column -1 is the head of the row. */
  readonly active: readonly [row: number, column: number];
  readonly opened: boolean;
  /** What is being tried, by `placeKey`. */
  readonly places: Places;
  readonly move: (row: number, column: number) => void;
  readonly open: (row: number, column: number, byKeyboard: boolean) => void;
  readonly scroll: readonly [x: number, y: number];
  readonly keepScroll: (x: number, y: number) => void;
}

export function Grid({ matrix, label, active, opened, places, move, open, scroll, keepScroll }: GridProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [headWidth, columnWidth] = innerWidth <= 600 ? [172, 112] : [252, 128];
  const sight = useSight(box, scroll, columnWidth);
  const down: Line = { count: matrix.rows.length, size: rowHeight, before: headHeight, beyond: 8, kept: active[0] };
  const across: Line = { count: matrix.columns.length, size: columnWidth, before: headWidth, beyond: 2, kept: active[1] };
  const rows = itemsInSight(down, sight.y, sight.height);
  const columns = useSame(itemsInSight(across, sight.x, sight.width), (items) => items.map(({ index, start }) => `${index} ${start}`).join());
  /** The keyboard moved: the focus follows once the cell is in the page. */
  const follows = useRef(false);
  const opens = useRef(open);
  opens.current = open;
  const onOpen = useCallback<GridProps["open"]>((...place) => opens.current(...place), []);

  const go = (row: number, column: number): void => {
    const [toRow, toColumn] = [Math.max(0, Math.min(matrix.rows.length - 1, row)), Math.max(-1, Math.min(matrix.columns.length - 1, column))];
    follows.current = true;
    const element = box.current;
    if (element !== null) {
      element.scrollTop = offsetFor(toRow, down, element.scrollTop, element.clientHeight);
      if (toColumn >= 0) element.scrollLeft = offsetFor(toColumn, across, element.scrollLeft, element.clientWidth);
    }
    move(toRow, toColumn);
  };
  useLayoutEffect(() => {
    if (follows.current) {
      follows.current = false;
      box.current?.querySelector<HTMLElement>("[data-active]")?.focus({ preventScroll: true });
    }
  });

  const hadEvidence = useRef(opened);
  useLayoutEffect(() => {
    const element = box.current;
    // The evidence takes room beside it: what it is about stays in sight.
    if (element !== null && opened && !hadEvidence.current && active[1] >= 0) element.scrollLeft = offsetFor(active[1], across, element.scrollLeft, element.clientWidth);
    hadEvidence.current = opened;
  }, [opened]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const [row, column] = active;
    const isFar = event.ctrlKey || event.metaKey;
    const page = Math.max(1, Math.floor(((box.current?.clientHeight ?? 0) - headHeight) / rowHeight) - 1);
    if (event.altKey || event.shiftKey) return;
    switch (event.key) {
      case "ArrowDown": go(isFar ? matrix.rows.length - 1 : row + 1, column); break;
      case "ArrowUp": go(isFar ? 0 : row - 1, column); break;
      case "ArrowRight": go(row, isFar ? matrix.columns.length - 1 : column + 1); break;
      case "ArrowLeft": go(row, isFar ? -1 : column - 1); break;
      case "PageDown": go(row + page, column); break;
      case "PageUp": go(row - page, column); break;
      case "Home": go(isFar ? 0 : row, -1); break;
      case "End": go(isFar ? matrix.rows.length - 1 : row, matrix.columns.length - 1); break;
      case "Enter":
      case " ": open(row, column, true); break;
      default: return;
    }
    event.preventDefault();
  };

  const width = headWidth + matrix.columns.length * columnWidth;
  return <div class="grid" role="grid" aria-label={label} aria-rowcount={matrix.rows.length + 1} aria-colcount={matrix.columns.length + 1} ref={box} onKeyDown={onKeyDown}
    onScroll={({ currentTarget }) => keepScroll(currentTarget.scrollLeft, currentTarget.scrollTop)}>
    <div class="sheet" role="rowgroup" style={{ width: `${width}px`, height: `${headHeight + matrix.rows.length * rowHeight}px` }}>
      <div class="head" role="row" aria-rowindex={1} style={{ width: `${width}px` }}>
        <div class="corner" role="columnheader" aria-colindex={1} style={{ width: `${headWidth}px` }}>torch</div>
        {columns.map(({ index, start }) => {
          const column = matrix.columns[index];
          return column === undefined ? null : <div key={column.key} class="column" role="columnheader" aria-colindex={index + 2} title={columnWords(column)} style={{ left: `${start}px` }}>{column.label}</div>;
        })}
      </div>
      {rows.map(({ index, start }) => {
        const torch = matrix.rows[index]?.torch ?? "";
        return <GridRow key={torch} matrix={matrix} index={index} start={start} width={width} headWidth={headWidth} columns={columns}
          active={index === active[0] ? active[1] : undefined} opened={opened && index === active[0]} places={places.has(placeKey(torch, "")) ? places : noPlaces} open={onOpen} />;
      })}
    </div>
  </div>;
}

type Places = ReadonlyMap<string, readonly LiveCell[]>;
const noPlaces: Places = new Map();
const nothing: readonly LiveCell[] = [];

interface RowProps {
  readonly matrix: Matrix;
  readonly index: number;
  readonly start: number;
  readonly width: number;
  readonly headWidth: number;
  readonly columns: readonly Item[];
  /** The column of the tab stop, where it is in this row. */
  readonly active: number | undefined;
  readonly opened: boolean;
  readonly places: Places;
  readonly open: (row: number, column: number, byKeyboard: boolean) => void;
}

/** A row is made anew only when something of it changed: while one scrolls, most stay. */
class GridRow extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    return (Object.keys(next) as (keyof RowProps)[]).some((name) => next[name] !== this.props[name]);
  }

  override render({ matrix, index, start, width, headWidth, columns, active, opened, places, open }: RowProps): JSX.Element | null {
    const row = matrix.rows[index];
    if (row === undefined) return null;
    const attributes = (column: number): Attributes => {
      const isActive = column === active;
      return { tabIndex: isActive ? 0 : -1, ...(isActive ? { "data-active": "" } : {}), ...(isActive && opened ? { "aria-selected": "true" } : {}), "aria-colindex": column + 2, onClick: ({ detail }) => open(index, column, detail === 0) };
    };
    return <div class="row" role="row" aria-rowindex={index + 2} style={{ top: `${start}px`, width: `${width}px` }}>
      <RowHead row={row} running={places.get(placeKey(row.torch, "")) ?? nothing} width={headWidth} {...attributes(-1)} />
      {columns.map((item) => {
        const column = matrix.columns[item.index];
        return column === undefined ? null : <Cell key={column.key} cell={matrix.cell(index, item.index)} running={places.get(placeKey(row.torch, column.key)) ?? nothing} left={item.start} {...attributes(item.index)} />;
      })}
    </div>;
  }
}

/** What every place of the grid has, the heads of rows too. */
interface Attributes {
  readonly tabIndex: number;
  readonly "data-active"?: string;
  readonly "aria-selected"?: "true";
  readonly "aria-colindex": number;
  /** A click that no pointer made comes from a screen reader. */
  readonly onClick: (event: MouseEvent) => void;
}

function RowHead({ row, running, width, ...attributes }: { readonly row: MatrixRow; readonly running: readonly LiveCell[]; readonly width: number } & Attributes): JSX.Element {
  const [version = row.torch, label] = row.torch.split("+");
  return <div class={`torch ${row.channel}`} role="rowheader" title={row.torch} {...attributes} style={{ width: `${width}px` }}>
    {running.length === 0 ? null : <span class="busy"><span class="hidden">{running.length} being tried, </span></span>}
    <span class="version">{version}{label === undefined ? null : <span class="dim">+{label}</span>}</span>
    {row.yanked === true ? <span class="tag">yanked</span> : row.listed === false ? <span class="tag" title="No index lists it any more.">gone</span> : null}
  </div>;
}

function Cell({ cell, running, left, ...attributes }: { readonly cell: MatrixCell | undefined; readonly running: readonly LiveCell[]; readonly left: number } & Attributes): JSX.Element {
  const [first] = running;
  const style = { left: `${left}px` };
  if (first !== undefined) {
    const percent = first.fraction === undefined ? undefined : Math.round(first.fraction * 100);
    return <div class={`cell live ${first.state}`} role="gridcell" {...attributes} style={style}>
      {first.state === "running" ? <span class="busy" /> : <span class="queue" />}
      <span class="word">{first.state === "queued" ? "queued" : first.step ?? "starting"}{percent === undefined ? "" : ` ${percent} %`}</span>
      {running.length > 1 ? <span class="tag">+{running.length - 1}</span> : null}
      {percent === undefined ? null : <span class="bar" style={{ width: `${percent}%` }} />}
    </div>;
  }
  if (cell === undefined) {
    return <div class="cell untried" role="gridcell" {...attributes} style={style}><span class="hidden">not tried</span></div>;
  }
  const { word, by, said } = cellWords(cell);
  return <div class={`cell ${cell.outcome}`} role="gridcell" title={said} {...attributes} style={style}>
    <OutcomeIcon outcome={cell.outcome} /><span class="hidden">{said}</span><span class="word" aria-hidden="true">{word}</span>{by === undefined ? null : <span class="by" aria-hidden="true">{by}</span>}
  </div>;
}

/** The earlier value while it is the same by its key: what depends on it need not be made anew. */
function useSame<T>(value: T, keyOf: (value: T) => string): T {
  const before = useRef(value);
  if (before.current !== value && keyOf(before.current) !== keyOf(value)) before.current = value;
  return before.current;
}

interface Sight {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Rows that are scrolled past before others are made. */
const rowsAtOnce = 4;

/** What is seen of a box that scrolls, in steps; before it is in the page, what was seen of it the last time. */
function useSight(box: RefObject<HTMLDivElement | null>, [x, y]: readonly [x: number, y: number], columnWidth: number): Sight {
  const [sight, setSight] = useState<Sight>(() => stepwise({ x, y, width: innerWidth, height: innerHeight }, columnWidth));
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    element.scrollTo(x, y);
    const look = (): void => setSight((before) => {
      const now = stepwise({ x: element.scrollLeft, y: element.scrollTop, width: element.clientWidth, height: element.clientHeight }, columnWidth);
      return now.x === before.x && now.y === before.y && now.width === before.width && now.height === before.height ? before : now;
    });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [columnWidth]);
  return sight;
}

function stepwise({ x, y, width, height }: Sight, columnWidth: number): Sight {
  const step = rowsAtOnce * rowHeight;
  return { x: Math.floor(x / columnWidth) * columnWidth, y: Math.floor(y / step) * step, width: width + columnWidth, height: height + step };
}
