/** The words that public lists of models use for parameters, which are mostly fields of the chat format. */

import type { ParameterName } from '../conversation/parameters.ts';

export const parameterWireNames: Readonly<Record<ParameterName, readonly string[]>> = {
  temperature: ['temperature'],
  topP: ['top_p'],
  topK: ['top_k'],
  maxOutputTokens: ['max_tokens'],
  stop: ['stop'],
  seed: ['seed'],
  presencePenalty: ['presence_penalty'],
  frequencyPenalty: ['frequency_penalty'],
  logitBias: ['logit_bias'],
  logprobs: ['logprobs', 'top_logprobs'],
  tools: ['tools'],
  toolChoice: ['tool_choice'],
  parallelToolCalls: ['parallel_tool_calls'],
  jsonOutput: ['response_format'],
  schemaOutput: ['structured_outputs'],
  thinking: ['reasoning', 'reasoning_effort'],
  verbosity: ['verbosity'],
};
