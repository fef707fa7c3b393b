/**
 * `GET` and `DELETE /v1/responses/{id}`, `POST /v1/responses/{id}/cancel` and `GET /v1/responses/{id}/input_items`: stored
 * replies, for the token that made them.
 */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { openaiResponses } from '../../formats/openai-responses/format.ts';
import { listParameters, writeDeleted, writeItemList } from '../../formats/openai-responses/item-list.ts';
import type { Exchange } from '../../http/exchange.ts';
import { isReply, type Reply } from '../../http/reply.ts';
import type { Route } from '../../http/route-table.ts';
import type { ReplyLookUp, ReplyQuestion } from '../../relay/memory/look-up-reply.ts';
import { type Admit, type EntryRule, withEntry } from '../admit.ts';
import { errorReply, type Report } from '../error-reply.ts';
import { responses } from './responses.ts';

export interface KeptParts {
  readonly admit: Admit;
  readonly report: Report;
  readonly lookUp: ReplyLookUp;
}

const rule: EntryRule = { endpoint: responses.name, carriers: responses.carriers, counted: 'reads' };

export function keptRoutes(parts: KeptParts): readonly Route[] {
  const writeError: Route['writeError'] = (error, exchange) =>
    errorReply(error, openaiResponses, exchange, parts.report);

  const asked = (
    exchange: Exchange,
    tail: string,
    answer: (question: ReplyQuestion) => Promise<Reply>,
  ): Promise<Reply> =>
    withEntry(parts.admit(exchange, rule, exchange.requestId), (caller) => {
      const query = knownQuery(exchange.query);
      return answer({ format: openaiResponses, caller, id: exchange.params['id'] ?? '', tail, query });
    });

  return [
    {
      method: 'GET',
      path: '/v1/responses/{id}',
      writeError,
      handle: (exchange) =>
        asked(exchange, '', async (question) => {
          if (new URLSearchParams(exchange.query).get('stream') === 'true') {
            throw new GatewayError('operation_unsupported', 'Stored replies can’t be streamed; omit `stream`.', {
              param: 'stream',
            });
          }
          const answer = await parts.lookUp.find(question);
          return isReply(answer) ? answer : Response.json(answer.reply);
        }),
    },
    {
      method: 'DELETE',
      path: '/v1/responses/{id}',
      writeError,
      handle: (exchange) =>
        asked(
          exchange,
          '',
          async (question) => (await parts.lookUp.remove(question)) ?? Response.json(writeDeleted(question.id)),
        ),
    },
    {
      method: 'POST',
      path: '/v1/responses/{id}/cancel',
      writeError,
      handle: (exchange) => asked(exchange, '/cancel', (question) => parts.lookUp.cancel(question)),
    },
    {
      method: 'GET',
      path: '/v1/responses/{id}/input_items',
      writeError,
      handle: (exchange) =>
        asked(exchange, '/input_items', async (question) => {
          const answer = await parts.lookUp.find(question);
          if (isReply(answer)) return answer;
          return Response.json(writeItemList(answer.asked, new URLSearchParams(exchange.query)));
        }),
    },
  ];
}

/** Only known parameters reach the provider; anything else in the query, such as a stray credential, is dropped. */
function knownQuery(query: string): string {
  const known = [...new URLSearchParams(query)].filter(([name]) => listParameters.includes(name));
  return new URLSearchParams(known).toString();
}
