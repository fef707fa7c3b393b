/**
 * Models that are in no table, which refuse as known ones do: what Weir learns from refusals is enough for the first
 * requests of all agents.
 */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { providerKey } from '../fake-upstream/wire/provider.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import { refusingModels } from './models.ts';
import { type RefusingProvider, startRefusingProvider } from './refusing-provider.ts';
import { agents } from './run-agents.ts';
import { talk } from './talk.ts';

setDefaultTimeout(300_000);

/** A request is repeated once; what is learned from later refusals applies to the next one. */
const roundsMax = 3;

/** Of models that want their thoughts back a refusal comes too late: a client that dropped them has none. */
const wantsThoughts = /^(?:deepseek-v4|kimi-k3)/;

const unknownModel = (place: number): string => `unknown-model-${String.fromCharCode(97 + place)}`;
/** Servers that copied a format have no kind of their own either. */
const ownKinds: ReadonlySet<string> = new Set(['openai', 'anthropic', 'gemini']);

let provider: RefusingProvider;
let renaming: Bun.Server<undefined>;
let weir: RunningWeir;

beforeAll(async () => {
  provider = startRefusingProvider();
  renaming = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => renamed(request) });
  const kinds = [...new Set(refusingModels.map(([kind]) => kind))];
  const entries = kinds.map((kind) => {
    const models = refusingModels.flatMap(([other], place) => (other === kind ? [unknownModel(place)] : []));
    const base = `http://127.0.0.1:${renaming.port}/${kind}`;
    return [kind, { kind: ownKinds.has(kind) ? kind : 'openai-chat', base_url: base, key: providerKey, models }];
  });
  weir = await startWeir({ yaml: { providers: Object.fromEntries(entries), clocks: { patience_ms: 0 } } });
});
afterAll(async () => {
  await weir.remove();
  await Promise.all([provider.stop(), renaming.stop(true)]);
});

/** Forwards a request with the model's name at the refusing provider. */
async function renamed(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const [, kind = '', rest = ''] = /^\/(\w+)(\/.*)$/.exec(pathname) ?? [];
  let path = rest + search;
  let body = await request.text();
  for (const [place, [, model]] of refusingModels.entries()) {
    path = path.replace(unknownModel(place), model);
    body = body.replaceAll(`"${unknownModel(place)}"`, `"${model}"`);
  }
  const headers = new Headers(request.headers);
  for (const name of ['host', 'content-length']) headers.delete(name);
  const { method } = request;
  return fetch(provider.baseOf(kind) + path, { method, headers, ...(method === 'POST' && { body }) });
}

test.each(
  refusingModels
    .map(([kind, model], place) => [kind, model, place] as const)
    .filter(([, model]) => !wantsThoughts.test(model)),
)('as %s/%s', async (_, __, place) => {
  const failed: string[] = [];
  let repeated = 0;
  for (const agent of agents) {
    let failure: unknown = 'not tried';
    for (let round = 0; round < roundsMax && failure !== undefined; round++) {
      if (round > 0) repeated++;
      failure = await talk(agent, unknownModel(place), true, weir).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
    }
    if (failure !== undefined) failed.push(`${agent.name}: ${failure}`);
  }
  expect(failed).toEqual([]);
  // Most are served at the first request, although nothing is known of the model.
  expect(repeated).toBeLessThanOrEqual(3);
});
