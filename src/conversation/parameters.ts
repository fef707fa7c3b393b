/** Request parameters beside the conversation that a model may accept or not, by neutral names. */

export const parameterNames = [
  'temperature',
  'topP',
  'topK',
  'maxOutputTokens',
  'stop',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'logitBias',
  'logprobs',
  'tools',
  'toolChoice',
  'parallelToolCalls',
  /** A reply in JSON of any shape. */
  'jsonOutput',
  /** A reply in JSON of a given shape. */
  'schemaOutput',
  'thinking',
  'verbosity',
] as const;

export type ParameterName = (typeof parameterNames)[number];
