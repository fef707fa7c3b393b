/**
 * Anthropic Messages API as a format, put together for the relay. https://platform.claude.com/docs/en/api/messages
 * (read 2026-11-15).
 */

import type { Format, Patch, PatchNeeds, Tree } from '../format.ts';
import { affinityOf } from './affinity.ts';
import { check } from './checks.ts';
import { codec } from './codec.ts';
import { counting } from './count-tokens.ts';
import { endUserOf } from './end-user.ts';
import { errorBody, errorEvent, readFault } from './errors.ts';
import { fields } from './fields.ts';
import { fit } from './fit/body.ts';
import { limitHeaders } from './limit-headers.ts';
import { needsOf } from './needs.ts';
import { madeIn, madeInPart, references } from './references.ts';
import { MessagesTap, measureReply } from './tap.ts';
import { formatName } from './wire.ts';

export const anthropicMessages: Format = {
  name: formatName,
  codec,
  fields,
  counting,
  check,
  patch,
  fit,
  needs: needsOf,
  affinityOf,
  endUserOf,
  references,
  madeIn,
  madeInPart,
  tap: () => new MessagesTap(),
  measureReply,
  emptyReply: { content: [] },
  readFault,
  errorBody,
  limitHeaders,
  errorEvent,
  keepAlive: 'event: ping\ndata: {"type": "ping"}\n\n',
  passHeaders: ['anthropic-version', 'anthropic-beta'],
};

const noEdits: ReadonlyMap<string, string> = new Map();

/** The format always reports usage, so the model's name is all that ever changes. */
function patch(_tree: Tree, { upstreamModel }: PatchNeeds): Patch {
  const edits = upstreamModel === undefined ? noEdits : new Map([['model', JSON.stringify(upstreamModel)]]);
  return { edits, hidesUsage: false };
}
