/** A place in a list as text: it goes out as `next` and comes back as `after`. */

import { GatewayError } from '../conversation/gateway-error.ts';

interface Place {
  readonly atMs: number;
  readonly id: string;
}

export const cursorText = ({ atMs, id }: Place): string => `${atMs}.${id}`;

/** Undefined where none was given; a text that Weir did not write is a mistake to report. */
export function cursorOf(text: string | undefined): Place | undefined {
  if (text === undefined || text === '') return undefined;
  const match = /^(\d{1,15})\.([\x21-\x7e]{1,200})$/.exec(text);
  if (match === null)
    throw new GatewayError('field_invalid', 'after: must be the `next` of a page', { param: 'after' });
  return { atMs: Number(match[1]), id: match[2] ?? '' };
}
