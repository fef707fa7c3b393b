/** What must hold of a legacy completion request before anything is spent. Unknown fields pass unchecked. */

import { isObject } from '../../conversation/json-tree.ts';
import { askedBounds, outputFacts } from '../asked-bounds.ts';
import type { RequestFacts, Tree } from '../format.ts';
import { invalid, missing, refusesPriority, whole } from '../openai-chat/checks.ts';
import { asksForSearch, inputFacts, searchesAssumed, searchReads } from '../unbounded-input.ts';

const candidatesMax = 128;
const bestOfMax = 20;
const outputTokensCeiling = 100_000_000;

export function check(tree: Tree, bodyBytes: number): RequestFacts {
  const { model } = tree;
  if (model === undefined) throw missing('model', 'Name the model to use; `GET /v1/models` lists them.');
  if (typeof model !== 'string' || model === '') throw invalid('model', 'must be a non-empty string');
  const prompts = countPrompts(tree.prompt);
  const stream = tree.stream ?? false;
  if (typeof stream !== 'boolean') throw invalid('stream', 'must be true or false');
  if (tree.stream_options !== undefined && tree.stream_options !== null && !isObject(tree.stream_options)) {
    throw invalid('stream_options', 'must be an object');
  }
  for (const name of ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'] as const) {
    const value = tree[name] ?? 0;
    if (typeof value !== 'number' || !Number.isFinite(value)) throw invalid(name, 'must be a number');
  }
  if (typeof tree.temperature === 'number' && tree.temperature < 0)
    throw invalid('temperature', 'must not be negative');
  const perPrompt = whole(tree, 'n', candidatesMax) ?? 1;
  // The discarded candidates have been written too, and are billed.
  const tried = Math.max(perPrompt, whole(tree, 'best_of', bestOfMax, 0) ?? 1);
  const outputTokens = whole(tree, 'max_tokens', outputTokensCeiling, 0);
  const asked = askedBounds(tree);
  const output = outputFacts(asked, { outputTokens, candidates: tried });
  return {
    model,
    stream,
    ...output,
    candidates: prompts * output.candidates,
    inputTokensMax: Math.max(bodyBytes, 1),
    ...inputFacts(
      asked.reference,
      asked.reference === undefined ? prompts : prompts * searchReads,
      asksForSearch(asked.reference) ? prompts * searchesAssumed : undefined,
    ),
    ...(refusesPriority(tree.service_tier) && !asked.speeds && { neverPriority: true }),
  };
}

/** A prompt is a text or its tokens, or a list of either; each gets its own completions. */
function countPrompts(prompt: unknown): number {
  if (prompt === undefined || prompt === null) throw missing('prompt', 'Send the text to be completed.');
  if (typeof prompt === 'string') return 1;
  if (!Array.isArray(prompt) || prompt.length === 0) throw invalid('prompt', 'must be a text or a non-empty list');
  if (prompt.every(isToken)) return 1;
  const lists = prompt.every((one) => Array.isArray(one) && one.length > 0 && one.every(isToken));
  if (!lists && !prompt.every((one) => typeof one === 'string')) {
    throw invalid('prompt', 'must hold texts only, or tokens only');
  }
  return prompt.length;
}

function isToken(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
