/** The files of the image: a root that holds what a glibc program needs, and the executable. No shell, no package manager. */

import { existsSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { UnpackedPackages } from './debian-packages.ts';
import type { Entry } from './tar.ts';

export type Architecture = 'amd64' | 'arm64';

/** The usual number for a user without rights: above those of a system, below those that Linux gives to people's containers. */
export const imageUser = 65_532;

interface Platform {
  readonly libraries: string;
  /** Where the executable looks for its loader; the same file is also among the libraries. */
  readonly loader: string;
  readonly loaderName: string;
}

const platforms: Readonly<Record<Architecture, Platform>> = {
  amd64: {
    libraries: 'lib/x86_64-linux-gnu',
    loader: 'lib64/ld-linux-x86-64.so.2',
    loaderName: 'ld-linux-x86-64.so.2',
  },
  arm64: {
    libraries: 'lib/aarch64-linux-gnu',
    loader: 'lib/ld-linux-aarch64.so.1',
    loaderName: 'ld-linux-aarch64.so.1',
  },
};

/** No program names libgcc_s: the C library opens it where a thread calls pthread_exit, and aborts where it is missing. */
const libraryNames = ['libc.so.6', 'libm.so.6', 'libpthread.so.0', 'libdl.so.2', 'libresolv.so.2', 'libgcc_s.so.1'];

const folder = (path: string, mode = 0o755, owner = 0): Entry => ({ kind: 'folder', path, mode, owner });
const text = (path: string, content: string): Entry => ({ kind: 'text', path, mode: 0o644, text: content });

/** Everything but the executable: it changes with Debian's updates only, so releases share it. */
export function baseEntries(architecture: Architecture, packages: UnpackedPackages): Entry[] {
  const { libraries, loader, loaderName } = platforms[architecture];
  return [
    ...['dev', 'etc', 'etc/weir', 'lib', libraries].map((path) => folder(path)),
    ...(loader.startsWith('lib64/') ? [folder('lib64')] : []),
    ...['proc', 'run', 'sys', 'usr', 'usr/bin', 'usr/share', 'usr/share/doc'].map((path) => folder(path)),
    ...['var', 'var/lib', 'var/lib/dpkg', 'var/lib/dpkg/status.d'].map((path) => folder(path)),
    folder('tmp', 0o1777),
    // Only Weir reads its database and its key. A new volume takes over this owner.
    folder('data', 0o700, imageUser),
    ...[loaderName, ...libraryNames].map((name) => libraryOf(packages.root, libraries, name)),
    // Relative, so that the root can be used under another path.
    { kind: 'link', path: loader, mode: 0o777, target: relative(dirname(loader), `${libraries}/${loaderName}`) },
    text('etc/passwd', `root:x:0:0:root:/:/nologin\nweir:x:${imageUser}:${imageUser}:Weir:/data:/nologin\n`),
    text('etc/group', `root:x:0:\nweir:x:${imageUser}:\n`),
    text('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
    text('etc/os-release', readFileSync(join(packages.root, 'usr/lib/os-release'), 'utf8')),
    ...packages.controls.flatMap(({ name, text: control }) => [
      // Where scanners for known vulnerabilities look for the packages of an image without a package manager.
      text(`var/lib/dpkg/status.d/${name}`, control),
      ...copyrightOf(packages.root, name),
    ]),
  ];
}

export function programEntries(executable: string, license: string): Entry[] {
  return [
    folder('usr'),
    folder('usr/bin'),
    { kind: 'file', path: 'usr/bin/weir', mode: 0o755, source: executable },
    ...['usr/share', 'usr/share/doc', 'usr/share/doc/weir'].map((path) => folder(path)),
    text('usr/share/doc/weir/copyright', readFileSync(license, 'utf8')),
  ];
}

/** Newer Debians have them below /usr. */
function libraryOf(root: string, libraries: string, name: string): Entry {
  const source = [join(root, libraries, name), join(root, 'usr', libraries, name)].find((path) => existsSync(path));
  if (source === undefined) throw new Error(`The packages in ${root} have no ${libraries}/${name}.`);
  return { kind: 'file', path: `${libraries}/${name}`, mode: 0o755, source: realpathSync(source) };
}

function copyrightOf(root: string, name: string): Entry[] {
  const path = `usr/share/doc/${name}`;
  const place = join(root, path);
  // A package of a larger source links its folder to that of another package.
  if (isLink(place)) return [{ kind: 'link', path, mode: 0o777, target: readlinkSync(place) }];
  return [folder(path), text(`${path}/copyright`, readFileSync(join(place, 'copyright'), 'utf8'))];
}

function isLink(path: string): boolean {
  try {
    readlinkSync(path);
    return true;
  } catch {
    return false;
  }
}
