import type { BenchmarksView, BodiesView, CombinationsView, LatestWorking } from "../../../protocol/panel.ts";
import type { CombinationSettings } from "../types.ts";
import type { PublishedTable } from "./table.ts";

export type PublishFormat = "markdown" | "html" | "json" | "shields";

/** Views of the page that may be left out. */
export type OptionalView = "bodies" | "benchmarks";

export interface PublishRequest {
  readonly root: string;
  readonly settings: CombinationSettings | undefined;
  readonly format: PublishFormat;
  /** Of shields; default "release". */
  readonly channel?: LatestWorking["channel"];
  /** Rows of the table; the page has all. */
  readonly rows?: number;
  /** What the page does without. */
  readonly without?: readonly OptionalView[];
  /** The Python whose environment counts as the installed one, for the bodies. */
  readonly interpreter?: string;
}

export interface Published {
  readonly text: string;
  /** What whoever publishes it should know, in sentences. */
  readonly notes: readonly string[];
}

/** All that is published, without what is private. */
export interface PublishedData {
  readonly project: { readonly name: string; readonly version?: string };
  readonly published: string;
  readonly by: string;
  readonly combinations: CombinationsView;
  readonly table: PublishedTable;
  readonly bodies?: BodiesView;
  readonly benchmarks?: BenchmarksView;
}
