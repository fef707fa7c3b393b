/** Loaded before the files of a batch: they share one browser and one sandbox, which end after the last of them. */

import { afterAll } from 'bun:test';
import { endBrowser, shareBrowser } from './browser.ts';
import { endSandboxWeir } from './shared-weir.ts';

shareBrowser();
afterAll(endBrowser);
afterAll(endSandboxWeir);
