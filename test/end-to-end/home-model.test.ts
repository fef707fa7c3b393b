/** The home page's snippets name a configured model, and a sandbox model only if there is no other. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import { ConsoleClient } from '../harness/console-client.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);
const password = 'a password for the owner';

async function shownModel({ url }: RunningWeir): Promise<string | undefined> {
  const page = await (await fetch(`${url}/`)).text();
  return /ANTHROPIC_MODEL=&quot;([^&]*)&quot;/.exec(page)?.[1];
}

/** Nothing listens there; the models are named by the configuration. */
const entryWith = (models: readonly string[]) => ({ kind: 'openai-chat', base_url: 'http://127.0.0.1:9/v1', models });
const key = 'sk-4f81c07be2d94a6f';
const toy = { targets: [{ provider: 'sandbox', model: 'sandbox-chat' }] };
const fast = { targets: [{ provider: 'up', model: 'gpt-4.1' }] };

test('the page follows what is configured while Weir runs', async () => {
  await using running = await started({ env: { WEIR_ADMIN_PASSWORD: password } });
  const { weir } = running;
  const owner = new ConsoleClient(weir);
  expect((await owner.signIn('admin', password)).status).toBe(200);
  const shown: [string, string | undefined][] = [['the sandbox alone', await shownModel(weir)]];
  const embedding = { name: 'up', entry: entryWith(['text-embedding-3-small']), keys: [{ value: key }] };
  expect((await owner.post('/providers', embedding)).status).toBe(200);
  shown.push(['what cannot converse', await shownModel(weir)]);
  for (const models of [['acme-large'], ['acme-large', 'gpt-4.1']]) {
    const changed = await owner.call('PATCH', '/providers/up', { body: { entry: entryWith(models) } });
    expect(changed.status).toBe(200);
    shown.push([models.join(), await shownModel(weir)]);
  }
  for (const [alias, entry] of Object.entries({ toy, fast })) {
    expect((await owner.post('/routes', { alias, entry })).status).toBe(200);
  }
  shown.push(['a name that the operator gave', await shownModel(weir)]);
  expect(shown).toEqual([
    ['the sandbox alone', 'sandbox-chat'],
    ['what cannot converse', 'sandbox-chat'],
    ['acme-large', 'acme-large'],
    ['acme-large,gpt-4.1', 'gpt-4.1'],
    ['a name that the operator gave', 'fast'],
  ]);
});

test('the page follows the file', async () => {
  const up = { ...entryWith(['gpt-4.1']), key };
  await using running = await started({ yaml: { providers: { up }, models: { toy, fast } } });
  expect(await shownModel(running.weir)).toBe('fast');
});

async function started(options: Parameters<typeof startWeir>[0]) {
  const weir = await startWeir(options);
  return { weir, [Symbol.asyncDispose]: () => weir.remove() };
}
