/** Clients of each format find the error words of that format, whichever provider failed. */

import { describe, expect, test } from 'bun:test';
import { errorOf, failureOf } from '../conversation/failure.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import { createScrubber } from '../secrets/scrubber.ts';
import { verdictOfStatus } from '../upstream/faults/verdict.ts';
import { anthropicMessages } from './anthropic-messages/format.ts';
import type { Format, ProviderFault } from './format.ts';
import { geminiGenerate } from './gemini-generate/format.ts';
import { openaiChat } from './openai-chat/format.ts';
import { openaiResponses } from './openai-responses/format.ts';

const formats: readonly Format[] = [openaiChat, openaiResponses, anthropicMessages, geminiGenerate];
const reader = { requestId: 'req_1', ownLibrary: true };

/** The error of a provider of the format, as a client of another format gets it. */
function errorFrom(speaks: string, status: number, fault: Partial<ProviderFault>): GatewayError {
  const whole = { message: 'said', type: undefined, code: undefined, param: undefined, ...fault };
  const given = { status, fault: whole, retryAfter: null, provider: 'up', scrub: createScrubber([]), nowMs: 0 };
  return verdictOfStatus({ ...given, speaks }).error;
}

const bodyOf = (format: Format, error: GatewayError) => JSON.parse(format.errorBody(error, reader)).error;

const overloaded = {
  'openai-chat': errorFrom('openai-chat', 503, { type: 'service_unavailable', code: 'engine_overloaded' }),
  'anthropic-messages': errorFrom('anthropic-messages', 529, { type: 'overloaded_error' }),
  'gemini-generate': errorFrom('gemini-generate', 503, { type: 'UNAVAILABLE', code: '503' }),
};
const messagesTypes = [
  ...['invalid_request_error', 'authentication_error', 'billing_error', 'permission_error', 'not_found_error'],
  ...['request_too_large', 'rate_limit_error', 'timeout_error', 'api_error', 'overloaded_error'],
];

describe('messages: a word of the list', () => {
  test.each(Object.entries(overloaded))('for an overloaded provider of %s', (_, error) => {
    expect(bodyOf(anthropicMessages, error).type).toBe('overloaded_error');
  });

  test.each([
    ['INVALID_ARGUMENT', 400, 'invalid_request_error'],
    ['BadRequestError', 422, 'invalid_request_error'],
    ['NOT_FOUND', 404, 'not_found_error'],
    ['PERMISSION_DENIED', 403, 'permission_error'],
    ['rate_limit_exceeded', 429, 'rate_limit_error'],
    ['tokens', 413, 'request_too_large'],
    ['server_error', 500, 'api_error'],
  ] as const)('%s with %d is %s', (type, status, wanted) => {
    expect(bodyOf(anthropicMessages, errorFrom('openai-chat', status, { type })).type).toBe(wanted);
  });

  test('for every error of our own', () => {
    for (const code of [
      'budget_spent',
      'upstream_timeout',
      'internal_error',
      'body_too_large',
      'token_missing',
    ] as const)
      expect(messagesTypes).toContain(bodyOf(anthropicMessages, new GatewayError(code, 'm')).type);
  });

  test("the provider's other words become its code", () => {
    const error = errorFrom('openai-chat', 400, { type: 'BadRequestError', code: 'some_code' });
    expect(bodyOf(anthropicMessages, error)).toMatchObject({ code: 'some_code', details: { error_code: 'some_code' } });
  });
});

describe('chat and responses', () => {
  test.each([openaiChat, openaiResponses])('words of another family are not passed on as this one’s', (format) => {
    const error = errorFrom('gemini-generate', 400, { type: 'INVALID_ARGUMENT', code: '400' });
    expect(bodyOf(format, error)).toMatchObject({ type: 'invalid_request_error', code: 'upstream_refused' });
    expect(bodyOf(format, overloaded['gemini-generate']).type).toBe('overloaded_error');
  });

  test('words of the family pass as they are', () => {
    const error = errorFrom('openai-chat', 404, { type: 'OddType', code: 'DeploymentNotFound' });
    expect(bodyOf(openaiChat, error)).toMatchObject({ type: 'OddType', code: 'DeploymentNotFound' });
    expect(bodyOf(openaiResponses, error)).toMatchObject({ type: 'OddType', code: 'DeploymentNotFound' });
  });
});

test('content generation: the status is one of the wire, and the provider’s own where it uses this wire', () => {
  const own = errorFrom('gemini-generate', 400, { type: 'FAILED_PRECONDITION', code: '400' });
  expect(bodyOf(geminiGenerate, own)).toMatchObject({ code: 400, status: 'FAILED_PRECONDITION' });
  const other = errorFrom('openai-chat', 400, { type: 'FAILED_PRECONDITION' });
  expect(bodyOf(geminiGenerate, other)).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' });
  expect(bodyOf(geminiGenerate, overloaded['anthropic-messages'])).toMatchObject({ code: 503, status: 'UNAVAILABLE' });
});

describe('a conversation that is too long', () => {
  const said: Readonly<Record<string, GatewayError>> = {
    'openai-chat': errorFrom('openai-chat', 400, {
      message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
      param: 'messages',
    }),
    'anthropic-messages': errorFrom('anthropic-messages', 400, {
      message: 'prompt is too long: 9000 tokens > 8192 maximum',
      type: 'invalid_request_error',
    }),
    'gemini-generate': errorFrom('gemini-generate', 400, {
      message: 'The input token count (9000) exceeds the maximum number of tokens allowed (8192).',
      type: 'INVALID_ARGUMENT',
      code: '400',
    }),
    other: errorFrom('openai-chat', 422, {
      message: 'The input (9000 tokens) is longer than the model’s context length (8192 tokens).',
    }),
  };

  test.each(Object.entries(said))('said by a provider of %s, is found by every client', (_, error) => {
    expect(error.status).toBe(400);
    const code = 'context_length_exceeded';
    expect(bodyOf(openaiChat, error)).toMatchObject({ type: 'invalid_request_error', code, param: 'messages' });
    expect(bodyOf(openaiResponses, error)).toMatchObject({ type: 'invalid_request_error', code });
    const messages = bodyOf(anthropicMessages, error);
    expect(messages.type).toBe('invalid_request_error');
    expect(messages.message).toMatch(/^prompt is too long: 9000 tokens > 8192 maximum/);
    const generate = bodyOf(geminiGenerate, error);
    expect(generate).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' });
    expect(generate.message).toMatch(
      /^The input token count \(9000\) exceeds the maximum number of tokens allowed \(8192\)/,
    );
  });

  test.each(formats)('and in a stream of %p', (format) => {
    for (const error of Object.values(said)) {
      const context = { request: {}, nowMs: 0, newId: (prefix: string) => `${prefix}1` };
      const tapped = format.errorEvent(error, reader);
      const translated = format.codec.streamWriter(context).write(failureOf(error));
      for (const text of [tapped, translated]) {
        expect(text).toMatch(/context_length_exceeded|prompt is too long: 9000|The input token count \(9000\)/);
        if (format === openaiResponses) expect(text).toMatch(/"error":\{"code":"context_length_exceeded"/);
      }
    }
  });

  test('too many bytes, and too many tokens for a minute, are none', () => {
    const large = errorFrom('anthropic-messages', 413, {
      message: 'Request exceeds the maximum size',
      type: 'request_too_large',
    });
    expect(bodyOf(openaiChat, large).code).not.toBe('context_length_exceeded');
    expect(bodyOf(anthropicMessages, large).type).toBe('request_too_large');
    const minute = errorFrom('openai-chat', 429, {
      message: 'Request too large for gpt-4o on tokens per min (TPM): Limit 1',
    });
    expect(bodyOf(openaiChat, minute).code).not.toBe('context_length_exceeded');
  });
});

test('an error keeps its words in a stream', () => {
  const error = errorFrom('gemini-generate', 400, {
    message: 'prompt is too long',
    type: 'INVALID_ARGUMENT',
    code: '400',
  });
  expect(bodyOf(openaiChat, errorOf(failureOf(error)))).toEqual(bodyOf(openaiChat, error));
});
