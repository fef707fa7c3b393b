/** What is generated from the description of the admin API is in the repository as it would be generated now. */

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { clientFile, clientText } from '../scripts/admin-client/client-text.ts';
import { adminPageFile, withAdminRoutes } from '../scripts/admin-page.ts';

test('the client is what `npm run client:admin` writes', async () => {
  expect(readFileSync(clientFile, 'utf8') === (await clientText())).toBe(true);
});

test('the table of routes is what `npm run docs:admin` writes', () => {
  const page = readFileSync(adminPageFile, 'utf8');
  expect(page).toBe(withAdminRoutes(page));
});

test('the client imports nothing', () => {
  const { imports } = new Bun.Transpiler({ loader: 'ts' }).scan(readFileSync(clientFile, 'utf8'));
  expect(imports).toEqual([]);
});
