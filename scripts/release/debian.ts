/** The Debian package: executable, unit, configuration folder and user, built with `dpkg-deb` from a plain folder. */

import { chmodSync, copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { runTool } from '../image/run-tool.ts';
import { project, type ReleaseFacts } from './facts.ts';

interface DebianOptions {
  readonly facts: ReleaseFacts;
  /** As Debian names it: `amd64`, `arm64`. */
  readonly architecture: string;
  readonly executable: string;
  readonly notices: string;
  /** An empty folder for the package's files. */
  readonly scratch: string;
  /** Where the package goes. */
  readonly folder: string;
  /** As `dpkg-deb` takes it; tests need no small package. */
  readonly compression?: readonly string[];
}

const packageName = 'weir-gateway';
const conffiles = ['/etc/weir/weir.env', '/etc/weir/weir.yaml'];

/** The oldest C library that Bun runs with: no symbol that it uses is newer. */
const libcVersion = '2.17';

/** By the variables that Debian's own tools read. */
function maintainer(): string {
  return `${process.env['DEBFULLNAME'] ?? 'The Weir authors'} <${process.env['DEBEMAIL'] ?? 'root@localhost'}>`;
}

/** Returns the path of the package. */
export function writeDebianPackage(options: DebianOptions): string {
  const { facts, architecture, scratch, folder, compression = ['-Zxz', '-z6'] } = options;
  writeFiles(options);
  writeControl(options);
  const file = join(folder, `${packageName}_${debianVersion(facts)}_${architecture}.deb`);
  runTool(['dpkg-deb', '--root-owner-group', ...compression, '--build', scratch, file], {
    // The times in the archive, so that a package can be built again.
    env: { SOURCE_DATE_EPOCH: String(facts.seconds) },
  });
  return file;
}

function debianVersion({ version }: ReleaseFacts): string {
  // A tilde sorts before the release itself.
  return version.replace('-', '~');
}

function writeFiles({ facts, executable, notices, scratch }: DebianOptions): void {
  const doc = `usr/share/doc/${packageName}`;
  const put = (path: string, content: string | Uint8Array, mode = 0o644): void => {
    const target = placed(scratch, path);
    writeFileSync(target, content);
    chmodSync(target, mode);
  };
  const copy = (source: string, path: string, mode = 0o644): void => {
    const target = placed(scratch, path);
    copyFileSync(source, target);
    chmodSync(target, mode);
  };
  const time = new Date(facts.seconds * 1_000).toUTCString().replace('GMT', '+0000');
  const changes = `${packageName} (${debianVersion(facts)}) stable; urgency=medium

  * Version ${facts.version}; see CHANGELOG.md.gz.

 -- ${maintainer()}  ${time}
`;
  copy(executable, 'usr/bin/weir', 0o755);
  copy(join(project, 'deploy/systemd/weir.service'), 'usr/lib/systemd/system/weir.service');
  copy(join(project, 'deploy/debian/weir.sysusers'), 'usr/lib/sysusers.d/weir.conf');
  copy(join(project, 'deploy/debian/weir.yaml'), 'etc/weir/weir.yaml');
  // Provider keys go here; systemd reads it as root.
  copy(join(project, 'deploy/debian/weir.env'), 'etc/weir/weir.env', 0o600);
  copy(join(project, 'weir.example.yaml'), `${doc}/examples/weir.example.yaml`);
  put(`${doc}/copyright`, copyright(notices));
  put(`${doc}/CHANGELOG.md.gz`, gzipSync(readFileSync(join(project, 'CHANGELOG.md')), { level: 9 }));
  put(`${doc}/changelog.gz`, gzipSync(changes, { level: 9 }));
}

function writeControl({ facts, architecture, scratch }: DebianOptions): void {
  const bytes = statSync(join(scratch, 'usr/bin/weir')).size;
  const control = `Package: ${packageName}
Version: ${debianVersion(facts)}
Architecture: ${architecture}
Maintainer: ${maintainer()}
Installed-Size: ${Math.ceil(bytes / 1024) + 200}
Depends: libc6 (>= ${libcVersion}), adduser | systemd
Section: net
Priority: optional
Description: self-hosted gateway for AI models
 One base URL and one token for every model of every provider, with budgets,
 limits, fallbacks, usage and cost, and a console in the browser.
`;
  const put = (name: string, text: string, mode = 0o644): void => {
    const target = placed(scratch, `DEBIAN/${name}`);
    writeFileSync(target, text);
    chmodSync(target, mode);
  };
  put('control', control);
  put('conffiles', conffiles.map((path) => `${path}\n`).join(''));
  for (const name of ['postinst', 'prerm', 'postrm']) {
    const target = placed(scratch, `DEBIAN/${name}`);
    copyFileSync(join(project, 'deploy/debian', name), target);
    chmodSync(target, 0o755);
  }
}

function placed(root: string, path: string): string {
  const target = join(root, path);
  // Folders of a package are open to everyone, whatever the releaser's umask is.
  const made = mkdirSync(dirname(target), { recursive: true });
  if (made !== undefined) for (let at = dirname(target); at.startsWith(made); at = dirname(at)) chmodSync(at, 0o755);
  return target;
}

/** https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/ (read 2026-11-17) */
function copyright(notices: string): string {
  const paragraph = (text: string): string =>
    text
      .trim()
      .split('\n')
      .map((line) => (line.trim() === '' ? ' .' : ` ${line}`))
      .join('\n');
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: ${packageName}
Comment: What Weir contains of others:
${paragraph(notices)}

Files: *
Copyright: 2026 The Weir authors
License: Expat
${paragraph(readFileSync(join(project, 'LICENSE'), 'utf8'))}
`;
}
