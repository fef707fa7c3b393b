import { expect, test } from 'bun:test';
import { nullUsageIn } from './null-usage.ts';

/** The frame without the bytes that were found; undefined where nothing was. */
function without(json: string, prefix = 'data: '): string | undefined {
  const raw = Buffer.from(`${prefix}${json}\n\n`);
  const range = nullUsageIn(new Uint8Array(raw));
  if (range === undefined) return undefined;
  const text = Buffer.concat([raw.subarray(0, range.start), raw.subarray(range.end)]).toString();
  expect(text.startsWith(prefix) && text.endsWith('\n\n')).toBe(true);
  return text.slice(prefix.length, -2);
}

const choices = '"choices":[{"index":0,"delta":{"content":"é 😀 \\"usage\\":null }"}}]';

test.each([
  ['at the end', `{"id":"x",${choices},"usage":null}`, `{"id":"x",${choices}}`],
  ['before padding', `{"id":"x",${choices},"usage":null,"obfuscation":"a"}`, `{"id":"x",${choices},"obfuscation":"a"}`],
  ['first', `{"usage":null,"id":"x",${choices}}`, `{"id":"x",${choices}}`],
  ['alone', '{"usage":null}', '{}'],
  ['with spaces', `{"id": "x", ${choices}, "usage" : null }`, `{"id": "x", ${choices} }`],
  [
    'with spaces inside as well',
    `{"x": {"usage": null}, "usage": null, "y": {"usage": null}}`,
    `{"x": {"usage": null}, "y": {"usage": null}}`,
  ],
  [
    'beside one further in that comes later',
    `{"usage":null,"x_groq":{"id":"r","usage":null}}`,
    `{"x_groq":{"id":"r","usage":null}}`,
  ],
  ['before a list', `{"usage":null,"list":[{"usage":null}]}`, `{"list":[{"usage":null}]}`],
])('%s', (_, json, expected) => {
  expect(without(json)).toBe(expected);
  expect(without(json, 'event: chunk\ndata:')).toBe(expected);
  expect(JSON.parse(expected)).not.toHaveProperty('usage');
});

test.each([
  '{"id":"x","x":{"usage":null}}',
  '{"id":"x","text":"\\"usage\\":null"}',
  '{"id":"x","usage":{"prompt_tokens":1}}',
  '{"id":"usage","x":null}',
  '{"id":"x","list":["usage",null]}',
  '[DONE]',
  '',
])('%p holds none of its own', (json) => {
  expect(without(json)).toBeUndefined();
});
