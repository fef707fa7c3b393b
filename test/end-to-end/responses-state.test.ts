/** Replies that later requests continue from: stored by Weir, by a provider or not at all, and who may use them. */

import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import OpenAI, { APIError } from 'openai';
import { scriptText } from '../fake-upstream/script.ts';
import { type KeepingProvider, startKeepingProvider } from '../harness/keeping-provider.ts';
import { createToken } from '../harness/token.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let upstream: RunningUpstream;
let keeper: KeepingProvider;
/** Stores content. */
let weir: RunningWeir;
/** Stores none, the default. */
let forgetful: RunningWeir;

beforeAll(async () => {
  upstream = await startUpstream();
  keeper = startKeepingProvider();
  const providers = {
    chatty: { kind: 'openai-chat', base_url: upstream.base, key: 'sk-chat', models: ['gpt-4.1'] },
    keeper: { kind: 'openai', base_url: keeper.base, keys: ['sk-one', 'sk-two'], models: ['gpt-kept'] },
  };
  // Another provider's price would not be charged to a budget.
  const prices = { 'gpt-4.1': { input: 2, output: 8 } };
  weir = await startWeir({ yaml: { providers, prices, content_storage: { responses: true } } });
  forgetful = await startWeir({ yaml: { providers, ids: { unknown: 'allow' } } });
});
afterAll(async () => {
  await Promise.all([weir.remove(), forgetful.remove()]);
  await upstream.stop();
  keeper.stop();
});

const clientOf = (at: RunningWeir, apiKey = at.token): OpenAI =>
  new OpenAI({ apiKey, baseURL: at.base, maxRetries: 0 });

async function failure(call: Promise<unknown>): Promise<APIError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof APIError)) throw new Error(`no API error: ${error}`);
  return error;
}

/** The messages that the chat provider received, as role and text. */
async function lastChat(): Promise<string[]> {
  const entry = (await upstream.invoice()).at(-1);
  const body = JSON.parse(Buffer.from(entry?.bodyBase64 ?? '', 'base64').toString('utf8')) as {
    messages: { role: string; content: unknown }[];
  };
  return body.messages.map(
    ({ role, content }) => `${role}: ${typeof content === 'string' ? content : JSON.stringify(content)}`,
  );
}

describe('with content storage', () => {
  test('a conversation continues by id across formats, whole and streamed, without the earlier instructions', async () => {
    const client = clientOf(weir);
    const first = await client.responses.create({
      model: 'gpt-4.1',
      instructions: 'Speak like a pirate.',
      input: scriptText({ text: 'Ahoy, Ada.' }),
    });
    expect(first.output_text).toBe('Ahoy, Ada.');
    expect(first).toMatchObject({ store: true });
    const stream = client.responses.stream({
      model: 'gpt-4.1',
      instructions: 'Speak like a judge.',
      previous_response_id: first.id,
      input: [{ role: 'user', content: `And now? ${scriptText({ text: 'Order.' })}` }],
    });
    const second = await stream.finalResponse();
    expect(second.previous_response_id).toBe(first.id);
    const [system, ...turns] = await lastChat();
    expect(system).toContain('judge');
    expect(turns.map((turn) => turn.slice(0, 18))).toEqual([
      'user: [[{"text":"A',
      'assistant: Ahoy, A',
      'user: And now? [[{',
    ]);
    const third = await client.responses.create({
      model: 'sandbox-chat',
      previous_response_id: second.id,
      input: 'Continue',
    });
    expect(third.status).toBe('completed');
    const items = await client.responses.inputItems.list(third.id, { order: 'asc' });
    expect(items.data.map((item) => item.type)).toEqual(Array(5).fill('message'));
    expect(items.data.at(-1)).toMatchObject({ role: 'user', content: [{ type: 'input_text', text: 'Continue' }] });
  });

  test('a stored reply can be read again, listed page by page and deleted', async () => {
    const client = clientOf(weir);
    const input = ['one', 'two', 'three'].map((content) => ({ role: 'user' as const, content }));
    const made = await client.responses.create({ model: 'sandbox-chat', input });
    const again = await client.responses.retrieve(made.id);
    expect({ ...again, output_text: '' }).toEqual({ ...made, output_text: '' });
    const all: unknown[] = [];
    for await (const item of client.responses.inputItems.list(made.id, { limit: 2 })) all.push(item);
    expect(all.map((item) => (item as { content: { text: string }[] }).content[0]?.text)).toEqual([
      'three',
      'two',
      'one',
    ]);
    expect((await failure(client.responses.inputItems.list(made.id, { limit: 101 }).then())).status).toBe(400);
    await client.responses.delete(made.id);
    for (const gone of [client.responses.retrieve(made.id), client.responses.delete(made.id)]) {
      expect(await failure(gone)).toMatchObject({ status: 404, code: 'not_found' });
    }
    const unknown = await failure(
      client.responses.create({ model: 'sandbox-chat', previous_response_id: made.id, input: 'x' }),
    );
    expect(unknown).toMatchObject({ status: 400, code: 'response_not_stored', param: 'previous_response_id' });
  });

  test('an id belongs to its token: for another token it is unknown', async () => {
    const other = clientOf(weir, (await createToken(weir)).token);
    const made = await clientOf(weir).responses.create({ model: 'sandbox-chat', input: 'mine' });
    const never = 'resp_never';
    const asked = (id: string) => [
      failure(other.responses.retrieve(id)),
      failure(other.responses.delete(id)),
      failure(other.responses.inputItems.list(id).then()),
      failure(other.responses.create({ model: 'sandbox-chat', previous_response_id: id, input: 'x' })),
    ];
    const errorsFor = async (id: string) =>
      (await Promise.all(asked(id))).map(({ status, message, code }) => [status, message.replaceAll(id, 'ID'), code]);
    expect(await errorsFor(made.id)).toEqual(await errorsFor(never));
    expect((await clientOf(weir).responses.retrieve(made.id)).id).toBe(made.id);
  });

  test('store: false is stored nowhere and says so', async () => {
    const client = clientOf(weir);
    const made = await client.responses.create({ model: 'gpt-4.1', input: 'secret', store: false });
    expect(made).toMatchObject({ store: false });
    expect((await failure(client.responses.retrieve(made.id))).status).toBe(404);
  });

  test('the database alone reveals no content', async () => {
    const made = await clientOf(weir).responses.create({ model: 'sandbox-chat', input: 'CANARY-4711' });
    const database = new Database(join(weir.dataFolder, 'weir.db'), { readonly: true });
    database.run('PRAGMA busy_timeout = 60000');
    const [row] = database.query('SELECT * FROM kept_replies WHERE id = ?').all(made.id) as { content: string }[];
    database.close();
    expect(row?.content.length).toBeGreaterThan(100);
    const shown = JSON.stringify(row) + Buffer.from(row?.content ?? '', 'base64').toString('latin1');
    expect(shown).not.toContain('CANARY');
    const files = ['weir.db', 'weir.db-wal'].map((name) => Bun.file(join(weir.dataFolder, name)).text());
    expect((await Promise.all(files)).join('')).not.toContain('CANARY-4711');
  });

  test('earlier turns are charged: a request that does not fit the budget is refused before anything is sent', async () => {
    // At 2 USD a million, 4,000 bytes reserve 0.008 while they run and cost a quarter of it.
    const client = clientOf(weir, (await createToken(weir, '--budget-usd', '0.01')).token);
    const input = `${'x'.repeat(4_000)} ${scriptText({ text: 'ok' })}`;
    const ask = { model: 'gpt-4.1', max_output_tokens: 16 } as const;
    const made = await client.responses.create({ ...ask, input });
    const before = (await upstream.invoice()).length;
    const refused = await failure(
      client.responses.create({ ...ask, previous_response_id: made.id, input: 'continue' }),
    );
    expect([refused.status, refused.code]).toEqual([402, 'budget_spent']);
    expect((await upstream.invoice()).length).toBe(before);
    expect((await client.responses.create({ ...ask, input: 'continue' })).status).toBe('completed');
  });

  test('signatures stay with the turns: verified by their origin, hidden from all others', async () => {
    const client = clientOf(weir);
    const include = ['reasoning.encrypted_content' as const];
    const first = await client.responses.create({ model: 'sandbox-reasoner', input: 'What is 2+3?', include });
    const second = await client.responses.create({
      model: 'sandbox-reasoner',
      input: 'And 4+5?',
      previous_response_id: first.id,
    });
    expect(second.output_text).toContain('verified 1 signature');
    const posts = keeper.seen.length;
    await client.responses.create({ model: 'gpt-kept', input: 'Continue', previous_response_id: second.id });
    const sent = keeper.seen[posts]?.body;
    expect(sent?.['input']).toHaveLength(5);
    expect(sent).not.toHaveProperty('previous_response_id');
    expect(JSON.stringify(sent)).not.toContain('encrypted_content');
  });

  test('a stored reply survives a restart', async () => {
    const made = await clientOf(weir).responses.create({ model: 'sandbox-chat', input: 'remember me' });
    await weir.stop();
    await weir.restart();
    expect((await clientOf(weir).responses.retrieve(made.id)).id).toBe(made.id);
  });
});

describe('without content storage', () => {
  test('continuing by id is a 400 that says how to enable it, and nothing is sent', async () => {
    const client = clientOf(forgetful);
    const made = await client.responses.create({ model: 'gpt-4.1', input: 'hello' });
    expect(made).toMatchObject({ store: false });
    const streamed = await client.responses.stream({ model: 'gpt-4.1', input: 'hello' }).finalResponse();
    expect(streamed).toMatchObject({ store: false });
    const before = (await upstream.invoice()).length;
    const refused = await failure(
      client.responses.create({ model: 'gpt-4.1', previous_response_id: made.id, input: 'x' }),
    );
    expect(refused).toMatchObject({ status: 400, code: 'response_not_stored', param: 'previous_response_id' });
    expect(refused.message).toContain('content_storage.responses');
    expect((await upstream.invoice()).length).toBe(before);
    expect(await failure(client.responses.retrieve(made.id))).toMatchObject({ status: 404, code: 'not_found' });
  });

  test('a provider that stores replies continues them, for the token that made them', async () => {
    const client = clientOf(forgetful);
    const first = await client.responses.create({ model: 'gpt-kept', input: 'one' });
    const second = await client.responses
      .stream({ model: 'gpt-kept', previous_response_id: first.id, input: 'two' })
      .finalResponse();
    expect(second.output_text).toBe('turns: 3');
    const [made, continued] = keeper.seen.filter(({ method }) => method === 'POST').slice(-2);
    expect(continued?.body).toMatchObject({ previous_response_id: first.id, input: 'two' });
    // Only the key that created a reply can read it.
    expect(continued?.authorization).toBe(made?.authorization);
    expect((await client.responses.retrieve(second.id)).output_text).toBe('turns: 3');
    const listed = await client.responses.inputItems.list(second.id, { limit: 5 }).asResponse();
    expect(await listed.json()).toMatchObject({ first_id: 'from_the_provider' });
    expect(keeper.seen.at(-1)).toMatchObject({ query: '?limit=5', authorization: made?.authorization });

    const other = clientOf(forgetful, (await createToken(forgetful)).token);
    const posts = keeper.seen.length;
    expect((await failure(other.responses.retrieve(first.id))).status).toBe(404);
    expect((await failure(other.responses.delete(first.id))).status).toBe(404);
    const theirs = other.responses.create({ model: 'gpt-kept', previous_response_id: first.id, input: 'x' });
    expect((await failure(theirs)).code).toBe('response_not_stored');
    const elsewhere = client.responses.create({ model: 'gpt-4.1', previous_response_id: first.id, input: 'x' });
    expect((await failure(elsewhere)).message).toContain('kept by the provider keeper');
    expect(keeper.seen.length).toBe(posts);

    await client.responses.delete(first.id);
    expect((await failure(client.responses.retrieve(first.id))).status).toBe(404);

    // An id from before Weir is passed to the provider if the operator allows it.
    const before = client.responses.create({ model: 'gpt-kept', previous_response_id: 'resp_unseen', input: 'x' });
    expect((await failure(before)).message).toContain('no resp_unseen');
    expect(keeper.seen.at(-1)?.body).toMatchObject({ previous_response_id: 'resp_unseen' });
  });

  test('none of the content is in the database', async () => {
    await clientOf(forgetful).responses.create({ model: 'gpt-kept', input: 'CANARY-4712' });
    const files = ['weir.db', 'weir.db-wal'].map((name) => Bun.file(join(forgetful.dataFolder, name)).text());
    expect((await Promise.all(files)).join('')).not.toContain('CANARY-4712');
  });
});
