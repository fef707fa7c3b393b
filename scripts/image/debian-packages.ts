/** Fetches the few Debian packages of the image's root, for any architecture, without a change to this machine. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Architecture } from './root-files.ts';
import { runTool } from './run-tool.ts';

/** A root folder with the packages' files, and each package's control file. */
export interface UnpackedPackages {
  readonly root: string;
  readonly controls: readonly { readonly name: string; readonly text: string }[];
}

/** The C library, what ends a thread, and which Debian it is. */
const wanted = ['libc6', 'libgcc-s1', 'base-files'] as const;

/** Apt checks each file's hash against the signed lists of the sources that this machine is configured with. */
export function fetchPackages(architecture: Architecture, folder: string): UnpackedPackages {
  const apt = aptFor(architecture, join(folder, 'apt'));
  const packages = join(folder, 'packages');
  const root = join(folder, 'root');
  for (const each of [packages, root]) mkdirSync(each, { recursive: true });
  apt(['update'], folder);
  apt(['download', ...wanted], packages);
  const libgcc = archiveOf('libgcc-s1', packages);
  // The license of the compiler's library is in a package that is named after the compiler's version.
  const base = /\bgcc-\d+-base\b/.exec(runTool(['dpkg-deb', '-f', libgcc, 'Depends']))?.[0];
  if (base !== undefined) apt(['download', base], packages);
  const controls = [...wanted, ...(base === undefined ? [] : [base])].map((name) => {
    const archive = archiveOf(name, packages);
    runTool(['dpkg-deb', '-x', archive, root]);
    return { name, text: runTool(['dpkg-deb', '-f', archive]) };
  });
  return { root, controls };
}

function archiveOf(name: string, folder: string): string {
  const [file] = new Bun.Glob(`${name}_*.deb`).scanSync({ cwd: folder, absolute: true });
  if (file === undefined) throw new Error(`apt-get did not fetch ${name}.`);
  return file;
}

/** With lists and cache of its own: the architecture need not be one that this machine installs packages of. */
function aptFor(architecture: Architecture, folder: string): (words: readonly string[], cwd: string) => void {
  for (const each of ['state/lists/partial', 'cache/archives/partial'])
    mkdirSync(join(folder, each), { recursive: true });
  const status = join(folder, 'status');
  writeFileSync(status, '');
  const options = {
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Dir::State': join(folder, 'state'),
    'Dir::State::status': status,
    'Dir::Cache': join(folder, 'cache'),
  };
  const words = Object.entries(options).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
  return (rest, cwd) => {
    runTool(['apt-get', '--quiet', ...words, ...rest], { cwd });
  };
}
