/** A caller's text as a part of a provider's URL: it can name something there and never change where the request goes. */

import { invalid } from '../field-checks.ts';

/** One segment of a path. Dots alone would climb out of it, whatever they are encoded as. */
export function pathSegment(param: string, text: string): string {
  if (text === '' || /^\.+$/.test(text)) throw invalid(param, 'does not name anything');
  return encodeURIComponent(text.toWellFormed());
}

export function query(values: Readonly<Record<string, string | undefined>>): string {
  const written = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) written.set(name, value);
  return `?${written.toString()}`;
}
