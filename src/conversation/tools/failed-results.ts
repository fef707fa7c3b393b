/** Marks a failed tool's result in its text, for formats whose results have no field for it. */

import type { ToolResultPart } from '../parts.ts';

const prefix = 'Error: ';

/** The first text gets the prefix, unless it names an error already. */
export function withErrorPrefix(parts: ToolResultPart['parts']): ToolResultPart['parts'] {
  const at = parts.findIndex(({ type }) => type === 'text');
  const first = parts[at];
  if (first?.type !== 'text') return [{ type: 'text', text: 'Error: the tool failed.' }, ...parts];
  if (/^\W*error\b/i.test(first.text)) return parts;
  return parts.map((part, index) => (index === at ? { ...first, text: prefix + first.text } : part));
}
