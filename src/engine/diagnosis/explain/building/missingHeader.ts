import { textAt } from "../reading.ts";
import type { Said } from "../reading.ts";
import type { Recogniser } from "../types.ts";
import { printed } from "./reading.ts";
import type { Found } from "./reading.ts";

/**
 * A header that a compiler does not find, as gcc, clang, nvcc's front end and MSVC say it. gcc is translated: there the echo
 * of the #include line below tells.
 */
export function missingHeader(find: (header: string, said: Said) => Found | undefined): Recogniser {
  return printed(/fatal error: ['"]?([\w./+-]{1,200})['"]?(?: file not found|: No such file or directory)|cannot open (?:source|include) file:? ['"]([\w./+-]{1,200})['"]|fatal error C1083: [^:]{1,60}: ['"“]?([\w./+\\-]{1,200})['"”]?|(?<=:\d{1,7}:\d{1,6}: )[^:：\d]{3,40}\s?[:：]\s?([\w./+-]{1,200}\.(?:h|hpp|cuh))\s?[:：]/, (said) => {
    const translated = said.match[4];
    const header = said.match[1] ?? said.match[2] ?? said.match[3]?.replaceAll("\\", "/") ?? translated;
    if (header === undefined || (translated !== undefined && !echoesInclude(translated, said))) {
      return undefined;
    }
    return find(header, said);
  });
}

function echoesInclude(header: string, { log, at }: Said): boolean {
  return [1, 2].some((by) => /#\s*include\s*[<"]/.test(textAt(log, at + by)) && textAt(log, at + by).includes(header));
}
