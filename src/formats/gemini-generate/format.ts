/** The content-generation format, put together for the relay. */

import type { Format, Patch, PatchNeeds, Tree } from '../format.ts';
import { affinityOf } from './affinity.ts';
import { check } from './checks.ts';
import { codec } from './codec.ts';
import { counting } from './count-tokens.ts';
import { errorBody, errorEvent, readFault } from './errors.ts';
import { needsOf } from './needs.ts';
import { GenerateTap, measureReply } from './tap.ts';
import { formatName } from './wire.ts';

export const geminiGenerate: Format = {
  name: formatName,
  codec,
  counting,
  check,
  patch,
  needs: needsOf,
  affinityOf,
  tap: () => new GenerateTap(),
  measureReply,
  readFault,
  errorBody,
  errorEvent,
  // A blank line: a comment would make clients of this format lose the chunk after it.
  keepAlive: '\n',
  // How long the caller waits. The others of the libraries' headers say who calls, or whom to bill, which is ours to say.
  passHeaders: ['x-server-timeout'],
};

/** The same for clients that ask for a stream as one JSON array. */
export const geminiGenerateArray: Format = { ...geminiGenerate, framing: 'json-array' };

const nothing: Patch = { edits: new Map(), hidesUsage: false };

/** The address names the model. Where the body repeats it, the repetition would contradict another name in the address. */
function patch(tree: Tree, needs: PatchNeeds): Patch {
  if (needs.upstreamModel === undefined || tree.model === undefined) return nothing;
  return { edits: new Map([['model', undefined]]), hidesUsage: false };
}
