/** Proves that the reference reads Weir's own description: every operation has examples that are code, is found by what it says, and can be tried. */

import { describe, expect, test } from 'bun:test';
import { openApiDocument } from '../../../../endpoints/openapi/document.ts';
import type { PlaygroundModel } from '../../playground/playground-contract.ts';
import { exampleLanguages, exampleOf, examplePath } from './examples.ts';
import { findOperations } from './find-operations.ts';
import { readApi } from './openapi.ts';
import { withServedModel } from './try-it/served-model.ts';
import { firstValues, requestOf } from './try-it/try-request.ts';

const origin = 'https://weir.example';
const families = readApi(JSON.parse(JSON.stringify(openApiDocument({ origin, version: '1' }))));
const operations = families.flatMap((family) => family.operations);

function operation(id: string) {
  const found = operations.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no ${id}`);
  return found;
}

const example = (id: string, language: (typeof exampleLanguages)[number]): string =>
  exampleOf(operation(id), language, origin) ?? '';

describe('examples', () => {
  const transpiler = new Bun.Transpiler({ loader: 'ts' });

  test('exist in every language that can make the call, with nothing left open', () => {
    expect(operations.length).toBeGreaterThan(50);
    for (const one of operations) {
      for (const language of exampleLanguages) {
        const code = exampleOf(one, language, origin);
        if (one.isSocket && language === 'curl') expect(code).toBeUndefined();
        else
          expect([one.id, language, code?.match(/%\w+%|@@|undefined|\[object|\{\w+\}"/)]).toEqual([
            one.id,
            language,
            null,
          ]);
      }
      const script = exampleOf(one, 'typescript', origin) ?? '';
      expect(() => transpiler.transformSync(script)).not.toThrow();
    }
  });

  test('use the library of the format, and plain HTTP where there is none', () => {
    expect(example('POST /v1/chat/completions', 'typescript')).toContain('client.chat.completions.create({');
    expect(example('POST /v1/chat/completions', 'python')).toContain('model="sandbox-chat",');
    expect(example('POST /v1/messages/count_tokens', 'python')).toContain('client.messages.count_tokens(');
    expect(example('POST /v1beta/models/{model}:streamGenerateContent', 'python')).toContain('for part in reply:');
    expect(example('POST /v2/embed', 'typescript')).toContain('"inputType": "search_document"');
    expect(example('POST /v2/embed', 'python')).toContain('input_type="search_document"');
    expect(example('POST /v1/audio/transcriptions', 'typescript')).toContain("fs.createReadStream('audio.wav')");
    expect(example('POST /v1/audio/transcriptions', 'python')).toContain('file=open("audio.wav", "rb")');
    expect(example('POST /v1/audio/transcriptions', 'curl')).toContain('-F "file=@audio.wav"');
    expect(example('GET /v1/videos/{id}', 'typescript')).toContain("client.videos.retrieve('ID')");
    expect(example('POST /v1/rerank', 'python')).toContain('requests.post(');
    expect(example('GET /v1/realtime', 'python')).toContain('wss://weir.example/v1/realtime?model=sandbox-realtime');
    expect(example('GET /healthz', 'curl')).toBe(`curl "${origin}/healthz"`);
    expect(example('POST /admin/v1/tokens', 'curl')).toContain('Bearer $WEIR_ADMIN_KEY');
    expect(example('DELETE /admin/v1/tokens/{id}', 'typescript')).toContain('process.env.WEIR_ADMIN_KEY');
  });

  test('fill the path with what the description names', () => {
    expect(examplePath(operation('POST /v1beta/models/{model}:embedContent'))).toBe(
      '/v1beta/models/sandbox-embed:embedContent',
    );
    expect(examplePath(operation('GET /v1/responses/{id}'))).toBe('/v1/responses/ID');
  });
});

describe('the search', () => {
  const found = (text: string) => findOperations(families, text).flatMap((family) => family.operations);

  test('finds by path, by summary and by several words in any order', () => {
    expect(found('/v1/embeddings').map(({ id }) => id)).toEqual(['POST /v1/embeddings']);
    expect(found('transcribe').map(({ id }) => id)).toContain('POST /v1/audio/transcriptions');
    expect(found('CHAT create').map(({ id }) => id)).toContain('POST /v1/chat/completions');
    expect(found('').length).toBe(operations.length);
  });

  test('finds by fields, and says which', () => {
    const [chat] = found('reasoning_effort');
    expect([chat?.id, chat?.foundFields]).toEqual(['POST /v1/chat/completions', ['reasoning_effort']]);
    expect(found('transparent').map(({ id }) => id)).toContain('POST /v1/images/edits');
  });

  test('finds nothing where a word is nowhere', () => expect(found('chat zebra')).toEqual([]));
});

describe('a try', () => {
  const values = (id: string) => firstValues(operation(id));

  test('starts with a request that could be sent as it is', () => {
    const chat = operation('POST /v1/chat/completions');
    const request = requestOf(chat, firstValues(chat));
    expect(request).toMatchObject({ method: 'POST', path: '/v1/chat/completions' });
    expect(JSON.parse(values('POST /v1/chat/completions').json)).toMatchObject({ model: 'sandbox-chat' });
    const generate = operation('POST /v1beta/models/{model}:generateContent');
    expect(requestOf(generate, firstValues(generate))).toMatchObject({
      path: '/v1beta/models/sandbox-chat:generateContent',
    });
  });

  test('says what is missing or broken before anything is sent', () => {
    const show = operation('GET /v1/videos/{id}');
    expect(requestOf(show, firstValues(show))).toEqual({ field: 'id' });
    const chat = operation('POST /v1/chat/completions');
    expect(requestOf(chat, { ...firstValues(chat), json: '{' })).toHaveProperty('json');
    const hear = operation('POST /v1/audio/transcriptions');
    expect(requestOf(hear, firstValues(hear))).toEqual({ field: 'file' });
  });

  test('puts parameters where they belong, harmless in an address', () => {
    const list = operation('GET /v1/videos');
    expect(requestOf(list, { texts: { 'query.limit': '5', 'query.order': ' ' }, files: {}, json: '' })).toEqual({
      method: 'GET',
      path: '/v1/videos?limit=5',
    });
    const show = operation('GET /v1/models/{id}');
    expect(requestOf(show, { texts: { 'path.id': 'a/b?c#d' }, files: {}, json: '' })).toEqual({
      method: 'GET',
      path: '/v1/models/a/b%3Fc%23d',
    });
  });

  test('sends a form with its files and without what is empty', () => {
    const hear = operation('POST /v1/audio/transcriptions');
    const files = { file: new File(['x'], 'a.wav') };
    const request = requestOf(hear, { ...firstValues(hear), files });
    if (!('body' in request) || !(request.body instanceof FormData)) throw new Error('no form');
    expect([...request.body.keys()].sort()).toEqual(['file', 'model']);
  });

  test('asks a model that is served', () => {
    const model = (id: string, does: string): PlaygroundModel => ({
      id,
      providers: ['p'],
      operations: [does],
      inputModalities: [],
      outputModalities: [],
    });
    const models = [model('talks', 'converse'), model('draws', 'make-image'), model('vectors', 'embed')];
    const changed = (id: string) => withServedModel(operation(id).path, values(id), models);
    expect(JSON.parse(changed('POST /v1/images/generations').json)).toMatchObject({ model: 'draws' });
    expect(changed('POST /v1beta/models/{model}:embedContent').texts['path.model']).toBe('vectors');
    expect(changed('POST /v1/rerank')).toEqual(values('POST /v1/rerank'));
    const served = [model('sandbox-chat', 'converse')];
    const chat = values('POST /v1/chat/completions');
    expect(withServedModel('/v1/chat/completions', chat, served).json).toBe(chat.json);
  });
});
