/** Calls of tools that a provider ran, and their results, as texts for a provider that cannot read the parts themselves. */

import type { TextPart } from '../parts.ts';

/** `input` is what the tool was called with: a text, or a value that is written as JSON. */
export function ranText(name: string, input?: unknown): TextPart {
  const said = textOf(input);
  return {
    type: 'text',
    text: said === '' ? `(The tool ${name} was run.)\n` : `(The tool ${name} was run with: ${said})\n`,
  };
}

export function returnedText(output: unknown, failed = false): TextPart {
  const said = textOf(output);
  const verb = failed ? 'The tool failed' : 'The tool returned';
  return { type: 'text', text: said === '' ? `(${verb}${failed ? '' : ' nothing'}.)\n` : `(${verb}: ${said})\n` };
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
