import { runProcess } from "../../workshop/process/index.ts";
import type { Variables } from "../../workshop/process/types.ts";
import type { Activity, Workshop } from "../../workshop/workshop.ts";
import type { Terminal } from "../terminal.ts";
import { EngineDiagnostician } from "./diagnostician.ts";

/** What a command hands to the workshop's rooms. `interpreter`: the Python that `--interpreter` names, absolute. */
export function makeWorkshop(terminal: Terminal, activity: Activity, interpreter?: string): Workshop {
  return {
    run: runProcess,
    diagnostician: new EngineDiagnostician(terminal, interpreter, (what) => activity.step(what)),
    activity,
    environment: variablesOf(terminal.environment),
    version: terminal.version,
    now: () => new Date(),
  };
}

function variablesOf(environment: Terminal["environment"]): Variables {
  return Object.fromEntries(Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
