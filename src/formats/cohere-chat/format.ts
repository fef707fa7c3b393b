/**
 * Cohere Chat API v2 (`/v2/chat`) as a format, put together for the relay.
 * https://docs.cohere.com/reference/chat (read 2026-11-15).
 */

import type { Format, Patch, PatchNeeds, Tree } from '../format.ts';
import { affinityOf } from '../openai-chat/affinity.ts';
import { readFault } from '../openai-chat/errors.ts';
import { check } from './checks.ts';
import { codec } from './codec.ts';
import { errorBody, errorEvent } from './errors.ts';
import { fields } from './fields.ts';
import { needsOf } from './needs.ts';
import { CohereTap, measureReply } from './tap.ts';

export const cohereChat: Format = {
  name: 'cohere-chat',
  codec,
  fields,
  check,
  patch,
  needs: needsOf,
  affinityOf,
  tap: () => new CohereTap(),
  measureReply,
  emptyReply: { message: {} },
  readFault,
  errorBody,
  errorEvent,
  keepAlive: ': ping\n',
  passHeaders: [],
};

const unchanged: Patch = { edits: new Map(), hidesUsage: false };

/** Usage comes unasked. */
function patch(_tree: Tree, { upstreamModel }: PatchNeeds): Patch {
  if (upstreamModel === undefined) return unchanged;
  return { edits: new Map([['model', JSON.stringify(upstreamModel)]]), hidesUsage: false };
}
