/** Operations on text end, whatever the text is. What they cost is measured by `npm run soak`. */

import { expect, test } from 'bun:test';
import { costlyTexts } from '../../../test/harness/costly-texts.ts';
import { embedTexts } from './embed.ts';
import { moderateInputs } from './moderate.ts';
import { rankDocuments } from './rerank.ts';

const moderate = (text: string): unknown =>
  moderateInputs({ inputs: [[{ type: 'text', text }]] }, 'modr-1', 'sandbox-moderate');

const operations: Readonly<Record<string, (text: string) => unknown>> = {
  embed: (text) => embedTexts({ model: 'sandbox-embed', inputs: [text], encoding: 'float' }),
  rerank: (text) =>
    rankDocuments(
      { model: 'sandbox-rerank', query: text, documents: [text, { text }], returnDocuments: false },
      'rerank-1',
    ),
  moderate,
};

for (const [name, operation] of Object.entries(operations)) {
  test.each(Object.entries(costlyTexts))(`${name} of %s ends`, (_kind, text) => {
    expect(operation(text)).toBeDefined();
  });
}

test('a document of deep or many fields ends', () => {
  let deep: Record<string, unknown> = { text: 'moon' };
  for (let depth = 0; depth < 5000; depth++) deep = { deep };
  const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`field${index}`, `word ${index}`]));
  const { results } = rankDocuments(
    { model: 'sandbox-rerank', query: 'moon', documents: [deep, wide, 'moon'], returnDocuments: false },
    'rerank-1',
  );
  expect(results[0]?.index).toBe(2);
  expect(results.length).toBe(3);
});
