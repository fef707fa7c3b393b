import { expect, test } from 'bun:test';
import { isSibling } from './poll-result.ts';

test.each([
  ['https://api.maker.ai/v1/x', 'https://api.maker.ai/v1/result?id=1', true],
  ['https://api.maker.ai/v1/x', 'https://api.us1.maker.ai/v1/result', true],
  ['https://queue.maker.run/x', 'https://rest.maker.run/y', true],
  ['https://api.maker.ai/v1/x', 'http://api.maker.ai/v1/x', false],
  ['https://api.maker.ai/v1/x', 'https://api.maker.ai:8443/v1/x', false],
  ['https://api.maker.ai/v1/x', 'https://maker.ai.elsewhere.com/', false],
  ['https://api.maker.ai/v1/x', 'https://notmaker.ai/', false],
  ['https://api.maker.co.uk/x', 'https://api.other.co.uk/y', false],
  ['https://api.maker.co.uk/x', 'https://eu.maker.co.uk/y', true],
  ['https://10.0.0.1/x', 'https://6.6.0.1/y', false],
  ['https://[fd00::1]/x', 'https://[fd00::2]/y', false],
  ['http://127.0.0.1:80/x', 'http://127.0.0.1/y', true],
  ['http://127.0.0.1:8000/x', 'http://127.0.0.1:8001/y', false],
  ['https://localhost/x', 'https://elsewhere.localhost/y', false],
  ['https://api.maker.ai/x', '/v1/result', false],
])('asked at %s, a key may go to %s: %p', (base, url, may) => {
  expect(isSibling(url, base)).toBe(may);
});
