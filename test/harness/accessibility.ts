import axe from "axe-core";
import type { Frame, Page } from "playwright-core";

/** What axe-core finds wrong with a page, as `rule: elements`. */
export async function accessibilityProblems(page: Page | Frame): Promise<string[]> {
  // The page's own rules forbid scripts from elsewhere; the debugger may evaluate.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: runner } = globalThis as unknown as { axe: { run(options: unknown): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }> } };
    const { violations } = await runner.run({ resultTypes: ["violations"] });
    return violations.map((one) => `${one.id}: ${one.nodes.map((node) => `${node.html} ${node.failureSummary ?? ""}`).join(" ")}`);
  });
}
