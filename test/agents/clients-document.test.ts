/** The documents show the snippets as they are: what is pasted from them is what is run. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { snippets } from '../../src/snippets/snippets.ts';
import { clientsDocument, clientsFile } from './clients-document.ts';
import { readmeBlocks } from './readme-blocks.ts';

test('docs/clients.md is up to date (WEIR_WRITE_DOCUMENTS=1 writes it)', async () => {
  if (process.env['WEIR_WRITE_DOCUMENTS'] === '1') await Bun.write(clientsFile, clientsDocument());
  expect(await Bun.file(clientsFile).text()).toBe(clientsDocument());
});

test('the first calls are programs in three languages, and those of two more libraries', async () => {
  const languages = (await readmeBlocks()).map(({ language }) => language);
  expect(languages).toEqual(['sh', 'python', 'ts', 'js', 'js']);
});

test('the README counts the clients', async () => {
  const readme = await Bun.file(join(import.meta.dir, '../../README.md')).text();
  expect(readme).toContain(`[${snippets.length} clients`);
});

test('docs/operation.md says how long a first token must be', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../docs/operation.md')).text();
  const sentences = /^- \*\*Unattended set-up:\*\* `WEIR_FIRST_TOKEN`([\s\S]*?)(?=^\S)/m.exec(page)?.[1];
  expect(sentences).toContain('20 characters');
  expect(sentences).toContain('54');
});
