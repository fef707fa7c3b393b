/** Frames of the socket: what is a request, what is an error, and how a lane marks its events. */

import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../../../conversation/gateway-error.ts';
import { errorFrame, inLane, lifetimeFrame, readFrame, requestHeaders } from './socket-frames.ts';

describe('a client’s frame', () => {
  test('is a request but for what belongs to the socket', () => {
    const frame = readFrame({ type: 'response.create', model: 'm', input: 'x', stream_id: 'a' });
    if (frame.kind !== 'create') throw new Error('no request');
    expect(frame).toMatchObject({ wrapped: undefined, generates: true, lane: 'a' });
    expect([...frame.edits]).toEqual([
      ['type', undefined],
      ['generate', undefined],
      ['stream_id', undefined],
      ['background', undefined],
      ['stream', 'true'],
    ]);
  });

  test('may wrap the request', () => {
    const response = { model: 'm', input: 'x', generate: false };
    expect(readFrame({ type: 'response.create', response })).toMatchObject({ wrapped: response, generates: false });
  });

  test('may only warm up', () => {
    expect(readFrame({ type: 'response.create', model: 'm', generate: false })).toMatchObject({ generates: false });
  });

  test.each([
    [{ model: 'm' }, 'type'],
    [{ type: 'response.cancel' }, 'type'],
    [{ type: 'response.create', model: 'm', generate: 0 }, 'generate'],
    [{ type: 'response.create', model: 'm', background: true }, 'background'],
    [{ type: 'response.create', model: 'm', stream_id: '' }, 'stream_id'],
    [{ type: 'response.create', model: 'm', stream_id: 'x'.repeat(129) }, 'stream_id'],
  ])('%p is refused by name', (frame, param) => {
    let thrown: unknown;
    try {
      readFrame(frame);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(GatewayError);
    expect((thrown as GatewayError).param).toBe(param);
  });
});

test('an empty frame gets no answer, steering gets its input back', () => {
  expect(readFrame({ type: 'response.processed', response_id: 'x' })).toEqual({ kind: 'answered', answer: undefined });
  const steered = readFrame({ type: 'response.steer', previous_response_id: 'resp_1', input: 'left' });
  expect(steered.kind === 'answered' && JSON.parse(steered.answer ?? '')).toMatchObject({
    type: 'response.steer.failed',
    steer: { previous_response_id: 'resp_1', input: 'left' },
  });
});

test('headers of the handshake alone are not sent with each request', () => {
  const headers = requestHeaders(
    new Headers({ 'openai-beta': 'responses_websockets=2026-02-06, other=v1', 'idempotency-key': 'k', 'x-a': 'b' }),
  );
  expect([...headers]).toEqual([
    ['openai-beta', 'other=v1'],
    ['x-a', 'b'],
  ]);
  expect([...requestHeaders(new Headers({ 'openai-beta': 'responses_websockets=2' }))]).toEqual([]);
});

test('a lane’s name goes into its events and changes nothing else', () => {
  const event = '{"type":"x","text":"a}b"}';
  expect(inLane(event, undefined)).toBe(event);
  expect(JSON.parse(inLane(event, 'a"b'))).toEqual({ type: 'x', text: 'a}b', stream_id: 'a"b' });
});

test('an error has its status, its code and the words that clients of the socket look for', () => {
  const lost = new GatewayError('response_not_stored', 'gone', { param: 'previous_response_id' });
  expect(JSON.parse(errorFrame(lost, 'req_1', 'a'))).toEqual({
    type: 'error',
    status: 400,
    error: {
      type: 'invalid_request_error',
      code: 'previous_response_not_found',
      message: 'gone',
      param: 'previous_response_id',
      headers: { 'x-request-id': 'req_1' },
    },
    stream_id: 'a',
  });
  const limited = new GatewayError('rate_limited', 'wait', { retryAfterMs: 1_500 });
  expect(JSON.parse(errorFrame(limited, 'req_2', undefined))).toMatchObject({
    status: 429,
    error: { code: 'rate_limited', param: null, headers: { 'retry-after': '2' } },
  });
  expect(JSON.parse(lifetimeFrame(3_600_000)).error.code).toBe('websocket_connection_limit_reached');
});
