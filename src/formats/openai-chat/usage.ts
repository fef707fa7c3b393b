/** Reads the chat format's usage object. Anything that is not a plausible count is treated as not reported. */

import { countOf, isObject, type Tree } from '../../conversation/json-tree.ts';
import type { Usage } from '../../conversation/usage.ts';

const noDetails: Tree = Object.freeze({});

export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const input = countOf(value['prompt_tokens']);
  const completion = countOf(value['completion_tokens']);
  if (input === undefined || completion === undefined) return undefined;
  const inputDetails = isObject(value['prompt_tokens_details']) ? value['prompt_tokens_details'] : noDetails;
  const outputDetails = isObject(value['completion_tokens_details']) ? value['completion_tokens_details'] : noDetails;
  const thinking = countOf(outputDetails['reasoning_tokens']) ?? countOf(value['reasoning_tokens']);
  const output = completion + thinkingBeside(value['total_tokens'], input, completion, thinking);
  const cacheRead =
    countOf(inputDetails['cached_tokens']) ??
    countOf(value['prompt_cache_hit_tokens']) ??
    countOf(value['cached_tokens']);
  const cacheWrite = countOf(inputDetails['cache_write_tokens']) ?? countOf(value['cache_creation_input_tokens']);
  return {
    input: {
      total: input,
      cacheRead: atMost(cacheRead, input),
      cacheWrite: atMost(cacheWrite, input),
      audio: atMost(countOf(inputDetails['audio_tokens']), input),
      image: atMost(countOf(inputDetails['image_tokens']), input),
    },
    output: {
      total: output,
      thinking: atMost(thinking, output),
      text: atMost(countOf(outputDetails['text_tokens']), output),
      audio: atMost(countOf(outputDetails['audio_tokens']), output),
      image: atMost(countOf(outputDetails['image_tokens']), output),
    },
  };
}

/** Some services count thinking beside the completion, not in it; their total gives it away. */
function thinkingBeside(total: unknown, input: number, completion: number, thinking: number | undefined): number {
  return thinking !== undefined && total === input + completion + thinking ? thinking : 0;
}

function atMost(part: number | undefined, whole: number): number | undefined {
  return part === undefined ? undefined : Math.min(part, whole);
}
