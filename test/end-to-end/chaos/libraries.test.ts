/** The official libraries with their own retries: none if the reply forbids them, success if it asks for a wait. */

import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { generateText, type LanguageModel } from 'ai';
import Anthropic0 from 'anthropic-sdk-0';
import { CohereClientV2 } from 'cohere-ai';
import OpenAI from 'openai';
import { type Directive, directiveIn, directiveText, textOf } from '../../fake-upstream/faults/directive.ts';
import { FaultyTarget } from '../../fake-upstream/faults/target.ts';
import { providerKey } from '../../fake-upstream/wire/provider.ts';
import { type ProviderName, wireProviders } from '../../fake-upstream/wire/start-all.ts';
import { createToken } from '../../harness/token.ts';
import { until } from '../../harness/until.ts';
import { type RunningWeir, startWeir } from '../../harness/weir.ts';

/** The library logs a warning about a model that it does not know. */
globalThis.AI_SDK_LOG_WARNINGS = false;

interface Place {
  readonly url: string;
  readonly token: string;
  readonly model: string;
  readonly text: string;
}

interface Library {
  readonly name: string;
  readonly wire: ProviderName | 'rerank';
  /** Number of requests if the outcome is uncertain: 1 if it reads `x-should-retry: false`, or never retries. */
  readonly uncertain: number;
  /** Whether it retries by itself after a 429. */
  readonly comesBack: boolean;
  /** The text of the reply, or the document that was ranked first. */
  say(place: Place): Promise<string>;
}

const messagesOf = (text: string) => [{ role: 'user' as const, content: text }];
const textsIn = (blocks: readonly object[]): string =>
  blocks.map((block) => ('text' in block ? String(block.text) : '')).join('');
const bySdk = (connect: (place: Place) => LanguageModel) => async (place: Place) =>
  (await generateText({ model: connect(place), prompt: place.text })).text;

const libraries: readonly Library[] = [
  {
    name: 'openai chat',
    wire: 'chat',
    uncertain: 1,
    comesBack: true,
    async say({ url, token, model, text }) {
      const client = new OpenAI({ apiKey: token, baseURL: `${url}/v1` });
      const reply = await client.chat.completions.create({ model, messages: messagesOf(text) });
      return reply.choices[0]?.message.content ?? '';
    },
  },
  {
    name: 'openai responses',
    wire: 'responses',
    uncertain: 1,
    comesBack: true,
    async say({ url, token, model, text }) {
      const client = new OpenAI({ apiKey: token, baseURL: `${url}/v1` });
      return (await client.responses.create({ model, input: text })).output_text;
    },
  },
  {
    name: '@anthropic-ai/sdk 1.8',
    wire: 'messages',
    uncertain: 1,
    comesBack: true,
    async say({ url, token, model, text }) {
      const client = new Anthropic({ apiKey: token, baseURL: url });
      return textsIn((await client.messages.create({ model, max_tokens: 100, messages: messagesOf(text) })).content);
    },
  },
  {
    name: '@anthropic-ai/sdk 0.137',
    wire: 'messages',
    uncertain: 1,
    comesBack: true,
    async say({ url, token, model, text }) {
      const client = new Anthropic0({ apiKey: token, baseURL: url });
      return textsIn((await client.messages.create({ model, max_tokens: 100, messages: messagesOf(text) })).content);
    },
  },
  {
    name: '@google/genai',
    wire: 'generate',
    uncertain: 1,
    comesBack: false,
    async say({ url, token, model, text }) {
      const client = new GoogleGenAI({ apiKey: token, httpOptions: { baseUrl: url } });
      return (await client.models.generateContent({ model, contents: text })).text ?? '';
    },
  },
  {
    name: 'AI SDK openai',
    wire: 'responses',
    uncertain: 3,
    comesBack: true,
    say: bySdk(({ url, token, model }) => createOpenAI({ apiKey: token, baseURL: `${url}/v1` })(model)),
  },
  {
    name: 'AI SDK anthropic',
    wire: 'messages',
    uncertain: 3,
    comesBack: true,
    say: bySdk(({ url, token, model }) => createAnthropic({ apiKey: token, baseURL: `${url}/v1` })(model)),
  },
  {
    name: 'AI SDK google',
    wire: 'generate',
    uncertain: 3,
    comesBack: true,
    say: bySdk(({ url, token, model }) => createGoogle({ apiKey: token, baseURL: `${url}/v1beta` })(model)),
  },
  {
    name: 'cohere-ai',
    wire: 'rerank',
    uncertain: 3,
    comesBack: true,
    async say({ url, token, model, text }) {
      const client = new CohereClientV2({ token, environment: url });
      const { results } = await client.rerank({ model, query: text, documents: ['one', 'other'] });
      return results[0]?.index === 1 ? textOf(nonceIn(text), 'a') : '';
    },
  },
];

const faults = { 'budget spent': {}, uncertain: { a: 'status-500' }, 'back-pressure': { a: 'rate-until' } } as const;
type Scenario = keyof typeof faults;
const scenarios = Object.keys(faults) as Scenario[];

interface Outcome {
  readonly said: string;
  readonly error: unknown;
  /** How many calls the application itself made. */
  readonly asked: number;
}

let target: FaultyTarget;
let ranker: ReturnType<typeof startRanker>;
let weir: RunningWeir;
const outcomes = new Map<string, Outcome>();
beforeAll(async () => {
  target = await FaultyTarget.start('a');
  ranker = startRanker();
  weir = await startWeir({ yaml: yaml() });
  const poor = await createToken(weir, '--budget-usd', '0.000001', '--budget-period', 'total');
  // Some wait for seconds between two attempts: all run at once.
  await Promise.all(
    libraries.flatMap((library) =>
      scenarios.map(async (scenario) => {
        const name = nameOf(library, scenario);
        const token = scenario === 'budget spent' ? poor.token : weir.token;
        outcomes.set(
          name,
          await call(library, scenario, { url: weir.url, token, model: name, text: textFor(name, scenario) }),
        );
      }),
    ),
  );
  const due = libraries.reduce((sum, { uncertain }) => sum + 1 + uncertain + 2, 0);
  await until(() => rows().length >= due, 60_000, 'a usage row for every request');
}, 300_000);
afterAll(async () => {
  await weir?.remove();
  target?.stop();
  await ranker?.stop(true);
});

async function call(library: Library, scenario: Scenario, place: Place): Promise<Outcome> {
  const once = () =>
    library.say(place).then(
      (said) => ({ said, error: undefined }),
      (error: unknown) => ({ said: '', error }),
    );
  const first = await once();
  if (first.error === undefined || library.comesBack || scenario !== 'back-pressure') return { ...first, asked: 1 };
  // The application retries at once, and Weir waits.
  return { ...(await once()), asked: 2 };
}

describe.each(libraries.map((library) => [library.name, library] as const))('%s', (_name, library) => {
  test('budget spent: the provider receives nothing, and the library sends one request', () => {
    const name = nameOf(library, 'budget spent');
    expect(outcomes.get(name)?.error).toBeDefined();
    expect(asked(library, name)).toBe(0);
    expect(rowsOf(name)).toEqual(['budget_spent']);
  });

  test(`uncertain: the library sends ${library.uncertain === 1 ? 'one request' : 'its own number of retries'}`, () => {
    const name = nameOf(library, 'uncertain');
    expect(outcomes.get(name)?.error).toBeDefined();
    // Weir retries each of them once by itself, since no other target serves the model.
    expect(asked(library, name)).toBe(library.uncertain * triesOf(library));
    expect(rowsOf(name)).toEqual(Array(library.uncertain).fill('upstream_failed'));
  });

  test('back-pressure: success after the wait, with one retry', () => {
    const name = nameOf(library, 'back-pressure');
    const { said, error, asked: calls } = outcomes.get(name) ?? {};
    expect([said, error, calls]).toEqual([textOf(name, 'a'), undefined, library.comesBack ? 1 : 2]);
    expect(asked(library, name)).toBe(2);
    expect(rowsOf(name)).toEqual(['', 'upstream_rate_limited']);
  });
});

/** Only a conversation is retried. */
function triesOf({ wire }: Library): number {
  return wire === 'rerank' ? 1 : 2;
}

function nameOf({ name }: Library, scenario: Scenario): string {
  return `by-${name} ${scenario}`.replaceAll(/[^a-z0-9]+/gi, '-');
}

function textFor(nonce: string, scenario: Scenario): string {
  const directive: Directive = { nonce, faults: faults[scenario], retryAfterSeconds: 1 };
  return directiveText({ ...directive, firstOnly: scenario === 'back-pressure' });
}

function nonceIn(text: string): string {
  return directiveIn(text)?.nonce ?? '';
}

/** Each call has its own provider, so that none is affected by another's faults. */
function yaml(): object {
  const providers: Record<string, object> = {};
  const models: Record<string, object> = {};
  for (const library of libraries) {
    for (const scenario of scenarios) {
      const name = nameOf(library, scenario);
      const { wire } = library;
      const place =
        wire === 'rerank'
          ? { kind: 'cohere', base_url: `http://127.0.0.1:${ranker.port}` }
          : { kind: wireProviders[wire].kind, base_url: target.base(wire) };
      providers[name] = { ...place, key: providerKey, models: ['model-a'] };
      models[name] = { targets: [{ provider: name, model: 'model-a' }] };
    }
  }
  return { providers, models, prices: { 'model-a': { input: 3, output: 5, searches: 2 } } };
}

function asked({ wire }: Library, nonce: string): number {
  const seen = wire === 'rerank' ? ranker.seen : target.invoice.map((entry) => entry.nonce);
  return seen.filter((each) => each === nonce).length;
}

/** The rerank wire, as far as this suite uses it. */
function startRanker() {
  const seen: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const directive = directiveIn(await request.text());
      const nonce = directive?.nonce ?? '';
      const isOver = directive?.firstOnly === true && seen.includes(nonce);
      seen.push(nonce);
      const fault = isOver ? undefined : directive?.faults['a'];
      if (fault === 'status-500') return Response.json({ message: 'scripted 500' }, { status: 500 });
      if (fault === 'rate-until')
        return Response.json({ message: 'too many requests' }, { status: 429, headers: { 'retry-after': '1' } });
      const results = [{ index: 1, relevance_score: 0.9 }];
      return Response.json({ id: nonce, results, meta: { billed_units: { search_units: 1 } } });
    },
  });
  return { seen, port: server.port, stop: (now: boolean) => server.stop(now) };
}

function rows(): { readonly model: string; readonly code: string }[] {
  const database = new Database(join(weir.dataFolder, 'weir.db'), { readonly: true });
  database.run('PRAGMA busy_timeout = 60000');
  try {
    return database.query<{ model: string; code: string }, []>('SELECT model, code FROM usage_rows').all();
  } finally {
    database.close();
  }
}

function rowsOf(name: string): string[] {
  return rows()
    .filter(({ model }) => model === name)
    .map(({ code }) => code)
    .sort();
}
