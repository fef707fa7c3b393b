import { describe, expect, test } from 'bun:test';
import { readReply } from './read/reply.ts';
import { streamReader } from './stream/reader.ts';
import { GenerateTap, measureReply } from './tap.ts';
import { readUsage, writeUsage } from './usage.ts';

const origin = { provider: 'p', model: 'm', format: 'gemini-generate' } as const;
const context = { origin, nowMs: 0, newId: (prefix: string) => `${prefix}1` } as unknown as Parameters<
  typeof readReply
>[1];

/** The same usage by every way that a reply can be read. */
function readings(usageMetadata: object, given: { model?: string; queries?: readonly string[] } = {}) {
  const { model = 'gemini-3-flash', queries } = given;
  const grounded = queries !== undefined && { groundingMetadata: { webSearchQueries: queries } };
  const content = { role: 'model', parts: [{ text: 'hi' }] };
  const candidate = { index: 0, content, finishReason: 'STOP', ...grounded };
  const whole = { candidates: [candidate], usageMetadata, modelVersion: model };
  const frames = [
    { candidates: [{ index: 0, content }], modelVersion: model },
    {
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP', ...grounded }],
      usageMetadata,
      modelVersion: model,
    },
  ].map((frame) => JSON.stringify(frame));
  const tap = new GenerateTap();
  for (const frame of frames) tap.read(frame);
  const reader = streamReader(context);
  const events = [...frames.flatMap((frame) => reader.read(frame, undefined)), ...reader.end()];
  const streamed = events.findLast((event) => event.type === 'usage');
  return [measureReply(whole).usage, readReply(whole, context).value.usage, tap.usage, streamed?.usage];
}

const details = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts).map(([modality, tokenCount]) => ({ modality, tokenCount }));

describe('usage', () => {
  const metadata = {
    promptTokenCount: 1_000,
    cachedContentTokenCount: 300,
    candidatesTokenCount: 200,
    thoughtsTokenCount: 50,
    toolUsePromptTokenCount: 100,
    promptTokensDetails: details({ TEXT: 300, AUDIO: 100, IMAGE: 200, VIDEO: 250, DOCUMENT: 150 }),
    cacheTokensDetails: details({ TEXT: 100, AUDIO: 40, IMAGE: 60, VIDEO: 100 }),
    toolUsePromptTokensDetails: details({ TEXT: 80, IMAGE: 20 }),
    candidatesTokensDetails: details({ TEXT: 20, AUDIO: 30, IMAGE: 100, VIDEO: 50 }),
  };

  test('has every modality on both sides and in the cache, on every lane', () => {
    for (const read of readings({ ...metadata, serviceTier: 'FLEX' })) {
      expect(read).toEqual({
        input: {
          ...{ total: 1_100, cacheRead: 300, audio: 100, image: 220, video: 250 },
          ...{ cachedAudio: 40, cachedImage: 60, cachedVideo: 100 },
        },
        output: { total: 250, thinking: 50, text: 20, audio: 30, image: 100, video: 50 },
        serviceTier: 'flex',
        model: 'gemini-3-flash',
      });
    }
  });

  test('is written with every modality that it was read with', () => {
    const { toolUsePromptTokenCount: _, toolUsePromptTokensDetails: _details, ...plain } = metadata;
    const read = readUsage({
      ...plain,
      promptTokensDetails: details({ TEXT: 450, AUDIO: 100, IMAGE: 200, VIDEO: 250 }),
    });
    if (read === undefined) throw new Error('nothing was read');
    const again = readUsage(writeUsage(read));
    expect(again).toEqual(read);
  });

  test('knows the tier by the kind of traffic too', () => {
    const tier = (trafficType: string) => readUsage({ ...metadata, trafficType })?.serviceTier;
    expect(tier('ON_DEMAND_PRIORITY')).toBe('priority');
    expect(tier('ON_DEMAND_FLEX')).toBe('flex');
    expect(tier('ON_DEMAND')).toBeUndefined();
    expect(tier('toString')).toBeUndefined();
    expect(readUsage({ ...metadata, serviceTier: 'standard' })?.serviceTier).toBeUndefined();
  });

  test('counts each search, and for older models the prompt that was grounded', () => {
    const searches = (model: string, queries?: readonly string[]) =>
      readings(metadata, { model, ...(queries !== undefined && { queries }) }).map((read) => read?.webSearches);
    expect(searches('gemini-3-flash', ['a', 'b', 'c'])).toEqual([3, 3, 3, 3]);
    expect(searches('models/gemini-2.5-flash', ['a', 'b', 'c'])).toEqual([1, 1, 1, 1]);
    expect(searches('gemini-3-flash', [])).toEqual([undefined, undefined, undefined, undefined]);
    expect(searches('gemini-3-flash')).toEqual([undefined, undefined, undefined, undefined]);
  });
});
