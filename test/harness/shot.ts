/** Screenshots of pages, to be looked at: `WEIR_SHOTS` names the folder that they go to. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

export async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env['WEIR_SHOTS'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
