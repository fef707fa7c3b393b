/**
 * What agents and libraries send, and what servers of one's own document, with tokens that have a budget and a list of models: at each
 * kind of host it arrives as it does for a token without limits, but for what the documentation says is taken.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import { type Json, listOf, objectOf } from '../refusing/rules/refusal.ts';
import { askHolders, faultsAt, type HostPlace, startHostProvider } from './ask-holders.ts';
import { compareBodies } from './compare-bodies.ts';
import { type AgentHost, holders, holderTokens, hosts, hostsYaml, limitedHolders, modelFor } from './hosts.ts';
import { libraryCalls } from './library-calls.ts';
import { libraryHistories } from './library-history.ts';
import { libraryRequests } from './library-requests.ts';
import type { RecordedRequest } from './recorder.ts';
import { recordings } from './recordings.ts';
import { harmlessFields, steeringFields } from './router-fields.ts';
import { contentNaming, serverFields } from './server-fields.ts';
import { faultsOf } from './taken-fields.ts';

const asked = 'sandbox-chat';
const routers = hosts.filter(({ group }) => group === 'router');
const selfHosted = hosts.filter(({ group }) => group === 'self-hosted');

let weir: RunningWeir;
let place: HostPlace;

beforeAll(async () => {
  const provider = startHostProvider();
  weir = await startWeir({ yaml: hostsYaml(hosts, provider) });
  place = { url: weir.url, tokens: await holderTokens(weir, hosts), provider };
});
afterAll(async () => {
  await weir?.remove();
  await place?.provider.stop();
});

const chatPath = '/v1/chat/completions';
const chatWith = (fields: Json): Json => ({
  model: asked,
  messages: [{ role: 'user', content: 'x' }],
  ...fields,
});

/** A chat request with these fields, for every holder. */
async function arrivesWhole(host: AgentHost, fields: Json): Promise<void> {
  const replies = await askHolders(place, host, { path: chatPath, body: chatWith(fields) }, asked);
  expect(replies.unlimited).toMatchObject({ status: 200, losses: [] });
  expect(objectOf(replies.unlimited.body)).toMatchObject(fields);
  for (const holder of limitedHolders) expect(replies[holder]).toEqual(replies.unlimited);
}

const sent: readonly (readonly [name: string, request: RecordedRequest])[] = [
  ...recordings.flatMap(({ agent, requests }) =>
    requests.map((request, index) => [`${agent}, request ${index + 1}`, request] as const),
  ),
  ...libraryRequests,
  ...libraryHistories,
];

describe.each(hosts.map((host) => [`${host.group} ${host.kind}`, host] as const))('%s', (_, host) => {
  test.each(sent)('%s', async (_name, request) => {
    expect(await faultsAt(place, host, request, asked)).toEqual([]);
  });
});

describe.each(routers.map((host) => [host.kind, host] as const))('a router as %s', (_, host) => {
  test.each(Object.entries(harmlessFields))('fields of %s that steer nothing', async (_name, fields) => {
    await arrivesWhole(host, fields);
  });

  test('what steers is taken and named, and nothing beside it', async () => {
    const own = Object.assign({}, ...Object.values(harmlessFields)) as Json;
    const provider = { ...objectOf(steeringFields['provider']), ...objectOf(own['provider']) };
    const gateway = ['gateway' as const].map((name) => [
      name,
      {
        ...objectOf(objectOf(steeringFields['providerOptions'])[name]),
        ...objectOf(objectOf(own['providerOptions'])[name]),
      },
    ]);
    const fields = { ...own, ...steeringFields, provider, providerOptions: Object.fromEntries(gateway) };
    const body = { ...chatWith(fields), model: asked };
    const replies = await askHolders(place, host, { path: chatPath, body }, asked);
    const left = { ...chatWith(own), model: host.model };
    expect(replies.unlimited.body).toEqual({ ...body, model: host.model });
    for (const holder of limitedHolders) {
      expect(replies[holder].body).toEqual(left);
      expect(replies[holder].losses.toSorted()).toEqual(leavesOf(steeringFields).toSorted());
    }
  });
});

/** As a loss names them: a list is one. */
function leavesOf(fields: Json, before = ''): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const isObject = typeof value === 'object' && !Array.isArray(value);
    return isObject ? leavesOf(objectOf(value), `${before}${name}.`) : [before + name];
  });
}

describe.each(selfHosted.map((host) => [host.kind, host] as const))('a server of one’s own as %s', (_, host) => {
  test.each(Object.entries(serverFields))('fields of %s', async (_name, fields) => {
    await arrivesWhole(host, fields);
  });

  test('their content may mention models that the token may not use', async () => {
    const refused: string[] = [];
    for (const [name, value] of Object.entries(contentNaming('gemini-2.5-pro'))) {
      const field = { [name]: value };
      const chat = { path: chatPath, body: chatWith(field) };
      const responses = { path: '/v1/responses', body: { model: asked, input: 'x', ...field } };
      for (const request of [chat, responses]) {
        const replies = await askHolders(place, host, request, asked);
        for (const holder of limitedHolders) {
          if (replies[holder].status !== 200) refused.push(`${request.path}, ${name}: ${replies[holder].error}`);
          else expect(replies[holder]).toEqual(replies.unlimited);
        }
      }
    }
    expect(refused).toEqual([]);
  });

  // Other formats are translated here, which loses them for every token.
  const chats = sent.filter(([, { path }]) => path === chatPath);

  test.each(chats)('all their fields beside %s', async (_name, request) => {
    const fields: Json = Object.assign({}, ...Object.values(serverFields));
    const body = { ...fields, ...objectOf(request.body) };
    expect(await faultsAt(place, host, { ...request, body }, asked)).toEqual([]);
  });
});

describe.each(hosts.map((host) => [`${host.group} ${host.kind}`, host] as const))('libraries on %s', (_, host) => {
  test.each(Object.entries(libraryCalls))('%s', async (_name, call) => {
    // What a vendor does not know it refuses from everyone.
    const fields: Json = host.group === 'self-hosted' ? Object.assign({}, ...Object.values(serverFields)) : {};
    const { url, tokens, provider } = place;
    provider.taken();
    await Promise.all(
      holders.map((holder) => call({ url, token: tokens[holder], model: modelFor(host, holder), fields })),
    );
    const received = provider.taken();
    const [whole, ...limited] = holders.map((holder) => received.filter((one) => one.holder === holder));
    expect(whole).toHaveLength(1);
    for (const each of limited) expect(each.map(({ body }) => body)).toEqual(whole?.map(({ body }) => body) ?? []);
  });
});

test.each(
  hosts.map((host) => [host.kind, host] as const),
)('every item of a reply of %s comes back', async (_, host) => {
  const schema = { type: 'object', properties: {}, additionalProperties: false };
  const asking = {
    model: modelFor(host, 'first'),
    store: false,
    reasoning: { effort: 'low', summary: 'auto' },
    tools: [{ type: 'function', name: 'look', parameters: schema, strict: true }],
  };
  const ask = async (input: readonly unknown[]): Promise<Json> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${place.tokens.first}` };
    const body = JSON.stringify({ ...asking, input });
    const reply = await fetch(`${place.url}/v1/responses`, { method: 'POST', headers, body });
    expect([reply.status, reply.status === 200 ? '' : await reply.text()]).toEqual([200, '']);
    return objectOf(await reply.json());
  };
  const question = { role: 'user', content: 'x' };
  const output = listOf((await ask([question])).output).map(objectOf);
  const calls = output.filter(({ type }) => type === 'function_call');
  expect(calls).toHaveLength(1);
  const results = calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'y' }));
  await ask([question, ...output, ...results]);
});

test('a difference is found, in lists and members, and what is documented is none', () => {
  const whole = { tools: [{ type: 'a' }, { type: 'b' }], reasoning: { effort: 'low' }, n: 1 };
  expect(compareBodies(whole, { tools: [{ type: 'b' }], reasoning: {}, n: 2, more: 1 })).toEqual({
    lost: ['tools[0]', 'reasoning.effort'],
    other: ['n', 'more'],
  });
  const [vendor, router] = [hosts[0], hosts.find(({ group }) => group === 'router')];
  if (vendor === undefined || router === undefined) throw new Error('there are no hosts');
  const outcome = { status: 200, losses: [], areCut: false, refusals: [] };
  const search = { ...outcome, losses: ['tool-web_search'] };
  const gone = { lost: ['tools[1]'], other: [] };
  expect(faultsOf(router, outcome, search, gone)).toEqual([]);
  expect(faultsOf(router, outcome, outcome, gone)).toEqual(['tools[1] is lost']);
  expect(faultsOf(vendor, outcome, search, gone)).toHaveLength(2);
  expect(faultsOf(router, outcome, search, { lost: [], other: [] })).toHaveLength(1);
  expect(
    faultsOf(router, outcome, { ...outcome, status: 400, refusals: ['no'] }, { lost: [], other: ['n'] }),
  ).toHaveLength(3);
});
