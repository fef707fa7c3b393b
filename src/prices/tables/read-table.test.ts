import { describe, expect, test } from 'bun:test';
import { readTable } from './read-table.ts';
import type { PriceTable } from './table.ts';
import { TableError } from './table-error.ts';

/** The same model at the same price in each form. */
const forms = {
  'models.dev': (rate: unknown) => ({
    h: { id: 'h', models: { m: { last_updated: '2026-07-02', cost: { input: 1, output: rate } } } },
  }),
  litellm: (rate: unknown) => ({
    sample_spec: { litellm_provider: 'one of', mode: 'one of: chat' },
    m: {
      litellm_provider: 'h',
      mode: 'chat',
      input_cost_per_token: 1e-6,
      output_cost_per_token: typeof rate === 'number' ? rate / 1e6 : rate,
    },
  }),
  'genai-prices': (rate: unknown) => [
    { id: 'other', models: [] },
    { id: 'h', models: [{ id: 'm', match: { equals: 'm' }, prices: { input_mtok: 1, output_mtok: rate } }] },
  ],
} as const;

const textOf = (value: unknown) => JSON.stringify(value, null, 1);

function wrong(text: string): TableError {
  try {
    readTable(text);
  } catch (error) {
    if (error instanceof TableError) return error;
    throw error;
  }
  throw new Error('it was read');
}

describe.each(Object.entries(forms))('%s', (source, form) => {
  const outputOf = (table: PriceTable) => table.find('h', 'm', 0)?.price?.output?.nanoPerMillion;

  test('is known by its content', () => {
    const table = readTable(`\ufeff${textOf(form(2))}`);
    expect(String(table.source)).toBe(source);
    expect(outputOf(table)).toBe(2_000_000_000n);
  });

  test('is named by its day, or else by its content', () => {
    expect(readTable(textOf(form(2)), '2026-01-31')).toMatchObject({
      version: `${source} 2026-01-31`,
      asOf: '2026-01-31',
    });
    const { version, asOf } = readTable(textOf(form(2)));
    if (source === 'models.dev') expect([version, asOf]).toEqual(['models.dev 2026-07-02', '2026-07-02']);
    else {
      expect(asOf).toBeUndefined();
      expect(version).toMatch(new RegExp(`^${source} [0-9a-f]{8}$`));
      expect(version).not.toBe(readTable(textOf(form(3))).version);
    }
  });

  /** Each on its own line of the text, which is counted here by hand. */
  test.each([-1, '2', true, 1e308])('a price of %p is named with key and line', (bad) => {
    const text = textOf(form(bad === 1e308 ? '@' : bad)).replace('"@"', '1e308');
    const error = wrong(text);
    const line = text.split('\n').findIndex((one) => /output/.test(one)) + 1;
    expect(error.line).toBe(line);
    expect(error.message).toStartWith(`line ${line}, ${error.path.join('/')}: `);
    expect(String(error.path.at(-1))).toMatch(/^output/);
  });

  test('what JSON does not know is named with key and line', () => {
    const text = textOf(form('@')).replace('"@"', 'NaN');
    const error = wrong(text);
    expect(error.line).toBe(text.split('\n').findIndex((one) => one.includes('NaN')) + 1);
    expect(error.message).toContain('"NaN" is no JSON');
  });

  test('a text that was cut off is no table, wherever it ends', () => {
    const text = textOf(form(2));
    for (let end = 0; end < text.length; end += 7) expect(() => readTable(text.slice(0, end))).toThrow(TableError);
  });

  test('another currency is named with its line', () => {
    const text = textOf(form(2)).replace(/"(m|id)": ("m"|\{)/, (all) =>
      all.endsWith('{') ? `${all}\n"currency": "EUR",` : `"currency": "EUR",\n${all}`,
    );
    const error = wrong(text);
    expect(error.message).toContain('"EUR" is another currency than USD');
    expect(error.line).toBe(text.split('\n').findIndex((one) => one.includes('EUR')) + 1);
  });
});

test('what is none of them is said to be none', () => {
  for (const text of [
    '{}',
    '[]',
    '[1]',
    '{"a":1}',
    '"x"',
    'null',
    '{"error":{"message":"not found"}}',
    '{"data":[{"id":"m"}]}',
  ])
    expect(wrong(text).message).toContain('none of the tables that are known');
  expect(wrong('<html></html>').message).toStartWith('line 1: "<html></html>" is no JSON');
});

test('huge texts and names are bounded, also in messages', () => {
  expect(wrong(' '.repeat(32 * 1024 * 1024 + 1)).message).toContain('longer than');
  const name = 'x'.repeat(1_000_000);
  const error = wrong(JSON.stringify({ h: { models: { m: { cost: { input: name, output: 1 } } } } }));
  expect(error.message.length).toBeLessThan(400);
  const long = wrong(JSON.stringify({ [name]: { models: {} }, h: { models: {} } }));
  expect(long.message.length).toBeLessThan(600);
});
