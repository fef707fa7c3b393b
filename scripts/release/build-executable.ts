/** Builds an executable: the whole gateway with the runtime of a platform in one self-contained file. */

import { join } from 'node:path';
import { threadFiles } from '../thread-files.ts';
import { type PackedData, packingPlugins } from './packed-data.ts';

const project = join(import.meta.dir, '../..');

export interface ExecutableOptions {
  /** Its name is part of the executable. */
  readonly outfile: string;
  readonly data: PackedData;
  /** The platform, this machine's own unless given, and Bun's program for it. */
  readonly target?: Bun.Build.CompileTarget | undefined;
  readonly runtime?: string | undefined;
}

/** Returns what the bundler complained about; nothing if it succeeded. */
export async function buildExecutable(options: ExecutableOptions): Promise<readonly unknown[]> {
  const { outfile, data, target, runtime } = options;
  const result = await Bun.build({
    // What is loaded by its address is an entry point of its own: nothing imports a worker's file, and `main.ts` comes late.
    entrypoints: ['scripts/executable-entry.ts', 'src/main.ts', ...threadFiles].map((path) => join(project, path)),
    // They are found by their path below this folder.
    root: join(project, 'src'),
    plugins: packingPlugins(data),
    target: 'bun',
    format: 'esm',
    minify: { whitespace: true, syntax: true },
    sourcemap: 'none',
    bytecode: true,
    throw: false,
    compile: {
      outfile,
      // A foreign working folder could preload code, or set a proxy to which credentials are sent.
      autoloadBunfig: false,
      autoloadDotenv: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
      ...(target !== undefined && { target }),
      ...(runtime !== undefined && { executablePath: runtime }),
    },
  });
  return result.success ? [] : [...result.logs, 'The bundler failed.'];
}
