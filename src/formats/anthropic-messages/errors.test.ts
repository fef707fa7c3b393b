/** The envelope, the last event of a broken stream, and what providers say. */

import { expect, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { errorBody, errorEvent, readFault } from './errors.ts';
import { modelList } from './model-list.ts';

const reader = { requestId: 'req_1', ownLibrary: false };

test('the envelope holds the four strings and the request id', () => {
  const error = new GatewayError('field_missing', 'gone', { param: 'model' });
  expect(JSON.parse(errorBody(error, reader))).toEqual({
    type: 'error',
    error: { type: 'invalid_request_error', message: 'gone', param: 'model', code: 'field_missing' },
    request_id: 'req_1',
  });
});

test('details reach the client, Weir’s and a provider’s code', () => {
  const ours = new GatewayError('operation_unsupported', 'no threads', {
    param: 'thread',
    details: { error_code: 'thread_unsupported_request' },
  });
  expect(JSON.parse(errorBody(ours, reader)).error.details).toEqual({ error_code: 'thread_unsupported_request' });
  const fault = readFault(
    '{"type":"error","error":{"type":"invalid_request_error","message":"m","details":{"error_code":"thread_expired"}}}',
  );
  expect(fault).toEqual({ message: 'm', type: 'invalid_request_error', code: 'thread_expired', param: undefined });
  const theirs = new GatewayError('upstream_refused', 'm', { providerCode: fault?.code });
  expect(JSON.parse(errorBody(theirs, reader)).error.details).toEqual({ error_code: 'thread_expired' });
});

test('a broken stream ends with an error event and nothing else', () => {
  const text = errorEvent(new GatewayError('upstream_failed', 'cut'), reader);
  expect(text).toStartWith('event: error\ndata: {"type":"error","error":{"type":"api_error"');
  expect(text).toEndWith('}\n\n');
});

test('faults in the shapes of hosts', () => {
  expect(readFault('{"message":"denied"}')?.message).toBe('denied');
  expect(readFault('<html>')).toBeUndefined();
  expect(readFault('null')).toBeUndefined();
});

test('the model list of this family', () => {
  const facts = {
    id: 'a',
    createdAtMs: 0,
    providers: ['p'],
    contextTokens: undefined,
    inputModalities: undefined,
    description: undefined,
    pricing: undefined,
  };
  expect(modelList([facts, { ...facts, id: 'b' }])).toEqual({
    data: [
      { type: 'model', id: 'a', display_name: 'a', created_at: '1970-01-01T00:00:00.000Z' },
      { type: 'model', id: 'b', display_name: 'b', created_at: '1970-01-01T00:00:00.000Z' },
    ],
    has_more: false,
    first_id: 'a',
    last_id: 'b',
  });
  expect(modelList([])).toEqual({ data: [], has_more: false, first_id: null, last_id: null });
});
