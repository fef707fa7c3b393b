/** Proves that answers arrive as values and that every kind of failure arrives with its code and request id. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { AskError, ask, listenToAsks } from './ask.ts';

let server: Bun.Server<undefined>;
/** Calls of `/session` that are refused before one is answered. */
let refusals = 0;

beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === '/echo') return Response.json({ method: request.method, body: await request.text() });
      if (pathname === '/empty') return new Response(null, { status: 204 });
      const headers = { 'x-request-id': 'req_7' };
      if (pathname === '/session' && refusals === 0) return Response.json({ body: await request.text() });
      if (pathname === '/session') {
        refusals -= 1;
        return Response.json({ error: { message: 'Sign in.', code: 'sign_in_required' } }, { status: 401, headers });
      }
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

test('a call that found the session ended is made again after the sign-in, and fails where nobody signs in', async () => {
  let asked = 0;
  let signsIn = true;
  const sessionEnded = async () => {
    asked += 1;
    return signsIn;
  };
  listenToAsks({ answered: () => undefined, unanswered: () => undefined, sessionEnded });
  refusals = 2;
  expect(await ask<unknown>(at('/session'), { body: { name: 'kept' } })).toEqual({ body: '{"name":"kept"}' });
  expect(asked).toBe(2);
  signsIn = false;
  refusals = 1;
  expect(await failureOf(at('/session'))).toMatchObject({ code: 'sign_in_required' });
  refusals = 1;
  const signedOut = ask(at('/session'), { signsInAgain: false }).catch((error: unknown) => error);
  expect(await signedOut).toMatchObject({ code: 'sign_in_required' });
  expect(asked).toBe(3);
});

test('who listens hears whether Weir answered: a refusal is an answer, a proxy’s page is none', async () => {
  const heard: string[] = [];
  listenToAsks({
    answered: () => heard.push('answered'),
    unanswered: () => heard.push('unanswered'),
    sessionEnded: async () => false,
  });
  await ask(at('/echo'));
  await failureOf(at('/refused'));
  await failureOf(at('/page'));
  await failureOf('http://127.0.0.1:1/');
  expect(heard).toEqual(['answered', 'answered', 'unanswered', 'unanswered']);
});
