/** LiteLLM proxy: one worker, a master key, no database. https://docs.litellm.ai/docs/proxy/configs (read 2026-11-16). */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, temporaryFolder } from '../targets.ts';
import { type Peer, peerModel, startServer, upstreamKey, versionAt } from './peer.ts';

const masterKey = 'sk-weir-bench-0000000000';

const configuration = (upstreamPort: number) => ({
  model_list: [
    {
      model_name: peerModel,
      litellm_params: {
        model: `openai/${peerModel}`,
        api_base: `http://127.0.0.1:${upstreamPort}/v1`,
        api_key: upstreamKey,
      },
    },
  ],
  general_settings: { master_key: masterKey },
});

export const litellm: Peer = {
  name: 'LiteLLM',
  option: 'litellm',
  find: () => Bun.which('litellm') ?? undefined,
  async start(path, upstreamPort) {
    const folder = temporaryFolder('weir-bench-litellm-');
    const port = await freePort();
    const config = join(folder, 'config.yaml');
    // JSON is YAML.
    writeFileSync(config, JSON.stringify(configuration(upstreamPort)));
    const target = await startServer('LiteLLM', {
      command: [path, '--config', config, '--host', '127.0.0.1', '--port', `${port}`, '--num_workers', '1'],
      environment: { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_LOG: 'ERROR', LITELLM_TELEMETRY: 'False' },
      folder,
      port,
      healthPath: '/health/liveliness',
    });
    const pick = (reply: unknown) => (reply as { info?: { version?: string } }).info?.version;
    return { target: { ...target, token: masterKey }, version: await versionAt(port, '/openapi.json', pick) };
  },
};
