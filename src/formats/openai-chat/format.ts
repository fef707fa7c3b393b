/** The chat format, put together for the relay. */

import { isObject } from '../../conversation/json-tree.ts';
import type { Format, Patch, PatchNeeds, Tree } from '../format.ts';
import { affinityOf } from './affinity.ts';
import { check } from './checks.ts';
import { codec } from './codec.ts';
import { errorBody, errorEvent, readFault } from './errors.ts';
import { needsOf } from './needs.ts';
import { ChatTap, measureReply } from './tap.ts';

export const openaiChat: Format = {
  name: 'openai-chat',
  codec,
  check,
  patch,
  needs: needsOf,
  affinityOf,
  tap: (options) => new ChatTap(options),
  measureReply,
  readFault,
  errorBody,
  errorEvent,
  keepAlive: ': ping\n',
  passHeaders: ['openai-beta'],
};

const noEdits: ReadonlyMap<string, string> = new Map();

/** A streaming provider reports usage only when asked; where the client did not ask, we do and hide the answer. */
function patch(tree: Tree, needs: PatchNeeds): Patch {
  const options = tree['stream_options'];
  const asked = isObject(options) && options['include_usage'] === true;
  const asks = needs.mayAskUsage && tree['stream'] === true && !asked;
  if (!asks && needs.upstreamModel === undefined) return { edits: noEdits, hidesUsage: false };
  const edits = new Map<string, string>();
  if (needs.upstreamModel !== undefined) edits.set('model', JSON.stringify(needs.upstreamModel));
  if (asks) {
    edits.set('stream_options', JSON.stringify({ ...(isObject(options) ? options : {}), include_usage: true }));
  }
  return { edits, hidesUsage: asks };
}
