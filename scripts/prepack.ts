/**
 * Runs before `npm pack`: writes the built console into the package, whose users do not have the packages that build
 * it. `WEIR_PREPACK_QUICK=1` compresses it less, for tests.
 */

import { join } from 'node:path';
import { packagedConsole } from '../src/http/pages/console-files.ts';
import { writePack } from '../src/http/pages/console-pack.ts';
import { buildConsole } from './build-console.ts';

const brotliQuality = process.env['WEIR_PREPACK_QUICK'] === '1' ? 5 : 11;
const pack = await buildConsole({ gallery: false, brotliQuality });
await Bun.write(join(import.meta.dir, '..', packagedConsole), writePack(pack));
