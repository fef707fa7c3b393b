/** Bifrost: `bifrost-http` with a configuration file and no stores. https://docs.getbifrost.ai (read 2026-11-16). */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, temporaryFolder } from '../targets.ts';
import { type Peer, peerModel, startServer, upstreamKey, versionAt } from './peer.ts';

const configuration = (upstreamPort: number) => ({
  client: { drop_excess_requests: false, enable_logging: false },
  providers: {
    openai: {
      keys: [{ name: 'bench', value: upstreamKey, models: [peerModel], weight: 1 }],
      network_config: { base_url: `http://127.0.0.1:${upstreamPort}` },
      concurrency_and_buffer_size: { concurrency: 1_000, buffer_size: 5_000 },
    },
  },
  config_store: { enabled: false },
  logs_store: { enabled: false },
});

export const bifrost: Peer = {
  name: 'Bifrost',
  option: 'bifrost',
  // The npm package of that name is a launcher that downloads the program.
  find: () => Bun.which('bifrost-http') ?? undefined,
  async start(path, upstreamPort) {
    const folder = temporaryFolder('weir-bench-bifrost-');
    const port = await freePort();
    writeFileSync(join(folder, 'config.json'), JSON.stringify(configuration(upstreamPort)));
    const words = ['-host', '127.0.0.1', '-port', `${port}`, '-app-dir', folder, '-log-level', 'error'];
    const target = await startServer('Bifrost', { command: [path, ...words], folder, port, healthPath: '/health' });
    const version = await versionAt(port, '/api/version', (reply) => reply);
    return { target: { ...target, model: `openai/${peerModel}` }, version };
  },
};
