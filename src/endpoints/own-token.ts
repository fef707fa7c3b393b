/** `GET /v1/token`, `GET /v1/usage` and `/v1/tokens`: a token asks about itself, and creates smaller tokens. */

import type { Carrier } from '../access/credential.ts';
import { errorBody as messagesError } from '../formats/anthropic-messages/errors.ts';
import { namesVersion } from '../formats/anthropic-messages/version.ts';
import { openaiChat } from '../formats/openai-chat/format.ts';
import type { Bodies } from '../http/bodies.ts';
import type { Exchange } from '../http/exchange.ts';
import { requireJson } from '../http/read-body.ts';
import type { Route } from '../http/route-table.ts';
import type { OwnTokens } from '../own-token/own-tokens.ts';
import type { OwnUsage } from '../own-token/own-usage.ts';
import { type Admit, type EntryRule, withEntry } from './admit.ts';
import { errorReply, type Report } from './error-reply.ts';

export interface OwnTokenParts {
  readonly admit: Admit;
  readonly report: Report;
  readonly bodies: Bodies;
  readonly ownTokens: OwnTokens;
  readonly ownUsage: OwnUsage;
}

export const ownTokenCarriers: readonly Carrier[] = ['bearer', 'x-api-key', 'api-key', 'x-goog-api-key'];
const shared = { endpoint: 'tokens', carriers: ownTokenCarriers, counted: 'reads' } as const;
/** What it may know of itself needs no permission. */
const readRule: EntryRule = { ...shared, always: true };
const writeRule: EntryRule = shared;

const bodyBytesMax = 65_536;
/** The answer has a secret. */
const created = { headers: { 'cache-control': 'no-store' } };

export function ownTokenRoutes(parts: OwnTokenParts): readonly Route[] {
  const writeError: Route['writeError'] = (error, exchange) =>
    errorReply(
      error,
      namesVersion(exchange.request.headers) ? { errorBody: messagesError } : openaiChat,
      exchange,
      parts.report,
    );
  const enter = (exchange: Exchange, rule: EntryRule) => parts.admit(exchange, rule, exchange.requestId);
  return [
    {
      method: 'GET',
      path: '/v1/token',
      writeError,
      handle: (exchange) =>
        withEntry(enter(exchange, readRule), async (caller) => Response.json(await parts.ownTokens.describe(caller))),
    },
    {
      method: 'GET',
      path: '/v1/usage',
      writeError,
      handle: (exchange) =>
        withEntry(enter(exchange, readRule), async (caller) =>
          Response.json(await parts.ownUsage.list(caller, new URLSearchParams(exchange.query))),
        ),
    },
    {
      method: 'GET',
      path: '/v1/usage/{id}',
      writeError,
      handle: (exchange) =>
        withEntry(enter(exchange, readRule), async (caller) =>
          Response.json(await parts.ownUsage.request(caller, exchange.params['id'] ?? '')),
        ),
    },
    {
      method: 'GET',
      path: '/v1/tokens',
      writeError,
      handle: (exchange) =>
        withEntry(enter(exchange, readRule), async (caller) =>
          Response.json({ object: 'list', data: await parts.ownTokens.list(caller) }),
        ),
    },
    {
      method: 'POST',
      path: '/v1/tokens',
      writeError,
      handle: (exchange) =>
        withEntry(enter(exchange, writeRule), (caller) => {
          requireJson(exchange.request);
          return parts.bodies.within(
            exchange.request,
            caller.tokenId,
            async (body) => Response.json(await parts.ownTokens.create(caller, body?.tree ?? {}), created),
            bodyBytesMax,
          );
        }),
    },
    {
      method: 'DELETE',
      path: '/v1/tokens/{id}',
      writeError,
      handle: (exchange) =>
        withEntry(enter(exchange, writeRule), async (caller) => {
          const id = exchange.params['id'] ?? '';
          await parts.ownTokens.revoke(caller, id);
          return Response.json({ id, object: 'token', deleted: true });
        }),
    },
  ];
}
