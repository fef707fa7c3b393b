/**
 * OpenAI Responses API as a format, put together for the relay. https://developers.openai.com/api/reference/overview
 * (read 2026-11-15).
 */

import { givenMetadata, namedUser } from '../fit-user.ts';
import type { Format, Patch, PatchNeeds, Tree } from '../format.ts';
import { affinityOf } from './affinity.ts';
import { backgroundState } from './background.ts';
import { checkCalls } from './check-calls.ts';
import { check } from './checks.ts';
import { codec } from './codec.ts';
import { readCompaction, writeCompaction } from './compaction/compaction.ts';
import { counting } from './count-tokens.ts';
import { errorBody, errorEvent, readFault } from './errors.ts';
import { fields } from './fields.ts';
import { fit } from './fit/body.ts';
import { memory } from './memory.ts';
import { needsOf } from './needs.ts';
import { madeIn, madeInPart, references } from './references.ts';
import { measureReply, ResponsesTap } from './tap.ts';
import { formatName } from './wire.ts';

export const openaiResponses: Format = {
  name: formatName,
  codec,
  fields,
  counting,
  check,
  checkWhole: checkCalls,
  patch,
  fit,
  needs: needsOf,
  affinityOf,
  endUserOf: namedUser,
  metadataOf: givenMetadata,
  references,
  madeIn,
  madeInPart,
  tap: () => new ResponsesTap(),
  measureReply,
  emptyReply: { output: [] },
  backgroundState,
  readFault,
  errorBody,
  errorEvent,
  keepAlive: ': ping\n',
  passHeaders: ['openai-beta'],
  memory,
};

/** The same for `/responses/compact`. Its replies cannot be continued by their id. */
export const openaiCompaction: Format = {
  ...openaiResponses,
  codec: { ...codec, readRequest: readCompaction, writeReply: writeCompaction },
  check: (tree, bodyBytes) => ({ ...check(tree, bodyBytes), stream: false }),
  furtherAddress: (address) => address.replace(/(?=\?|$)/, '/compact'),
  memory: { ...memory, wantsKept: () => false },
};

const noEdits: ReadonlyMap<string, string> = new Map();

/** The format always reports usage, so only the model's name may have to change. */
function patch(_tree: Tree, { upstreamModel }: PatchNeeds): Patch {
  const edits = upstreamModel === undefined ? noEdits : new Map([['model', JSON.stringify(upstreamModel)]]);
  return { edits, hidesUsage: false };
}
