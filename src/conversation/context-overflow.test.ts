import { expect, test } from 'bun:test';
import { overflowOf, readOverflow } from './context-overflow.ts';
import { GatewayError } from './gateway-error.ts';

test.each([
  ['prompt is too long: 213462 tokens > 200000 maximum', 213_462, 200_000],
  [
    "This model's maximum context length is 8192 tokens. However, you requested 27022 tokens (22926 in the messages, 4096 in the completion).",
    27_022,
    8_192,
  ],
  ['The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).', 1_196_265, 1_048_575],
  ["This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 537_812, 131_072],
  ['the request (66,000 tokens) exceeds the available context size (65,536 tokens)', 66_000, 65_536],
  [
    'Prompt contains 40007 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    40_007,
    32_768,
  ],
  ['prompt token count of 300000 exceeds the limit of 200000', 300_000, 200_000],
])('%p is counted', (message, tokens, tokensMax) => {
  expect(readOverflow(message)).toEqual({ counted: { tokens, tokensMax } });
});

test.each([
  'Your input exceeds the context window of this model.',
  'Request payload size exceeds the limit: 20971520 bytes.',
  'invalid params, context window exceeds limit (2013)',
  '',
])('%p counts nothing', (message) => {
  expect(readOverflow(message)).toEqual({});
});

test('the code that programs look for is enough', () => {
  expect(overflowOf(new GatewayError('upstream_failed', 'm', { providerCode: 'context_length_exceeded' }))).toEqual({});
  expect(overflowOf(new GatewayError('upstream_failed', 'm', { providerCode: 'other' }))).toBeUndefined();
});
