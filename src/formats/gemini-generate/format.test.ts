import { describe, expect, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import { counting } from './count-tokens.ts';
import { geminiGenerate, geminiGenerateArray } from './format.ts';
import { modelList } from './model-list.ts';

const named = { model: 'm', stream: true };
const hi = [{ parts: [{ text: 'hi' }] }];
const check = (tree: Tree, bytes = 100) => geminiGenerate.check(tree, bytes, named);

function faultOf(tree: Tree): readonly string[] {
  try {
    check(tree);
  } catch (error) {
    if (error instanceof GatewayError) return [error.code, error.param];
  }
  return [];
}

describe('checks', () => {
  test('the path names the model and whether to stream, the configuration candidates and limit', () => {
    expect(check({ contents: hi, generationConfig: { candidateCount: 3, maxOutputTokens: 50 } })).toEqual({
      model: 'm',
      stream: true,
      candidates: 3,
      outputTokensMax: 50,
      inputTokensMax: 100,
      limitHomes: ['generationConfig'],
    });
    expect(check({ contents: { parts: { text: 'one' } } })).toMatchObject({
      candidates: 1,
      outputTokensMax: undefined,
    });
  });

  test('what is missing or wrong is named as the client spelled it', () => {
    expect(faultOf({})).toEqual(['field_missing', 'contents']);
    for (const contents of [[], 'text', 5]) expect(faultOf({ contents })).toEqual(['field_invalid', 'contents']);
    expect(faultOf({ contents: ['x'] })).toEqual(['field_invalid', 'contents[0]']);
    expect(faultOf({ contents: [{ role: 'user' }] })).toEqual(['field_missing', 'contents[0].parts']);
    expect(faultOf({ contents: [{ parts: [] }] })).toEqual(['field_invalid', 'contents[0].parts']);
    expect(faultOf({ contents: [{ parts: [{ text: 1 }] }] })).toEqual(['field_invalid', 'contents[0].parts[0].text']);
    expect(faultOf({ contents: [{ role: 1, parts: [{}] }] })).toEqual(['field_invalid', 'contents[0].role']);
    expect(faultOf({ contents: hi, generation_config: { max_output_tokens: 0 } })).toEqual([
      'field_invalid',
      'generation_config.max_output_tokens',
    ]);
    for (const candidateCount of [-1, 0, 1.5, 1e9, '2']) {
      expect(faultOf({ contents: hi, generationConfig: { candidateCount } })).toEqual([
        'field_invalid',
        'generationConfig.candidateCount',
      ]);
    }
    expect(faultOf({ contents: hi, generationConfig: { temperature: 'hot' } })).toEqual([
      'field_invalid',
      'generationConfig.temperature',
    ]);
    expect(faultOf({ contents: hi, systemInstruction: 5 })).toEqual(['field_invalid', 'systemInstruction']);
    expect(faultOf({ contents: hi, tools: 5 })).toEqual(['field_invalid', 'tools']);
    expect(faultOf({ contents: hi, unknown: 5, generationConfig: null })).toEqual([]);
  });

  test('files count by their kind, not by their bytes', () => {
    const data = 'A'.repeat(1_000_000);
    const bound = (part: Tree) => check({ contents: [{ parts: [part] }] }, 1_000_100).inputTokensMax;
    expect(bound({ inlineData: { mimeType: 'image/png', data } })).toBe(100 + 8_192);
    expect(bound({ inline_data: { mime_type: 'audio/wav', data } })).toBe(100 + 250_000);
    expect(bound({ functionResponse: { parts: [{ inlineData: { mimeType: 'image/png', data } }] } })).toBe(100 + 8_192);
    expect(bound({ fileData: { fileUri: 'https://x' } })).toBe(1_000_100 + 1_048_576);
  });
});

test('nothing is edited but a model that the body repeats', () => {
  const edits = (tree: Tree, upstreamModel?: string) => [
    ...geminiGenerate.patch(tree, { upstreamModel, mayAskUsage: true }).edits,
  ];
  expect(edits({ contents: hi }, 'other')).toEqual([]);
  expect(edits({ model: 'models/m' })).toEqual([]);
  expect(edits({ model: 'models/m' }, 'other')).toEqual([['model', undefined]]);
});

describe('tap', () => {
  const tap = () => geminiGenerate.tap({ hidesUsage: false, usageInside: undefined });
  const chunk = (candidate: Tree, usageMetadata?: Tree) => JSON.stringify({ candidates: [candidate], usageMetadata });

  test('counts, text and finish', () => {
    const reading = tap();
    expect(
      reading.read(
        chunk({ content: { parts: [{ text: 'ab' }] } }, { promptTokenCount: 2, candidatesTokenCount: 1 }),
        undefined,
      ),
    ).toBe('pass');
    expect(reading.finished).toBe(false);
    reading.read(chunk({ content: { parts: [{ functionCall: { name: 'f' } }] }, finishReason: 'STOP' }), undefined);
    expect(reading.finished).toBe(true);
    expect(reading.usage.output.total).toBe(1);
    expect(reading.written.sample).toBe('ab{"name":"f"}');
    reading.read('{"usageMetadata":{"promptTokenCount":2,"candidatesTokenCount":5}}', undefined);
    expect(reading.usage.output.total).toBe(5);
  });

  test('all candidates must have finished', () => {
    const reading = tap();
    reading.read('{"candidates":[{"index":0},{"index":1,"finishReason":"STOP"}]}', undefined);
    expect(reading.finished).toBe(false);
    reading.read(chunk({ index: 0, finishReason: 'STOP' }), undefined);
    expect(reading.finished).toBe(true);
  });

  test('a blocked prompt is finished, an error is a fault, anything else is not of the format', () => {
    const blocked = tap();
    expect(blocked.read('{"promptFeedback":{"blockReason":"SAFETY"}}', undefined)).toBe('pass');
    expect(blocked.finished).toBe(true);
    const broken = tap();
    expect(broken.read('{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}', undefined)).toBe('fault');
    expect(broken.fault).toEqual({ message: 'm', type: 'UNAVAILABLE', code: '503', param: undefined });
    expect(() => tap().read('[]', undefined)).toThrow(SyntaxError);
    expect(() => geminiGenerate.measureReply({ choices: [] })).toThrow(SyntaxError);
  });

  test('a whole reply without counts gives its text for an estimate', () => {
    const { usage, written } = geminiGenerate.measureReply({ candidates: [{ content: { parts: [{ text: 'abc' }] } }] });
    expect([usage.output.total, written.sample]).toEqual([undefined, 'abc']);
  });
});

describe('errors', () => {
  const error = new GatewayError('field_invalid', 'bad', { param: 'contents' });

  test('two envelopes; inside a stream always the library’s', () => {
    const body = (ownLibrary: boolean) => JSON.parse(geminiGenerate.errorBody(error, { requestId: 'q', ownLibrary }));
    expect(body(true).error).toMatchObject({
      code: 400,
      status: 'INVALID_ARGUMENT',
      message: 'bad',
      param: 'contents',
    });
    expect(body(false).error).toEqual({
      message: 'bad',
      type: 'invalid_request_error',
      param: 'contents',
      code: 'field_invalid',
    });
    const event = geminiGenerate.errorEvent(new GatewayError('upstream_failed', 'cut'), {
      requestId: 'q',
      ownLibrary: false,
    });
    expect(event).toMatch(/^data: \{"error":\{"code":503,"message":"cut","status":"UNAVAILABLE".*\n\n$/);
  });

  test('errors of a provider', () => {
    const details = [{ reason: 'API_KEY_INVALID' }, { fieldViolations: [{ field: 'contents[0]' }] }];
    const body = { error: { code: 400, message: 'no', status: 'INVALID_ARGUMENT', details } };
    const fault = { message: 'no', type: 'INVALID_ARGUMENT', code: 'API_KEY_INVALID', param: 'contents[0]' };
    expect(geminiGenerate.readFault(JSON.stringify(body))).toEqual(fault);
    expect(geminiGenerate.readFault(JSON.stringify([body]))).toEqual(fault);
    expect(geminiGenerate.readFault('<html>')).toBeUndefined();
  });
});

test('keep-alive is a blank line, and the array differs in its framing alone', () => {
  expect(geminiGenerate.keepAlive).toBe('\n');
  expect(geminiGenerateArray).toEqual({ ...geminiGenerate, framing: 'json-array' });
});

test('model lists and counts', () => {
  const facts = {
    id: 'org/x',
    createdAtMs: 0,
    providers: [],
    contextTokens: 9,
    inputModalities: undefined,
    description: 'd',
    pricing: undefined,
  };
  expect(modelList([facts])).toMatchObject({
    models: [{ name: 'models/org/x', displayName: 'org/x', description: 'd', inputTokenLimit: 9 }],
  });
  const whole = { model: 'models/m', contents: hi };
  expect(counting.requestIn({ contents: hi })).toEqual({ contents: hi });
  expect(counting.requestIn({ generate_content_request: whole })).toEqual(whole);
  expect(counting.check({ generateContentRequest: whole }, 100, named).model).toBe('m');
  expect(() => counting.check({ generateContentRequest: {} }, 100, named)).toThrow('contents');
  expect(counting.readCount(counting.writeCount(7))).toBe(7);
  expect(counting.readCount({ totalTokens: '7' })).toBeUndefined();
});
