/** The failures of a provider of any wire, each in the vendor's words. */

import type { Answer } from './scripted.ts';

export const failing = {
  '401': () => Response.json({ error: { message: 'no such key: provider-key-0123456789' } }, { status: 401 }),
  '429': () => Response.json({ error: { message: 'too many' } }, { status: 429, headers: { 'retry-after': '1' } }),
  '400': () => Response.json({ error: { message: 'that voice of yours', param: 'voice' } }, { status: 400 }),
  '500': () => Response.json({ error: { message: 'it broke' } }, { status: 500 }),
  html: () => new Response('<html>a proxy</html>', { headers: { 'content-type': 'text/html' } }),
  broken: () => new Response('{"data": [', { headers: { 'content-type': 'application/json' } }),
  empty: () => Response.json({}),
} as const satisfies Record<string, Answer>;

export type Failure = keyof typeof failing;

/** A refusal in each vendor's words; all of them say «the size is wrong». */
export const refusals: Readonly<Record<string, object>> = {
  'under error': { error: { message: 'the size is wrong', type: 'invalid_request_error', code: null } },
  'at the top': { id: 'x', message: 'the size is wrong' },
  'as a detail': { detail: 'the size is wrong' },
  'in a detail': { detail: { status: 'invalid', message: 'the size is wrong' } },
  'in a list of details': { detail: [{ loc: ['body', 'size'], msg: 'the size is wrong', type: 'value_error' }] },
  'with a title': { title: 'Input validation failed', detail: 'the size is wrong', status: 422 },
  'as an error code': { err_code: 'Bad Request', err_msg: 'the size is wrong', request_id: 'x' },
  'with a status': { error: { code: 400, message: 'the size is wrong', status: 'INVALID_ARGUMENT' } },
};
