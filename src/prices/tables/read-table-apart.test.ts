import { describe, expect, test } from 'bun:test';
import { leftOutText } from './left-out.ts';
import { readTable } from './read-table.ts';
import { readTableApart } from './read-table-apart.ts';
import type { PriceTable } from './table.ts';

const many = Array.from({ length: 2_000 }, (_, at) => `model-${at}`);
const texts = {
  'models.dev': JSON.stringify({
    openai: {
      id: 'openai',
      models: Object.fromEntries(
        many.map((id, at) => [id, { id, cost: { input: at, output: 2 }, odd: 'x'.repeat(50) }]),
      ),
    },
  }),
  litellm: JSON.stringify(
    Object.fromEntries(
      many.map((id, at) => [id, { litellm_provider: 'openai', mode: 'chat', input_cost_per_token: at / 1e6 }]),
    ),
  ),
  'genai-prices': JSON.stringify([
    { id: 'openai', models: many.map((id, at) => ({ id, match: { equals: id }, prices: { input_mtok: at } })) },
  ]),
};

const shown = (table: PriceTable) => ({
  about: [table.source, table.version, table.asOf, [...table.unread]],
  rows: [...table.entries(0)],
  found: table.find('openai', 'MODEL-7', 0) ?? table.find('openai', 'model-7', 0),
  elsewhere: table.elsewhere('model-7', 0),
});

describe('a table that is read on a thread of its own', () => {
  test.each(Object.entries(texts))('%s is the same as one that is read here', async (_source, text) => {
    expect(text.length).toBeGreaterThan(65_536);
    expect(shown(await readTableApart(text))).toEqual(shown(readTable(text)));
  });

  test.each(Object.entries(texts))('what is left out of %s is named in the same words', async (_source, text) => {
    const wrong = text.replace(/:1999(,|\})|:0\.001999/, ':-5$1');
    expect(wrong).not.toBe(text);
    const here = readTable(wrong).leftOut;
    expect(here.named.map(leftOutText)).toEqual([expect.stringContaining('model-1999')]);
    expect((await readTableApart(wrong)).leftOut).toEqual(here);
  });

  test.each(Object.entries(texts))('what is wrong in %s is said in the same words', async (_source, text) => {
    const wrong = text.replaceAll(/:1\d\d\d(,|\})|:0\.001\d\d\d/g, ':-5$1');
    let said = '';
    try {
      readTable(wrong);
    } catch (error) {
      said = String(error);
    }
    expect(said).toContain('models cannot be read');
    await expect(readTableApart(wrong)).rejects.toThrow(said.replace('TableError: ', ''));
  });

  test('a text that is cut off is refused with its line', async () => {
    await expect(readTableApart(texts.litellm.slice(0, -30))).rejects.toThrow('line 1');
  });

  test('the event loop turns meanwhile', async () => {
    let turns = 0;
    let reading = true;
    const turn = () => {
      turns += 1;
      if (reading) setImmediate(turn);
    };
    setImmediate(turn);
    await readTableApart(texts.litellm);
    reading = false;
    expect(turns).toBeGreaterThan(0);
  });
});
