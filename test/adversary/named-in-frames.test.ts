/**
 * Frames of live conversations and orders of videos that name another model, or a tool that the provider runs, in every place
 * where a provider could read one.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ConsoleClient } from '../harness/console-client.ts';
import { ownerOf } from '../harness/console-session.ts';
import { bodiesWith } from '../harness/field-positions.ts';
import { SocketClient } from '../harness/socket-client.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import { expensive } from './steering-provider.ts';

const live = 'a-realtime';
const film = 'ray-one';

type Tree = Readonly<Record<string, unknown>>;

/** What reached the provider. */
let seen: string[] = [];
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request, server) {
    if (request.headers.get('upgrade') !== null) return server.upgrade(request) ? undefined : new Response('no');
    if (request.method === 'GET') return Response.json({ object: 'list', data: [] });
    seen.push(await request.text());
    return Response.json({ error: { message: 'not today', type: 'invalid_request_error' } }, { status: 400 });
  },
  websocket: {
    open: (socket) => void socket.send(JSON.stringify({ type: 'session.created', session: { type: 'realtime' } })),
    message: (socket, text) => {
      if (!String(text).includes('response.cancel')) seen.push(String(text));
      socket.send(JSON.stringify({ type: 'echo', text: String(text) }));
    },
  },
});

let weir: RunningWeir;
let owner: ConsoleClient;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  const at = (kind: string, models: readonly string[]) => ({
    kind,
    base_url: `http://127.0.0.1:${server.port}/v1`,
    key: 'sk-x',
    models,
  });
  weir = await startWeir({
    yaml: {
      providers: {
        live: at('openai', [live, expensive]),
        router: { ...at('openai', ['b-realtime', expensive]), routes_elsewhere: true },
        film: at('luma-dream-machine', [film, expensive]),
      },
      prices: {
        [film]: { video: 1 },
        [expensive]: { input: 100, output: 100, video: 100 },
        '*-realtime': { input: 1, output: 1 },
      },
      ids: { unknown: 'allow' },
    },
    unchecked: 'the provider answers with less than its formats have',
  });
  owner = await ownerOf(weir);
  tokens['listed'] = await tokenOf({ models: ['*realtime', `*${film}`] });
  tokens['budgeted'] = await tokenOf({ budgetUsd: 50, budgetPeriod: 'total' });
  tokens['searching'] = await tokenOf({ tools: ['web_search'] });
  tokens['free'] = await tokenOf({});
});
afterAll(async () => {
  await weir.remove();
  await server.stop(true);
});

async function tokenOf(terms: object): Promise<string> {
  const { body } = await owner.post('/tokens', { name: crypto.randomUUID(), ...terms });
  return (body as { token: string }).token;
}

const tool = { type: 'function', name: 'f', parameters: { type: 'object', properties: {} } };
const detection = { type: 'server_vad', create_response: false };
const frames: readonly Tree[] = [
  {
    type: 'session.update',
    session: {
      type: 'realtime',
      instructions: 'x',
      tools: [tool],
      audio: {
        input: {
          format: { type: 'audio/pcm', rate: 24_000 },
          noise_reduction: { type: 'near_field' },
          turn_detection: detection,
        },
        output: { voice: 'alloy', speed: 1 },
      },
    },
  },
  {
    type: 'session.update',
    session: { turn_detection: detection, input_audio_noise_reduction: { type: 'near_field' } },
  },
  { type: 'response.create', response: { instructions: 'x', max_output_tokens: 20, tools: [tool] } },
  { type: 'input_audio_buffer.clear' },
  { type: 'next.year', what: 'x' },
];
const hidden: readonly (readonly [string, unknown])[] = [
  ['zz_next_year', expensive],
  ['model2', [{ name: expensive }]],
  ['fallbacks', [{ model: expensive }]],
  ['settings', `{"model":"${expensive}"}`],
];
/** The first costs nothing beyond its tokens. */
const hosted = ['mcp', 'web_search', 'image_generation', 'next_year_tool'].map((type) => ({ type, server_label: 'x' }));

/** The frame is passed on or answered by an error; the session stays. */
async function outcomes(
  holder: string,
  model: string,
  sent: readonly Tree[],
): Promise<readonly ('passed' | 'refused')[]> {
  const socket = new SocketClient(`${weir.base}/realtime?model=${model}`, { token: tokens[holder] ?? '' });
  await socket.opened;
  const answers: ('passed' | 'refused')[] = [];
  for (const frame of sent) {
    const from = socket.events.length;
    await socket.send(frame);
    const isAnswer = ({ type }: { readonly type: string }) => type === 'echo' || type === 'error';
    await until(() => socket.events.slice(from).some(isAnswer));
    answers.push(socket.events.slice(from).find(isAnswer)?.type === 'echo' ? 'passed' : 'refused');
  }
  socket.close();
  return answers;
}

const attacked = frames.flatMap((frame) => hidden.flatMap(([name, value]) => [...bodiesWith(frame, name, value)]));
const withTools = hosted.flatMap((each) => [
  { type: 'session.update', session: { tools: [tool, each] } },
  { type: 'response.create', response: { max_output_tokens: 20, tools: [each] } },
]);

async function toolsThatPass(holder: string, model: string): Promise<ReadonlySet<string>> {
  const answers = await outcomes(holder, model, withTools);
  const passed = withTools.filter((_, at) => answers[at] === 'passed').map((frame) => JSON.stringify(frame));
  return new Set(hosted.map(({ type }) => type).filter((type) => passed.some((text) => text.includes(`"${type}"`))));
}

describe.each([live, 'b-realtime'])('frames to %s', (model) => {
  test.each([
    'listed',
    'budgeted',
  ])('a token that is %s sends no other model in any place of a frame', async (holder) => {
    seen = [];
    const answers = await outcomes(
      holder,
      model,
      attacked.map(([, frame]) => frame),
    );
    const passed = attacked
      .filter((_, at) => answers[at] === 'passed')
      .map(([path, frame]) => `${frame['type']} ${path}`);
    expect([passed, seen.filter((text) => text.includes(expensive))]).toEqual([[], []]);
  });

  test('a budget pays for no tool whose price is not known, and the term forbids what it does not name', async () => {
    expect(await toolsThatPass('budgeted', model)).toEqual(new Set(['mcp']));
    expect(await toolsThatPass('searching', model)).toEqual(new Set(['web_search']));
  });

  test('everything else passes, and all of it without a budget and a list', async () => {
    const calm = frames.filter(({ type }) => type !== 'next.year');
    for (const holder of ['listed', 'budgeted']) {
      expect([holder, new Set(await outcomes(holder, model, calm))]).toEqual([holder, new Set(['passed'])]);
    }
    const all = [...frames, ...attacked.map(([, frame]) => frame), ...withTools];
    const bytes = all.map((frame) => JSON.stringify(frame));
    seen = [];
    expect(new Set(await outcomes('free', model, all))).toEqual(new Set(['passed']));
    expect(seen).toEqual(bytes);
  });
});

describe.each(['/video/generations', '/videos'])('%s', (path) => {
  async function order(
    holder: string,
    more: Tree,
  ): Promise<{ readonly status: number; readonly texts: readonly string[] }> {
    seen = [];
    const headers = { authorization: `Bearer ${tokens[holder]}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: film, prompt: 'x', seconds: 4, ...more });
    const { status } = await fetch(weir.base + path, { method: 'POST', headers, body });
    return { status, texts: seen };
  }
  const own = { film: { camera: { move: 'slow' } } };

  test('sends no other model in fields for one provider', async () => {
    for (const holder of ['listed', 'budgeted']) {
      for (const [name, value] of hidden) {
        for (const [where, body] of bodiesWith(own, name, value)) {
          const { texts } = await order(holder, where === name ? { film: { [name]: value } } : body);
          expect([where, texts.filter((text) => text.includes(expensive))]).toEqual([where, []]);
        }
      }
    }
  });

  test('sends them for a token without a budget and a list', async () => {
    const { texts } = await order('free', { film: { model2: [{ name: expensive }] } });
    expect(texts.join()).toContain(expensive);
  });
});
