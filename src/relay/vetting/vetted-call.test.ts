/** Where targets know different fields, each judges the body by its own: what one knows may name a model at another. */

import { expect, test } from 'bun:test';
import type { Caller } from '../../access/caller.ts';
import { openaiChat } from '../../formats/openai-chat/format.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { ConversationCall } from '../admission/call.ts';
import type { OperationBody } from '../operations/operation-body.ts';
import type { VettingParts } from './vet-body.ts';
import { callsByTarget } from './vetted-call.ts';
import { vetOperation } from './vetted-operation.ts';

const expensive = 'expensive-one';
const levels = [{ terms: { models: ['cheap-one'] } }];
const caller = { levels, terms: {}, mayUseModel: (name: string) => name === 'cheap-one' } as unknown as Caller;

const at = (name: string, routes?: object): Target =>
  ({ model: 'cheap-one', provider: { name, routes, quirks: {}, free: false } }) as unknown as Target;
const router = at('router', { tags: 'plain', trace: 'opaque' });
const server = at('server');

const parts = {
  catalogue: { knows: (name: string) => name === expensive, find: () => undefined },
  knowsModel: () => false,
  priceOf: () => undefined,
} as unknown as VettingParts;

function callsFor(body: object) {
  const call = { caller, format: openaiChat, body: { tree: { model: 'cheap-one', ...body } } };
  const ofTarget = callsByTarget(parts, caller);
  if (ofTarget === undefined) throw new Error('nothing limits the caller');
  return (target: Target) => ofTarget.call(call as unknown as ConversationCall, target);
}

const bodies = [{ tags: [expensive] }, { trace: { model: expensive } }];

test.each(bodies)('%j after a router that knows the field', (body) => {
  const ofTarget = callsFor(body);
  expect(() => ofTarget(router)).not.toThrow();
  expect(() => ofTarget(server)).toThrow('may not use the model');
});

test.each(bodies)('%j as an operation of both, in either order', (given) => {
  const body = { kind: 'json', json: { tree: { model: 'cheap-one', ...given } } } as unknown as OperationBody;
  const vet = (targets: readonly Target[]) => vetOperation(parts, { caller }, body, targets);
  expect(vet([router])).toBeUndefined();
  for (const targets of [
    [router, server],
    [server, router],
  ])
    expect(() => vet(targets)).toThrow('may not use the model');
});
