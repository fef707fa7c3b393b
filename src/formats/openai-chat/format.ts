/**
 * OpenAI Chat Completions as a format, put together for the relay. https://developers.openai.com/api/reference/overview
 * (read 2026-11-15).
 */

import { isObject } from '../../conversation/json-tree.ts';
import { givenMetadata, namedUser } from '../fit-user.ts';
import type { Format, Patch, PatchNeeds, Tree } from '../format.ts';
import { affinityOf } from './affinity.ts';
import { check } from './checks.ts';
import { codec } from './codec.ts';
import { errorBody, errorEvent, readFault } from './errors.ts';
import { fields } from './fields.ts';
import { fit } from './fit/body.ts';
import { needsOf } from './needs.ts';
import { madeIn, references } from './references.ts';
import { ChatTap, measureReply } from './tap.ts';
import { turnThoughts } from './turn-thoughts.ts';

export const openaiChat: Format = {
  name: 'openai-chat',
  codec,
  fields,
  check,
  patch,
  fit,
  needs: needsOf,
  affinityOf,
  endUserOf: namedUser,
  metadataOf: givenMetadata,
  references,
  madeIn,
  turnThoughts,
  tap: (options) => new ChatTap(options),
  measureReply,
  emptyReply: { choices: [] },
  readFault,
  errorBody,
  errorEvent,
  keepAlive: ': ping\n',
  passHeaders: ['openai-beta'],
};

const noEdits: ReadonlyMap<string, string> = new Map();

/**
 * A streaming provider reports usage only on request; if the client did not ask, Weir does and hides the answer. If the
 * provider refuses the question, the client's own is dropped too. A target that accepts one name of the limit is sent
 * the limit under that name only.
 */
export function patch(tree: Tree, needs: PatchNeeds): Patch {
  const options = tree['stream_options'];
  const asked = isObject(options) && options['include_usage'] === true;
  const asks = needs.mayAskUsage && tree['stream'] === true && !asked;
  const limits = needs.limitIsMaxTokens === true ? limitEdits(tree) : undefined;
  const isRefused = !needs.mayAskUsage && options !== undefined;
  if (!asks && !isRefused && needs.upstreamModel === undefined && limits === undefined) {
    return { edits: noEdits, hidesUsage: false };
  }
  const edits = new Map<string, string | undefined>(limits);
  if (needs.upstreamModel !== undefined) edits.set('model', JSON.stringify(needs.upstreamModel));
  if (isRefused) edits.set('stream_options', undefined);
  if (asks) {
    edits.set('stream_options', JSON.stringify({ ...(isObject(options) ? options : {}), include_usage: true }));
  }
  return { edits, hidesUsage: asks };
}

/** A limit under a name that the target does not support would be ignored, and the reply would have none. */
function limitEdits(tree: Tree): [string, string | undefined][] | undefined {
  const newer = tree['max_completion_tokens'];
  if (newer === undefined || newer === null) return undefined;
  const edits: [string, string | undefined][] = [['max_completion_tokens', undefined]];
  const older = tree['max_tokens'];
  if (older === undefined || older === null) edits.push(['max_tokens', JSON.stringify(newer)]);
  return edits;
}
