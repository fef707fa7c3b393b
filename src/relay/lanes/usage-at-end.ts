/** What a reply used, read from its end alone: of one that is too large, and whose beginning is not kept. */

import type { Usage } from '../../conversation/usage.ts';
import type { Format, Tree } from '../../formats/format.ts';
import { isExact } from '../cost-bounds/usage-estimate.ts';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Undefined where the end does not say all of it, or is not the end of a reply of the format. */
export function usageAtEnd(format: Pick<Format, 'emptyReply' | 'measureReply'>, text: string): Usage | undefined {
  try {
    const { usage } = format.measureReply({ ...format.emptyReply, ...lastFields(text) });
    return isExact({ usage, code: '' }) ? usage : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The top-level fields that are whole in the end of an object. Read backwards, since only its end is known to be outside of a text. */
function lastFields(text: string): Tree {
  let depth = 0;
  let start = text.length;
  let isInText = false;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const unit = text.charCodeAt(at);
    if (unit === quote && !isEscaped(text, at)) isInText = !isInText;
    else if (isInText) continue;
    else if (closing.has(unit)) depth += 1;
    else if (opening.has(unit)) depth -= 1;
    else if (unit === comma && depth === 1) start = at + 1;
  }
  return start === text.length ? {} : JSON.parse(`{${text.slice(start)}`);
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && text.charCodeAt(before) === backslash) before -= 1;
  return (at - before) % 2 === 0;
}
