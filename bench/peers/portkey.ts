/**
 * Portkey gateway: keeps no configuration, so each request names the provider and its URL in headers.
 * https://portkey.ai/docs/api-reference/inference-api/headers (read 2026-11-16). Version 1.15.2 fails every stream with
 * @hono/node-server 1.19 and works with 1.13.7, which an override in the installing package.json selects.
 */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort, temporaryFolder } from '../targets.ts';
import { type Peer, startServer, upstreamKey } from './peer.ts';

const inPackage = 'build/start-server.js';
const inFolder = join('node_modules/@portkey-ai/gateway', inPackage);

/** A path names the script, its package, or a folder in which the package is installed. */
function scriptAt(path: string): string {
  if (existsSync(path) && statSync(path).isFile()) return path;
  const found = [join(path, inPackage), join(path, inFolder)].find((file) => existsSync(file));
  if (found === undefined) throw new Error(`no ${inPackage} of @portkey-ai/gateway at ${path}`);
  return found;
}

export const portkey: Peer = {
  name: 'Portkey',
  option: 'portkey',
  find() {
    const installed = join(import.meta.dir, '../..', inFolder);
    return existsSync(installed) ? installed : undefined;
  },
  async start(path, upstreamPort) {
    const script = scriptAt(path);
    const folder = temporaryFolder('weir-bench-portkey-');
    const port = await freePort();
    const command = ['node', script, '--headless', `--port=${port}`];
    const target = await startServer('Portkey', { command, folder, port, healthPath: '/' });
    const description = JSON.parse(readFileSync(join(dirname(script), '../package.json'), 'utf8')) as {
      version?: string;
    };
    const headers = {
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/v1`,
    };
    return { target: { ...target, token: upstreamKey, headers }, version: description.version ?? 'unknown' };
  },
};
