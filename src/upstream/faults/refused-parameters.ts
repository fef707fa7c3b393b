/**
 * Sentences by which providers refuse a parameter with any value, and the parameters by the names that they have
 * on any wire. Only openings of messages count: further on a message may quote what the caller wrote.
 *
 * Live texts, all read 2026-11-15: https://github.com/appatalks/eva-agent/issues/83 (unsupported parameter),
 * https://github.com/QwenLM/qwen-code/issues/921 (only the default value), https://github.com/Aider-AI/aider/issues/4404 (extra
 * inputs), https://github.com/CherryHQ/cherry-studio/issues/1099 (property is unsupported),
 * https://github.com/BerriAI/litellm/pull/16265 (does not support parameter), https://github.com/mlcommons/modelbench/pull/1647
 * (deprecated for this model).
 */

import type { ParameterName } from '../../conversation/parameters.ts';

const name = '[`\'"]?(\\w{1,60}(?:\\.\\w{1,60}){0,3})[`\'"]?';

export const refusingSentences: readonly RegExp[] = [
  new RegExp(`^unsupported parameter: ${name} is not supported with this model\\b`, 'i'),
  new RegExp(`^unsupported value: ${name} does not support \\S{1,40} with this model\\. only the default \\(`, 'i'),
  new RegExp(`^${name} is (?:deprecated|not supported|unsupported) (?:for|with|by|on) this model\\b`, 'i'),
  new RegExp(`^${name}: extra inputs are not permitted$`, 'i'),
  new RegExp(`^property ${name} is unsupported\\b`, 'i'),
  new RegExp(`^model \\S{1,100} does not support parameter ${name}`, 'i'),
  new RegExp(`^(?:this|the) model does not support (?:the )?${name} parameter\\b`, 'i'),
  new RegExp(`^argument not supported on this model: ${name}`, 'i'),
  new RegExp(`^unrecognized request argument supplied: ${name}$`, 'i'),
  new RegExp(`^unknown parameter: ${name}\\.?$`, 'i'),
  new RegExp(`^invalid json payload received\\. unknown name ${name} at '?generation_?config`, 'i'),
];

/** Refused together with thinking only. https://github.com/dotCipher/opencode-claude-bridge/pull/1 (read 2026-11-15) */
export const refusedWhileThinking = new RegExp(
  `^${name} (?:may only be set to 1|must be unset|must be greater than or equal to [\\d.]+(?: or unset)?) when thinking is enabled\\b`,
  'i',
);

/** The code that one group of providers sends; `param` names the field. */
export const refusingCode = 'unsupported_parameter';

/** Parameters that can be omitted from a request without changing its content; keys are lower-case letters only. */
const parameters: ReadonlyMap<string, ParameterName> = new Map([
  ['temperature', 'temperature'],
  ['topp', 'topP'],
  ['topk', 'topK'],
  ['stop', 'stop'],
  ['stopsequences', 'stop'],
  ['seed', 'seed'],
  ['presencepenalty', 'presencePenalty'],
  ['frequencypenalty', 'frequencyPenalty'],
  ['logitbias', 'logitBias'],
  ['logprobs', 'logprobs'],
  ['toplogprobs', 'logprobs'],
  ['responselogprobs', 'logprobs'],
  ['paralleltoolcalls', 'parallelToolCalls'],
  ['verbosity', 'verbosity'],
]);

/** Objects in which a wire puts parameters that are not at the top level of its body. */
const parameterHomes: ReadonlySet<string> = new Set([
  'generationconfig',
  'text',
  'outputconfig',
  'reasoning',
  'inferenceconfig',
]);

/** Names of parameters that request thinking, or its amount. */
const thinkingNames: ReadonlySet<string> = new Set([
  'reasoning',
  'reasoningeffort',
  'effort',
  'thinking',
  'thinkingconfig',
  'thinkingbudget',
  'thinkinglevel',
  'enablethinking',
]);

export function parameterNamed(field: string): ParameterName | 'thinking' | undefined {
  const key = lastKey(field);
  return thinkingNames.has(key) ? 'thinking' : parameters.get(key);
}

/** The names of the parameter in any body. */
export function namesOf(parameter: ParameterName): ReadonlySet<string> {
  if (parameter === 'thinking') return thinkingNames;
  return new Set([...parameters].filter(([, meant]) => meant === parameter).map(([key]) => key));
}

/** The values under these names, at the top level of a body or in one of `parameterHomes`. Null counts as absent. */
export function saidUnder(sent: Readonly<Record<string, unknown>>, names: ReadonlySet<string>): unknown[] {
  const found: unknown[] = [];
  for (const [field, value] of Object.entries(sent)) {
    if (value === null || value === undefined) continue;
    const key = keyOf(field);
    if (names.has(key)) found.push(value);
    if (!parameterHomes.has(key) || typeof value !== 'object') continue;
    for (const [inner, said] of Object.entries(value)) {
      if (said !== null && said !== undefined && names.has(keyOf(inner))) found.push(said);
    }
  }
  return found;
}

function lastKey(field: string): string {
  return keyOf(field.split('.').at(-1) ?? '');
}

function keyOf(field: string): string {
  return field.toLowerCase().replace(/[^a-z]/g, '');
}
