import { describe, expect, test } from 'bun:test';
import type { ExplainedCandidate, Explanation } from '../relay/explain/explanation.ts';
import { endpointSamples } from '../snippets/endpoints.ts';
import { type ExplainDependencies, explainCommand } from './explain.ts';

interface Sent {
  readonly url: string;
  readonly headers: Headers;
  readonly body: unknown;
}

const candidate: ExplainedCandidate = {
  provider: 'near',
  model: 'near-model',
  tier: 0,
  weight: 1,
  region: null,
  state: 'ready',
  ready_in_ms: 0,
  keys_ready: 1,
  keys: 2,
  in_flight: 3,
  lane: 'forward',
  format: 'some-format',
  losses: [],
  price_bound_usd: '0.01',
  price_version: 'operator',
  price_source: 'operator',
  profile: [],
};

const explanation: Explanation = {
  object: 'weir.explanation',
  model: 'home',
  operation: 'converse',
  strategy: 'weighted',
  drawn: true,
  affinity: { kind: 'session', key: 'k' },
  candidates: [
    { ...candidate, state: 'cooling', ready_in_ms: 2_500, keys_ready: 0 },
    {
      ...candidate,
      provider: 'far',
      region: 'us',
      price_bound_usd: null,
      losses: [{ what: 'seed', why: 'none' }],
      learned: [{ what: 'seed', at: '2026-01-02' }],
    },
  ],
  excluded: [{ provider: 'no', model: 'no-model', why: 'does not\u001b[31m do it' }],
  limits: {
    requests_per_minute: { limit: 5, left: 4 },
    budget: { limit_usd: '5.00', spent_usd: '1.00', held_usd: '0.50', period: 'day' },
  },
};

async function run(
  argv: readonly string[],
  given: Partial<ExplainDependencies> & { readonly reply?: () => Response } = {},
) {
  const sent: Sent[] = [];
  let stdout = '';
  let stderr = '';
  const { reply = () => Response.json(explanation), ...rest } = given;
  const dependencies: ExplainDependencies = {
    out: (text) => {
      stdout += text;
    },
    err: (text) => {
      stderr += text;
    },
    token: 'from-environment',
    fetch: async (url, init) => {
      sent.push({ url, headers: new Headers(init.headers), body: JSON.parse(String(init.body)) });
      return reply();
    },
    readFile: () => Promise.reject(new Error('no file')),
    ...rest,
  };
  const code = await explainCommand(dependencies, argv);
  return { code, stdout, stderr, sent };
}

describe('what it prints', () => {
  test('a table in order with the first that may be asked marked, losses, exclusions and limits', async () => {
    const { code, stdout } = await run(['home']);
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        'home (converse), weighted, random for each request; sticky by session',
        '',
        '     PROVIDER  MODEL       TIER  STATE           KEYS  BUSY  LANE     FORMAT       AT MOST',
        '  1  near      near-model     0  cooling, 2.5 s   0/2     3  forward  some-format    $0.01',
        '> 2  far (us)  near-model     0  ready            1/2     3  forward  some-format        ?',
        '',
        'Dropped fields:',
        '  far drops seed: none',
        '',
        'Learned from refusals:',
        '  far refused seed at 2026-01-02',
        '',
        'Excluded:',
        '  no (no-model): does not\ufffd[31m do it',
        '',
        'Left to the token:',
        '  4 of 5 requests in this minute',
        '  $1.00 spent and $0.50 held of $5.00 (day)',
        '',
      ].join('\n'),
    );
  });

  test('a bound by a guessed price says whose price it is', async () => {
    const guessed = { ...candidate, price_version: 'guess: genai-prices@0.1.8 openai', price_source: 'guess' } as const;
    const { stdout } = await run(['home'], { reply: () => Response.json({ ...explanation, candidates: [guessed] }) });
    expect(stdout).toContain('~$0.01*\n');
    expect(stdout).toContain(
      '* Estimated from another provider’s price for the same model:\n  near: genai-prices@0.1.8 openai\n',
    );
  });

  test('no candidate', async () => {
    const unserved = { ...explanation, candidates: [], limits: {}, excluded: [], drawn: false };
    const { stdout } = await run(['home'], { reply: () => Response.json(unserved) });
    expect(stdout).toBe('home (converse), weighted; sticky by session\n\nNo target can serve this request.\n');
  });

  test('what is known of the models, a line for each place it is written at', async () => {
    const from = 'family Some, seen 2026-11-15';
    const profile = [
      { field: 'context_tokens', value: 8_192, from },
      { field: 'thinking', value: { kind: 'effort', efforts: ['low', 'high'] }, from },
      { field: 'refuses', value: [], from: 'operator, n*' },
    ];
    const known = { ...explanation, candidates: [{ ...candidate, profile }], limits: {}, excluded: [] };
    const { stdout } = await run(['home'], { reply: () => Response.json(known) });
    expect(stdout).toEndWith(
      [
        '',
        'Facts about near-model at near:',
        '  family Some, seen 2026-11-15: context_tokens 8192; thinking effort efforts low, high',
        '  operator, n*: refuses nothing',
        '',
      ].join('\n'),
    );
  });

  test('JSON as it came', async () => {
    expect(JSON.parse((await run(['home', '--json'])).stdout)).toEqual(JSON.parse(JSON.stringify(explanation)));
  });
});

describe('what it asks', () => {
  test('the chat endpoint on this machine, with the header and the token of the environment', async () => {
    const [sent] = (await run(['home'])).sent;
    expect(sent?.url).toBe('http://127.0.0.1:8787/v1/chat/completions');
    expect(sent?.headers.get('x-weir-explain')).toBe('1');
    expect(sent?.headers.get('authorization')).toBe('Bearer from-environment');
    expect(sent?.body).toEqual({ messages: [{ role: 'user', content: 'Hello' }], model: 'home' });
  });

  test.each(['http://h:1', 'http://h:1/', 'http://h:1/v1', 'http://h:1/v1/'])('%s is one address', async (url) => {
    const [sent] = (await run(['home', '--url', url, '--token', 'given'])).sent;
    expect([sent?.url, sent?.headers.get('authorization')]).toEqual(['http://h:1/v1/chat/completions', 'Bearer given']);
  });

  test('a model with a slash stays one in the path', async () => {
    const [sent] = (await run(['org/a b', '--endpoint', 'generate-content'])).sent;
    expect(sent?.url).toEndWith('/v1beta/models/org/a%20b:generateContent');
    expect(sent?.body).not.toHaveProperty('model');
  });

  test('a body of one’s own, for the model that is named', async () => {
    const readFile = async (path: string) => JSON.stringify({ model: 'another', input: path });
    const [sent] = (await run(['home', '--endpoint', 'embeddings', '--body', 'b.json'], { readFile })).sent;
    expect(sent?.body).toEqual({ model: 'home', input: 'b.json' });
  });
});

describe('what goes wrong', () => {
  const mistakes: readonly [string, readonly string[], Partial<ExplainDependencies>][] = [
    ['An argument is missing', [], {}],
    ['No token given', ['home'], { token: undefined }],
    [`--endpoint must be one of ${[...endpointSamples.keys()].join(', ')}`, ['home', '--endpoint', 'toString'], {}],
    ['--url must be a URL', ['home', '--url', 'file:///etc/passwd'], {}],
    ['cannot be read', ['home', '--body', 'absent.json'], {}],
    ['is not a JSON object', ['home', '--body', 'x'], { readFile: async () => '[1]' }],
    ['is not a JSON object', ['home', '--body', 'x'], { readFile: async () => '{' }],
  ];

  test.each(mistakes)('%s', async (message, argv, given) => {
    const { code, stderr, sent } = await run(argv, given);
    expect([code, sent.length]).toEqual([2, 0]);
    expect(stderr).toContain(message);
  });

  const failures: readonly [string, () => Response][] = [
    ['may not ask', () => Response.json({ error: { message: 'This token may not ask.' } }, { status: 403 })],
    ['is not an explanation', () => Response.json({ object: 'chat.completion' })],
    ['is not an explanation', () => new Response('<html>')],
    [
      'Connection to http://127.0.0.1:8787',
      () => {
        throw new TypeError('refused');
      },
    ],
  ];

  test.each(failures)('%s', async (message, reply) => {
    const { code, stdout, stderr } = await run(['home'], { reply });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('from-environment');
  });
});
