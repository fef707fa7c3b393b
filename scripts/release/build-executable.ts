/** Builds an executable: the whole gateway with the runtime of a platform in one self-contained file. */

import { join } from 'node:path';
import type { BunPlugin } from 'bun';
import { packConsole, packPrices, packTokens, packVoice } from './packed-data.ts';

const project = join(import.meta.dir, '../..');

export interface ExecutableOptions {
  readonly outfile: string;
  /** A folder for files that are embedded, as `writePackedData` left it. */
  readonly data: string;
  /** Of another platform; this machine's own unless given. */
  readonly runtime?: { readonly target: Bun.Build.CompileTarget; readonly file: string };
}

/** Returns what the bundler complained about; nothing if it succeeded. */
export async function buildExecutable({ outfile, data, runtime }: ExecutableOptions): Promise<readonly unknown[]> {
  const plugins: BunPlugin[] = [packConsole(data), packPrices(), packTokens(data), packVoice(data)];
  const result = await Bun.build({
    // A worker's file is an entry point of its own, because nothing imports it.
    entrypoints: [
      join(project, 'scripts/executable-entry.ts'),
      join(project, 'src/store/engines/sqlite-worker.ts'),
      join(project, 'src/ledger/count-tokens-worker.ts'),
      join(project, 'src/prices/tables/table-worker.ts'),
      join(project, 'src/audio/encode-worker.ts'),
      join(project, 'src/sandbox/speech/speech-worker.ts'),
      join(project, 'src/sandbox/images/image-worker.ts'),
      join(project, 'src/sandbox/video/video-worker.ts'),
    ],
    // Workers are found by their path below this folder.
    root: join(project, 'src'),
    plugins,
    target: 'bun',
    format: 'esm',
    minify: { whitespace: true, syntax: true },
    sourcemap: 'none',
    bytecode: true,
    throw: false,
    compile: {
      outfile,
      // The bunfig.toml of a foreign working directory could preload code.
      autoloadBunfig: false,
      ...(runtime !== undefined && { target: runtime.target, executablePath: runtime.file }),
    },
  });
  return result.success ? [] : [...result.logs, 'The bundler failed.'];
}
