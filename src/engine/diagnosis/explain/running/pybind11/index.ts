/** Bindings: pybind11 and nanobind. */
import { recogniserOf } from "../sayings.ts";
import { incompatibleArguments } from "./arguments.ts";
import { alreadyRegistered, defaultArgument, leaks, nameTaken, returnValue, unknownBase } from "./registration.ts";

export const bindingsRecogniser = recogniserOf(
  /incompatible (?:function|constructor) arguments\.|generic_type: |native_enum!|nanobind: (?:type|leaked) |cannot initialize type "|nb_type_new\("|could not convert default argument|Unable to convert function return value/,
  [incompatibleArguments, alreadyRegistered, nameTaken, unknownBase, defaultArgument, returnValue, leaks],
);
