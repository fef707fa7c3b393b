/** The archive of an executable: what a user downloads and unpacks. */

import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Entry, tarOf } from '../image/tar.ts';
import { project } from './facts.ts';

interface ArchiveOptions {
  readonly file: string;
  /** The folder that it unpacks to. */
  readonly folder: string;
  readonly executable: string;
  readonly notices: string;
  /** Linux has the unit of systemd too. */
  readonly withUnit: boolean;
}

export async function writeArchive({ file, folder, executable, notices, withUnit }: ArchiveOptions): Promise<void> {
  const beside = (path: string, source: string): Entry => ({
    kind: 'file',
    path: `${folder}/${path}`,
    mode: 0o644,
    source: join(project, source),
  });
  const entries: Entry[] = [
    { kind: 'folder', path: folder, mode: 0o755 },
    { kind: 'file', path: `${folder}/weir`, mode: 0o755, source: executable },
    beside('LICENSE', 'LICENSE'),
    { kind: 'text', path: `${folder}/THIRD-PARTY-NOTICES`, mode: 0o644, text: notices },
    beside('weir.example.yaml', 'weir.example.yaml'),
    ...(withUnit ? [beside('weir.service', 'deploy/systemd/weir.service')] : []),
  ];
  await pipeline(Readable.from(tarOf(entries)), createGzip({ level: 9 }), createWriteStream(file));
}
