/** Vectors through Cohere's official library over every embedding wire: purposes, encodings, lengths, batches, what they cost, and what is refused. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type Cohere, CohereClientV2, CohereError } from 'cohere-ai';
import { type Bench, lossesOf, startBench } from '../../../contract/operations/bench.ts';
import {
  embeddingPrices,
  embeddingRows,
  embeddingWires,
  nanoPerToken,
} from '../../../contract/operations/embedding-rows.ts';
import { tokensOf, vectorOf } from '../../../contract/operations/embedding-wires.ts';
import { floatsOf } from '../../../harness/operation-clients.ts';
import { Owed } from './owed.ts';
import { type ReplyRecorder, reasonOf, recordReplies } from './reply-recorder.ts';

let bench: Bench;
let recorder: ReplyRecorder;
const owed = new Owed();
beforeAll(async () => {
  bench = await startBench(embeddingRows, { prices: embeddingPrices });
});
afterAll(() => bench.remove());
beforeEach(() => {
  recorder = recordReplies();
  for (const [name] of embeddingWires) bench.up(name).forget();
});

function embed(request: Cohere.V2EmbedRequest): Promise<Cohere.EmbedByTypeResponse> {
  const { url, token } = bench.weir;
  return new CohereClientV2({ token, baseUrl: url, maxRetries: 0, fetch: recorder.fetch }).embed(request);
}
const rounded = (text: string) => vectorOf(text).map(Math.fround);
const roundedAll = (vectors: readonly number[][] | undefined) => vectors?.map((vector) => vector.map(Math.fround));
const sentTo = (name: string) => JSON.parse(`${bench.up(name).seen[0]?.bytes}`) as Record<string, unknown>;
const purpose = { inputType: 'search_document' as const, embeddingTypes: ['float' as const] };

async function failureOf(asking: Promise<unknown>): Promise<CohereError> {
  const error = await reasonOf(asking);
  if (!(error instanceof CohereError)) throw new Error(`no error of the library: ${String(error)}`);
  return error;
}

describe.each(embeddingWires)('%s', (name, model, inputsMax) => {
  test('texts become vectors, and their cost is booked', async () => {
    const texts = ['text 3', 'text 1', 'text 2'];
    const reply = await embed({ model, texts, ...purpose });
    expect(roundedAll(reply.embeddings.float)).toEqual(texts.map(rounded));
    expect(reply.id).toBeTruthy();
    expect(reply.meta?.billedUnits?.inputTokens).toBe(tokensOf(texts));
    expect(recorder.reply().headers.get('x-weir-provider')).toBe(name);
    owed.add(recorder.reply(), BigInt(tokensOf(texts)) * nanoPerToken);
  });

  test('inputs of texts', async () => {
    const inputs = ['text 4', 'text 5'].map((text) => ({ content: [{ type: 'text' as const, text }] }));
    const { embeddings } = await embed({ model, inputs, ...purpose });
    expect(roundedAll(embeddings.float)).toEqual([rounded('text 4'), rounded('text 5')]);
  });

  test('more texts than the provider takes at once', async () => {
    const texts = Array.from({ length: Math.min(2_048, inputsMax + 3) }, (_, index) => `text ${index}`);
    const { embeddings } = await embed({ model, texts, ...purpose });
    expect(roundedAll(embeddings.float)).toEqual(texts.map(rounded));
  });

  test('both encodings at once', async () => {
    if (name === 'cohere') return;
    const { embeddings } = await embed({ model, texts: ['text 5'], ...purpose, embeddingTypes: ['float', 'base64'] });
    expect(roundedAll(embeddings.float)).toEqual([rounded('text 5')]);
    expect((embeddings.base64 ?? []).map(floatsOf)).toEqual([rounded('text 5')]);
  });

  test('what only one provider has is refused by the others before anything is asked', async () => {
    const odd = { model, texts: ['text 1'], ...purpose, embeddingTypes: ['int8' as const] };
    const images = { model, images: ['data:image/png;base64,AAAA'], inputType: 'image' as const };
    if (name === 'cohere') {
      // The scripted provider has floats only; what counts is the request.
      await failureOf(embed(odd));
      expect(sentTo(name)['embedding_types']).toEqual(['int8']);
      return;
    }
    const [oddFailure, imageFailure] = [await failureOf(embed(odd)), await failureOf(embed(images))];
    expect([oddFailure.statusCode, imageFailure.statusCode]).toEqual([400, 400]);
    expect(oddFailure.message).toContain('`float` and `base64` are possible');
    expect(imageFailure.message).toContain('takes texts');
    expect(bench.up(name).seen.length).toBe(0);
  });
});

test('the same wire passes untouched, and truncate is sent or listed as lost', async () => {
  await embed({ model: 'embed-v4.0', texts: ['text 1'], ...purpose, truncate: 'START', outputDimension: 256 });
  expect(sentTo('cohere')).toEqual({
    model: 'embed-v4.0',
    texts: ['text 1'],
    input_type: 'search_document',
    embedding_types: ['float'],
    truncate: 'START',
    output_dimension: 256,
  });
  expect(lossesOf(recorder.reply())).toEqual([]);
  await embed({ model: 'text-embedding-3-small', texts: ['text 1'], ...purpose, truncate: 'START' });
  expect(lossesOf(recorder.reply()).toSorted()).toEqual(['purpose', 'truncate']);
});

test('wrong requests are refused in the shape that the library reads', async () => {
  const wrong = await failureOf(embed({ model: 'embed-v4.0', ...purpose }));
  expect([wrong.statusCode, (wrong.body as { message: string }).message]).toEqual([
    400,
    'The field `texts` is missing. Send the texts to embed, as a list.',
  ]);
});

test('what was booked is what the vectors cost', () => owed.check(bench.weir));
