/** Reads the chat format's usage object. Anything that is not a plausible count is treated as not reported. */

import type { Usage } from '../../conversation/usage.ts';

export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const input = count(value['prompt_tokens']);
  const output = count(value['completion_tokens']);
  if (input === undefined || output === undefined) return undefined;
  const inputDetails = isObject(value['prompt_tokens_details']) ? value['prompt_tokens_details'] : {};
  const outputDetails = isObject(value['completion_tokens_details']) ? value['completion_tokens_details'] : {};
  const cacheRead = count(inputDetails['cached_tokens']) ?? count(value['prompt_cache_hit_tokens']);
  const inputAudio = count(inputDetails['audio_tokens']);
  const thinking = count(outputDetails['reasoning_tokens']);
  const outputAudio = count(outputDetails['audio_tokens']);
  return {
    input: {
      total: input,
      ...(cacheRead !== undefined && { cacheRead: Math.min(cacheRead, input) }),
      ...(inputAudio !== undefined && { audio: Math.min(inputAudio, input) }),
    },
    output: {
      total: output,
      ...(thinking !== undefined && { thinking }),
      ...(outputAudio !== undefined && { audio: Math.min(outputAudio, output) }),
    },
  };
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
