/**
 * Google Gemini generateContent as a format, put together for the relay. https://ai.google.dev/api/generate-content
 * (read 2026-11-16).
 */

import { isObject } from '../../conversation/json-tree.ts';
import type { Format, Patch, PatchNeeds, Tree } from '../format.ts';
import { affinityOf } from './affinity.ts';
import { check } from './checks.ts';
import { codec } from './codec.ts';
import { counting } from './count-tokens.ts';
import { errorBody, errorEvent, readFault } from './errors.ts';
import { fields } from './fields.ts';
import { fit } from './fit/body.ts';
import { needsOf } from './needs.ts';
import { references } from './references.ts';
import { GenerateTap, measureReply } from './tap.ts';
import { formatName, snakeName } from './wire.ts';

export const geminiGenerate: Format = {
  name: formatName,
  codec,
  fields,
  counting,
  check,
  patch,
  fit,
  needs: needsOf,
  affinityOf,
  references,
  tap: () => new GenerateTap(),
  measureReply,
  emptyReply: { candidates: [] },
  readFault,
  errorBody,
  errorEvent,
  // A blank line: a comment would make clients of this format drop the chunk after it.
  keepAlive: '\n',
  // The caller's timeout. The libraries' other headers name the caller or the billed account, which Weir sets itself.
  passHeaders: ['x-server-timeout'],
};

/** The same for clients that ask for a stream as one JSON array. */
export const geminiGenerateArray: Format = { ...geminiGenerate, framing: 'json-array' };

const nothing: Patch = { edits: new Map(), hidesUsage: false };

/**
 * The URL names the model. A repetition in the body would contradict another name in the URL, so it is dropped. Where
 * both spellings of a limit are there, only the one that was read is sent.
 */
function patch(tree: Tree, needs: PatchNeeds): Patch {
  const edits = limitEdits(tree);
  if (needs.upstreamModel !== undefined && tree.model !== undefined) edits.set('model', undefined);
  return edits.size === 0 ? nothing : { edits, hidesUsage: false };
}

const limits = ['maxOutputTokens', 'candidateCount'] as const;

function limitEdits(tree: Tree): Map<string, string | undefined> {
  const edits = new Map<string, string | undefined>();
  const name =
    tree.generationConfig === undefined || tree.generationConfig === null ? 'generation_config' : 'generationConfig';
  if (name === 'generationConfig' && tree.generation_config !== undefined) edits.set('generation_config', undefined);
  const config = tree[name];
  if (!isObject(config)) return edits;
  const doubled = limits.filter((limit) => isGiven(config[limit]) && config[snakeName(limit)] !== undefined);
  if (doubled.length === 0) return edits;
  const rest: Record<string, unknown> = { ...config };
  for (const limit of doubled) delete rest[snakeName(limit)];
  return edits.set(name, JSON.stringify(rest));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
