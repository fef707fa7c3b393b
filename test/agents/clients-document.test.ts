/** The documents show the snippets as they are: what is pasted from them is what is run. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { fillSnippet, snippets } from '../../src/snippets/snippets.ts';
import { clientsDocument, clientsFile, documentFacts, fenced } from './clients-document.ts';

test('docs/clients.md is up to date (WEIR_WRITE_DOCUMENTS=1 writes it)', async () => {
  if (process.env['WEIR_WRITE_DOCUMENTS'] === '1') await Bun.write(clientsFile, clientsDocument());
  expect(await Bun.file(clientsFile).text()).toBe(clientsDocument());
});

test('the README shows the common agents as the home page does', async () => {
  const readme = await Bun.file(join(import.meta.dir, '../../README.md')).text();
  const shown = snippets.filter(({ group, common }) => group === 'agents' && common);
  expect(shown.length).toBeGreaterThan(2);
  for (const { parts } of shown) {
    for (const { file, template } of parts) {
      expect(readme).toContain(fenced(fillSnippet(template, documentFacts), file));
      if (file !== undefined) expect(readme).toContain(`\`${file}\``);
    }
  }
});

test('the README says how long a first token must be', async () => {
  const readme = await Bun.file(join(import.meta.dir, '../../README.md')).text();
  const sentences = /^- Unattended set-up: `WEIR_FIRST_TOKEN`([\s\S]*?)(?=^\S)/m.exec(readme)?.[1];
  expect(sentences).toContain('20 characters');
  expect(sentences).toContain('54');
});
