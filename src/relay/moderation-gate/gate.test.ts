/** The gate by itself: what is demanded, what is checked, and what each answer of the moderation model means for the caller. */

import { describe, expect, test } from 'bun:test';
import type { ModerationTerms } from '../../access/caller.ts';
import { callerOf } from '../../access/levels/caller-of.ts';
import { openAdmission } from '../../access/limits.ts';
import type { ErrorCode } from '../../conversation/error-table.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { TextReply } from '../../conversation/text-reply.ts';
import { unknownUsage } from '../../conversation/usage.ts';
import { openaiChat } from '../../formats/openai-chat/format.ts';
import { perCategory } from '../../operations/moderate/verdicts.ts';
import type { ModerateRequest, ModerationCategory, ModerationResult } from '../../operations/moderate.ts';
import type { ClientWireOf } from '../../operations/types.ts';
import type { OperateRequest, Operator } from '../operations/operation-request.ts';
import { createGate, type ModeratedCall } from './gate.ts';

const callerWith = (moderation?: ModerationTerms) =>
  callerOf({
    id: 'tok',
    hint: '',
    createdAtMs: 0,
    terms: { name: 'x', models: ['m'], strict: true, ...(moderation && { moderation }) },
  });

const result = (...raised: ModerationCategory[]): ModerationResult => ({
  flagged: raised.length > 0,
  scores: perCategory((category) => (raised.includes(category) ? 0.9 : 0)),
  categories: perCategory((category) => raised.includes(category)),
});

type Verdict = ModerationResult | GatewayError | Error;

interface Asked {
  readonly id: string;
  readonly inputs: ModerateRequest['inputs'];
  readonly model: string | undefined;
  readonly mayUseAny: boolean;
  readonly strict: boolean;
}

/** Judges each question by its first input and uses 7 tokens for it. */
function judgedBy(verdict: (input: string) => Verdict) {
  const asked: Asked[] = [];
  const warnings: string[] = [];
  const operator: Operator = {
    async handle(request) {
      const { wire, body, caller, requestId, admission } = request as unknown as OperateRequest<'moderate'>;
      if (body.kind !== 'json') throw new Error('not JSON');
      const inner: ClientWireOf<'moderate'> = wire;
      const facts = inner.check({ kind: 'json', tree: {} }, body.json.bytes.length);
      const { value } = inner.readRequest({ kind: 'json', tree: {} }, facts.model);
      const { strict } = caller;
      asked.push({
        id: requestId,
        inputs: value.inputs,
        model: facts.model,
        mayUseAny: caller.mayUseModel('z'),
        strict,
      });
      admission?.leave(7);
      const results = value.inputs.map((parts) =>
        verdict(parts.map((part) => (part.type === 'text' ? part.text : part.url)).join()),
      );
      const failure = results.find((each) => each instanceof Error);
      if (failure !== undefined) throw failure;
      const reply = { id: '', model: '', results: results as ModerationResult[], consumption: {} };
      inner.writeReply(reply, value, { nowMs: 0, newId: (prefix) => prefix });
      return new Response();
    },
  };
  const warn = (message: string) => void warnings.push(message);
  const gateWith = (ofModels: ReadonlyMap<string, ModerationTerms> = new Map()) =>
    createGate({ operator, ofModels, nowMs: () => 0, warn });
  return { asked, warnings, gateWith };
}

function callOf(content: unknown, moderation?: ModerationTerms): ModeratedCall {
  const tree = { model: 'm', messages: [{ role: 'user', content }] };
  return {
    requestId: 'req_1',
    format: openaiChat,
    caller: callerWith(moderation),
    body: { bytes: new Uint8Array(), tree, fields: undefined },
    hasLeft: () => false,
  };
}

const replyOf = (text: string): TextReply => ({
  id: '',
  model: '',
  createdAtMs: 0,
  candidates: [{ parts: [{ type: 'text', text }], finish: { reason: 'stop' } }],
  usage: unknownUsage,
});

async function refusalOf(verdict: (input: string) => Verdict, content: unknown = 'hello') {
  const judge = judgedBy(verdict);
  const call = callOf(content, { before: true, model: 'judge' });
  const gate = judge.gateWith().openFor(call.caller, 'm');
  const error = await gate?.checkRequest(call).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { ...judge, error: error instanceof GatewayError ? error : undefined };
}

describe('demands', () => {
  const { gateWith, asked } = judgedBy(() => result());
  const ofModels = new Map([['alias', { after: true }]]);

  test('none, of the token, of the model, of both', () => {
    expect(gateWith(ofModels).openFor(callerWith(), 'm')).toBeUndefined();
    expect(gateWith().openFor(callerWith(), 'alias')).toBeUndefined();
    expect(gateWith(ofModels).openFor(callerWith(), 'alias')?.checksReplies).toBe(true);
    expect(gateWith(ofModels).openFor(callerWith({ before: true }), 'm')?.checksReplies).toBe(false);
    expect(gateWith(ofModels).openFor(callerWith({ before: true }), 'alias')?.checksReplies).toBe(true);
  });

  test('they add up, and the token names the moderation model', async () => {
    const gate = gateWith(ofModels).openFor(callerWith({ before: true, model: 'judge' }), 'alias');
    await gate?.checkRequest(callOf('hello'));
    expect(asked.map(({ id, model }) => [id, model])).toEqual([['req_1.request', 'judge']]);
  });

  test('a request is not checked where only its reply is to be', async () => {
    asked.length = 0;
    await gateWith(ofModels).openFor(callerWith(), 'alias')?.checkRequest(callOf('hello'));
    expect(asked).toEqual([]);
  });
});

describe('questions', () => {
  test('are asked for the operator: any model, no strictness; without content there is no request', async () => {
    const { asked, error } = await refusalOf(() => result());
    const inputs = [[{ type: 'text', text: 'hello' }]] as const;
    expect(asked).toEqual([{ id: 'req_1.request', inputs, model: 'judge', mayUseAny: true, strict: false }]);
    expect(error).toBeUndefined();
    expect((await refusalOf(() => result(), '')).asked).toEqual([]);
  });

  test('long texts in several, and each image in one of its own', async () => {
    const image = { type: 'image_url', image_url: { url: 'https://h/a.png' } };
    const long = { type: 'text', text: 'word '.repeat(60_000) };
    const { asked } = await refusalOf(() => result(), [long, image, image]);
    expect(asked.map(({ id, inputs }) => [id, inputs.length])).toEqual([
      ['req_1.request', 32],
      ['req_1.request-2', 8],
      ['req_1.request-3', 1],
      ['req_1.request-4', 1],
    ]);
  });

  test('are limited in number', async () => {
    const images = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ type: 'image_url', image_url: { url: `https://h/${index}` } }));
    expect((await refusalOf(() => result(), images(64))).asked.length).toBe(64);
    const { asked, error } = await refusalOf(() => result(), images(65));
    expect([asked.length, error?.code, error?.message]).toEqual([
      0,
      'content_refused',
      expect.stringContaining('64 moderation requests'),
    ]);
  });

  test('what they used counts with the request itself', async () => {
    const { gateWith } = judgedBy(() => result());
    const gate = gateWith().openFor(callerWith({ before: true }), 'm');
    const left: (number | undefined)[] = [];
    const admission = gate?.admission({
      ...openAdmission,
      headers: { a: 'b' },
      leave: (tokens) => void left.push(tokens),
    });
    await gate?.checkRequest(callOf('hello'));
    admission?.leave(100);
    admission?.leave();
    expect([admission?.headers, left]).toEqual([{ a: 'b' }, [107, undefined]]);
  });
});

describe('verdicts', () => {
  test('name every category once', async () => {
    const image = { type: 'image_url', image_url: { url: 'https://h/a.png' } };
    const { error } = await refusalOf(() => result('hate', 'violence'), [{ type: 'text', text: 'a' }, image]);
    expect([error?.code, error?.status, error?.message]).toEqual([
      'content_refused',
      400,
      'Moderation refused the request: hate, violence.',
    ]);
    expect(error?.details).toEqual({ moderated: 'request', categories: ['hate', 'violence'] });
  });

  test("a model's own categories, or none at all", async () => {
    const native = { categories: { spam: true, ham: false } };
    expect((await refusalOf(() => ({ ...result(), flagged: true, native }))).error?.message).toEndWith(
      'request: spam.',
    );
    expect((await refusalOf(() => ({ ...result(), flagged: true }))).error?.message).toBe(
      'Moderation refused the request.',
    );
  });

  test('an image that was not looked at', async () => {
    const image = [{ type: 'image_url', image_url: { url: 'https://h/a.png' } }];
    const unseen = { ...result(), appliedTo: { violence: [] } };
    expect((await refusalOf(() => unseen, image)).error?.message).toContain('it holds an image');
    expect((await refusalOf(() => unseen, 'words')).error).toBeUndefined();
    const seen = { ...result(), appliedTo: { violence: ['image'] } } as const;
    expect((await refusalOf(() => seen, image)).error).toBeUndefined();
    expect((await refusalOf(() => result(), image)).error).toBeUndefined();
    const blind = new GatewayError('operation_unsupported', 'texts only', { param: 'input' });
    expect((await refusalOf(() => blind, image)).error?.code).toBe('content_refused');
  });

  test('one that is flagged says more than one that failed', async () => {
    const image = { type: 'image_url', image_url: { url: 'https://h/a.png' } };
    const verdict = (input: string): Verdict => (input.includes('h/a') ? result('violence') : new Error('away'));
    expect((await refusalOf(verdict, [{ type: 'text', text: 'a' }, image])).error?.code).toBe('content_refused');
  });
});

describe('a moderation model that fails', () => {
  const codeOf = async (code: ErrorCode) => (await refusalOf(() => new GatewayError(code, 'why'))).error?.code;

  test('lets nothing pass', async () => {
    const away: ErrorCode[] = [
      'provider_unavailable',
      'upstream_failed',
      'upstream_refused',
      'upstream_rate_limited',
      'model_not_found',
      'field_missing',
    ];
    for (const code of away) expect([code, await codeOf(code)]).toEqual([code, 'moderation_unavailable']);
    const { error, warnings } = await refusalOf(() => new TypeError('bug'));
    expect([error?.code, error?.status, error?.message.includes('bug')]).toEqual([
      'moderation_unavailable',
      503,
      false,
    ]);
    expect(warnings.length).toBe(1);
  });

  test('before: what the caller can act upon keeps its code', async () => {
    for (const code of ['budget_spent', 'price_unknown', 'store_unavailable', 'client_left'] as const)
      expect(await codeOf(code)).toBe(code);
  });

  test('after: no error asks for a retry of what is paid for, and nothing is thrown', async () => {
    const after = async (code: ErrorCode) => {
      const { gateWith } = judgedBy(() => new GatewayError(code, 'why'));
      const gate = gateWith().openFor(callerWith({ after: true }), 'm');
      return (await gate?.checkReply(callOf('hello'), () => replyOf('hi')))?.code;
    };
    for (const code of ['budget_spent', 'store_unavailable', 'shutting_down'] as const)
      expect(await after(code)).toBe('moderation_unavailable');
    expect(await after('client_left')).toBe('client_left');
    const gate = judgedBy(() => result())
      .gateWith()
      .openFor(callerWith({ after: true }), 'm');
    const unread = await gate?.checkReply(callOf('hello'), () => {
      throw new SyntaxError('no reply');
    });
    expect(unread?.code).toBe('moderation_unavailable');
    expect(await gate?.checkReply(callOf('hello'), () => replyOf('hi'))).toBeUndefined();
  });
});
