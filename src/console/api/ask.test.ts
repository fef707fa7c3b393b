/** Proves that answers arrive as values and that every kind of failure arrives with its code and request id. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { AskError, ask } from './ask.ts';

let server: Bun.Server<undefined>;

beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === '/echo') return Response.json({ method: request.method, body: await request.text() });
      if (pathname === '/empty') return new Response(null, { status: 204 });
      const headers = { 'x-request-id': 'req_7' };
      if (pathname === '/page') return new Response('<html>', { status: 502, headers });
      const error = {
        message: 'This name is taken.',
        code: 'invalid_field',
        param: 'name',
        type: 'invalid_request_error',
      };
      return Response.json({ error }, { status: 400, headers });
    },
  });
});

afterAll(() => server.stop(true));

const at = (path: string) => `http://127.0.0.1:${server.port}${path}`;
const failureOf = (path: string): Promise<unknown> => ask(path).catch((error: unknown) => error);

test('a question without a body is a GET, one with a body a POST unless said otherwise', async () => {
  expect(await ask<unknown>(at('/echo'))).toEqual({ method: 'GET', body: '' });
  expect(await ask<unknown>(at('/echo'), { body: { a: 1 } })).toEqual({ method: 'POST', body: '{"a":1}' });
  expect(await ask<unknown>(at('/echo'), { method: 'PUT', body: [] })).toEqual({ method: 'PUT', body: '[]' });
  expect(await ask<undefined>(at('/empty'))).toBeUndefined();
});

test('a refusal carries message, code, field and request id', async () => {
  const error = await failureOf(at('/refused'));
  expect(error).toBeInstanceOf(AskError);
  expect(error).toMatchObject({
    message: 'This name is taken.',
    status: 400,
    code: 'invalid_field',
    param: 'name',
    requestId: 'req_7',
  });
});

test('a page in place of JSON still has a code and the request id', async () => {
  expect(await failureOf(at('/page'))).toMatchObject({ status: 502, code: 'http_502', requestId: 'req_7' });
});

test('nobody there is its own failure, and giving up is none of ours', async () => {
  expect(await failureOf('http://127.0.0.1:1/')).toMatchObject({ status: 0, code: 'unreachable' });
  const stopped = ask(at('/echo'), { signal: AbortSignal.abort() }).catch((error: unknown) => error);
  expect(await stopped).not.toBeInstanceOf(AskError);
});
