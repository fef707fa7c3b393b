/** A certificate authority of our own for tests, and a certificate of it for the names that a test wants. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificates {
  /** Of the authority, in PEM. */
  readonly ca: string;
  /** For a server. */
  readonly tls: { readonly key: string; readonly cert: string };
}

/** `names` as a certificate spells them: `DNS:a.example`, `IP:127.0.0.1`. */
export function makeCertificates(names: readonly string[]): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'weir-certificates-'));
  const run = (...words: string[]): void => {
    const { exitCode, stderr } = Bun.spawnSync(['openssl', ...words], { cwd: folder });
    if (exitCode !== 0) throw new Error(`openssl ${words[0]}: ${stderr}`);
  };
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  try {
    run(
      'req',
      '-x509',
      ...key,
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-days',
      '2',
      '-subj',
      '/CN=Weir test authority',
    );
    run('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=localhost');
    writeFileSync(join(folder, 'names'), `subjectAltName=${names.join(',')}`);
    const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
    run('x509', '-req', '-in', 'server.csr', ...signing, '-out', 'server.pem');
    return { ca: read('ca.pem'), tls: { key: read('server.key'), cert: read('server.pem') } };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
