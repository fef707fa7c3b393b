/** A request's body as people can read it: files inside it are named by their size, everything else is as it is sent. */

import type { WireBody, WireRequest } from '../playground-contract.ts';

/** Longer runs without a space are data. */
const dataCharactersMin = 400;
const shownCharacters = 48;

export function shortenedData(value: unknown): unknown {
  if (typeof value === 'string') return isData(value) ? `${value.slice(0, shownCharacters)}… (${value.length})` : value;
  if (Array.isArray(value)) return value.map(shortenedData);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, shortenedData(entry)]));
}

const isData = (text: string) => text.length >= dataCharactersMin && !/\s/.test(text);

export function shownBody(body: WireBody): string {
  if (body.kind === 'json') return JSON.stringify(shortenedData(body.value), null, 2);
  return body.fields
    .map(
      ([name, value]) =>
        `${name}: ${typeof value === 'string' ? value : `${value.name} (${value.size} B, ${value.type})`}`,
    )
    .join('\n');
}

/** As it goes out, with the one word that is nobody's business left out. */
export function shownHeaders({ headers = {}, body }: WireRequest, hidden: string): string {
  const lines = Object.entries({
    authorization: `Bearer (${hidden})`,
    ...(body?.kind === 'json' && { 'content-type': 'application/json' }),
    ...(body?.kind === 'form' && { 'content-type': 'multipart/form-data' }),
    ...headers,
  });
  return lines.map(([name, value]) => `${name}: ${value}`).join('\n');
}
