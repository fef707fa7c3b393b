/** Reads the chat format's usage object. Anything that is not a plausible count is treated as not reported. */

import type { Usage } from '../../conversation/usage.ts';

const noDetails: Readonly<Record<string, unknown>> = Object.freeze({});

export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const input = count(value['prompt_tokens']);
  const output = count(value['completion_tokens']);
  if (input === undefined || output === undefined) return undefined;
  const inputDetails = isObject(value['prompt_tokens_details']) ? value['prompt_tokens_details'] : noDetails;
  const outputDetails = isObject(value['completion_tokens_details']) ? value['completion_tokens_details'] : noDetails;
  const cacheRead = count(inputDetails['cached_tokens']) ?? count(value['prompt_cache_hit_tokens']);
  return {
    input: {
      total: input,
      cacheRead: atMost(cacheRead, input),
      audio: atMost(count(inputDetails['audio_tokens']), input),
    },
    output: {
      total: output,
      thinking: count(outputDetails['reasoning_tokens']),
      audio: atMost(count(outputDetails['audio_tokens']), output),
    },
  };
}

function atMost(part: number | undefined, whole: number): number | undefined {
  return part === undefined ? undefined : Math.min(part, whole);
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
