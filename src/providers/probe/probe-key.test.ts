import { expect, test } from 'bun:test';
import { replyFromResponse } from '../../upstream/from-response.ts';
import { providerOf } from '../assemble.ts';
import { presetByName } from '../presets.ts';
import { createAuthorizer } from '../sign/authorize.ts';
import { createKeyProbe, type ProbeOutcome } from './probe-key.ts';

const key = { id: 'a', value: 'sk-0123456789' };

async function probe(answer: (authorization: string | undefined) => Response, kind = 'openai') {
  const asked: string[] = [];
  const refused: number[] = [];
  const preset = presetByName(kind);
  if (preset === undefined) throw new Error(`no preset ${kind}`);
  const provider = providerOf({
    preset,
    name: 'up',
    baseUrl: preset.baseUrl,
    keys: [key],
    headers: {},
    models: undefined,
    transport: async ({ url, headers }) => {
      asked.push(url);
      return replyFromResponse(answer(headers['authorization']));
    },
  });
  const ask = createKeyProbe({
    authorizer: createAuthorizer({ nowMs: Date.now }),
    onRefused: (_provider, _key, status) => refused.push(status),
  });
  const outcome = await ask(provider, key);
  return { outcome, asked, refused, again: () => ask(provider, key) };
}

const fault = (status: number, message: string, code?: string): Response =>
  Response.json({ error: { message, code } }, { status });

test.each<[string, (authorization: string | undefined) => Response, ProbeOutcome]>([
  ['a list for this key alone', (sent) => (sent === undefined ? fault(401, 'no') : Response.json({})), 'works'],
  ['a list that needs no key', () => Response.json({}), 'unknown'],
  ['an invalid key', () => fault(401, 'Incorrect API key provided', 'invalid_api_key'), 'refused'],
  ['a plain 401', () => new Response('Unauthorized', { status: 401 }), 'refused'],
  ['a bad request about the key', () => fault(400, 'API key not valid. Please pass a valid API key.'), 'refused'],
  ['a key that may not list models', () => fault(403, 'Missing scopes: api.model.read'), 'unknown'],
  ['the same as 401', () => fault(401, 'You have insufficient permissions for this operation.'), 'unknown'],
  ['no list', () => new Response('', { status: 404 }), 'unknown'],
  ['a rate limit', () => fault(429, 'slow down'), 'unknown'],
  ['a failure', () => fault(500, 'oops'), 'unknown'],
])('%s', async (_name, answer, expected) => {
  const { outcome, refused } = await probe(answer);
  expect(outcome).toBe(expected);
  expect(refused.length).toBe(expected === 'refused' ? 1 : 0);
});

test('a network that fails proves nothing', async () => {
  const { outcome } = await probe(() => {
    throw new Error('away');
  });
  expect(outcome).toBe('unknown');
});

test('whether the list is public is asked once', async () => {
  const { asked, again } = await probe((sent) => (sent === undefined ? fault(401, 'no') : Response.json({})));
  expect(asked.length).toBe(2);
  await again();
  expect(asked.length).toBe(3);
});

test('a check URL is preferred to a list of models', async () => {
  const { asked } = await probe(() => Response.json({}), 'replicate');
  expect(asked[0]).toEndWith('/account');
});
