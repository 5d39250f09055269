import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { duration } from "../../src/views/words.ts";
import { chartOf } from "./series.ts";
import type { Series } from "./series.ts";
import { pointWords } from "./seriesWords.ts";

const height = 164;
const bottom = 36;

/** Medians with their intervals, run by run; what changed around them stands under the axis. The table beside it says the same. */
export function HistoryChart({ series }: { readonly series: Series }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(640);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(Math.max(200, Math.floor(element.clientWidth))));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const { marks, lines, ticks, baseline, leftOut } = chartOf(series, { width, height, left: 62, bottom, top: 8 });
  const axis = height - bottom;
  const last = series.points.at(-1);
  const ends = [marks[0], ...(marks.length > 2 ? [marks.at(-1)] : [])].filter((one) => one !== undefined);
  const dates = ends.map(({ point, x }, index) => ({ point, x: index === 0 ? Math.max(x, 66) : x, anchor: index === 0 ? "start" as const : "end" as const }));
  return <div class="chart" ref={box}>
    <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={`${series.name}: ${series.points.length} runs${last?.median === undefined ? "" : `, the last ${duration(last.median)}`}. The table has all numbers.`}>
      {ticks.map(({ y, seconds }) => <g key={seconds} class="tick"><line x1={62} x2={width} y1={y} y2={y} /><text x={56} y={y + 4} text-anchor="end">{duration(seconds)}</text></g>)}
      <line class="axis" x1={62} x2={width} y1={axis} y2={axis} />
      {dates.map(({ point, x, anchor }) => <text key={point.run} x={x} y={height - 4} text-anchor={anchor}>{point.started.slice(0, 10)}</text>)}
      {baseline === undefined ? null : <g class="baseline"><title>The baseline</title><line x1={62} x2={width} y1={baseline} y2={baseline} /></g>}
      {marks.map(({ point, x }) => point.changes.length === 0 ? null : <g key={point.run} class="change">
        <title>{point.changes.join("\n")}</title>
        <line x1={x} x2={x} y1={8} y2={axis} /><path d={`M${x} ${axis + 3}l5 9h-10Z`} />
      </g>)}
      {lines.map((line) => <polyline key={line} points={line} />)}
      {marks.map(({ point, x, y, low, high }) => <g key={point.run} class="point">
        <title>{pointWords(point)}</title>
        {low === undefined || high === undefined ? null : <path d={`M${x} ${low}V${high}M${x - 3} ${low}h6M${x - 3} ${high}h6`} />}
        {y === undefined ? <text x={x} y={axis - 4} text-anchor="middle">×</text> : <circle cx={x} cy={y} r={3} class={point.interval === undefined ? "few" : ""} />}
        <rect x={x - 3.5} y={8} width={7} height={axis - 8} class="hover" />
      </g>)}
    </svg>
    {leftOut === 0 ? null : <p class="dim">The last {marks.length} of {series.points.length} runs; the table has all.</p>}
  </div>;
}
