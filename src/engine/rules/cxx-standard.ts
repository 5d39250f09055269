import type { Rule } from "./rule.ts";
import { belowFloor } from "./standard/belowFloor.ts";
import { mixed } from "./standard/mixed.ts";
import { locationKey, mergeByLocation } from "./support.ts";

export const cxxStandard: Rule = {
  name: "cxx-standard",
  severity: "error",
  summary: "The C++ standard of a target is below what torch's headers demand, or differs between its host and CUDA sources.",
  check(context) {
    const below = belowFloor(cxxStandard, context);
    const reported = new Set(below.map((one) => locationKey(one.location)));
    // Where the standard has to be raised anyway, that it also differs says nothing more.
    return mergeByLocation([...below, ...mixed(cxxStandard, context).filter((one) => !reported.has(locationKey(one.location)) && !one.related.some((place) => reported.has(locationKey(place.location))))]);
  },
};
