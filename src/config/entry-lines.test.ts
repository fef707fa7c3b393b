import { expect, test } from 'bun:test';
import { entryLines } from './entry-lines.ts';

test('finds providers, aliases and prices by their lines, and nothing that only looks like one', () => {
  const text = `# providers:
server:
  port: 1
providers:
  # the first
  openai:
    key_env: X
    models: [a]
  "my.own":
    base_url: http://127.0.0.1:1/v1
models:
    fast/one:
        targets:
          - provider: openai
            model: a
    'slow*': { targets: [] }
prices: { 'a*': { input: 1, output: 1 } }
`;
  expect(entryLines(text)).toEqual({
    'providers.openai': 6,
    'providers.my.own': 9,
    'models.fast/one': 12,
    'models.slow*': 16,
  });
  expect(entryLines('{"providers": {"a": {}}}')).toEqual({});
});
