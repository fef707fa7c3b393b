/** A provider's failure events, without the secrets that their messages may hold. All other events pass unchanged. */

import { isObject } from '../../conversation/json-tree.ts';
import { typeAtHead } from './frame-scan.ts';

/** Where the message of a failure is: in an error, in a failed transcription, and in a response that failed. */
export function tellsFault(text: string): boolean {
  const type = typeAtHead(text);
  if (type === undefined) return text.includes('"error"');
  return type === 'error' || type.endsWith('.failed') || (type === 'response.done' && text.includes('"failed"'));
}

/** Returns the same text if there was nothing to remove. */
export function scrubFault(text: string, scrub: (words: string) => string): string {
  let tree: unknown;
  try {
    tree = JSON.parse(text);
  } catch {
    return scrub(text);
  }
  if (!isObject(tree)) return text;
  const error = scrubbed(tree['error'], scrub);
  const response = isObject(tree['response']) ? tree['response'] : undefined;
  const details = scrubbed(response?.['status_details'], scrub);
  if (error === undefined && details === undefined) return text;
  return JSON.stringify({
    ...tree,
    ...(error !== undefined && { error }),
    ...(details !== undefined && { response: { ...response, status_details: details } }),
  });
}

/** Undefined where nothing changes. */
function scrubbed(value: unknown, scrub: (words: string) => string): unknown {
  if (value === undefined) return undefined;
  const before = JSON.stringify(value);
  const after = JSON.stringify(value, (_name, inner) => (typeof inner === 'string' ? scrub(inner) : inner));
  return after === before ? undefined : JSON.parse(after);
}
