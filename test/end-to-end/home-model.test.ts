/** The home page's snippets name a configured model, and a sandbox model only if there is no other. */

import { expect, test } from 'bun:test';
import { startWeir } from '../harness/weir.ts';

async function shownModel(yaml?: object): Promise<string | undefined> {
  const weir = await startWeir(yaml === undefined ? {} : { yaml });
  try {
    const page = await (await fetch(`${weir.url}/`)).text();
    return /ANTHROPIC_MODEL=&quot;([^&]*)&quot;/.exec(page)?.[1];
  } finally {
    await weir.remove();
  }
}

/** Nothing listens there; the models are named by the configuration. */
const provider = (models: string[]) => ({
  kind: 'openai-chat',
  base_url: 'http://127.0.0.1:9/v1',
  key: 'sk-4f81c07be2d94a6f',
  models,
});

for (const [what, yaml, model] of [
  ['the sandbox alone', undefined, 'sandbox-chat'],
  ['a model of a provider', { providers: { up: provider(['acme-large']) } }, 'acme-large'],
  ['what cannot converse', { providers: { up: provider(['text-embedding-3-small']) } }, 'sandbox-chat'],
  ['a known family', { providers: { up: provider(['acme-large', 'gpt-4.1']) } }, 'gpt-4.1'],
  [
    'a name that the operator gave',
    {
      providers: { up: provider(['gpt-4.1']) },
      models: {
        toy: { targets: [{ provider: 'sandbox', model: 'sandbox-chat' }] },
        fast: { targets: [{ provider: 'up', model: 'gpt-4.1' }] },
      },
    },
    'fast',
  ],
] as const) {
  test(`${what}: ${model}`, async () => expect(await shownModel(yaml)).toBe(model));
}
