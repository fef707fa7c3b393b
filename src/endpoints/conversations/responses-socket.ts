/**
 * `GET /v1/responses` as a WebSocket: each message that requests a reply is its own request, routed and billed
 * separately.
 */

import { credentialSubprotocol } from '../../access/credential.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { openaiResponses } from '../../formats/openai-responses/format.ts';
import { requestHeaders } from '../../formats/openai-responses/stream/socket-frames.ts';
import type { RequestHeaders } from '../../http/request-headers.ts';
import type { Route } from '../../http/route-table.ts';
import type { MemoryBudget } from '../../relay/memory/connection-memory.ts';
import { type EntryHead, type EntryRule, nameCaller, withEntry } from '../admit.ts';
import { errorReply } from '../error-reply.ts';
import { responses } from './responses.ts';
import { ResponsesSession, type SessionParts, socketCarriers } from './responses-session.ts';

export interface SocketParts extends Omit<SessionParts, 'budget'> {
  readonly socketMemory: MemoryBudget;
}

/** Opening a connection is cheap; each request on it counts as one. */
const rule: EntryRule = { endpoint: responses.name, carriers: socketCarriers, counted: 'reads' };

export function responsesSocketRoute(parts: SocketParts): Route {
  return {
    method: 'GET',
    path: responses.path,
    writeError: (error, exchange) => errorReply(error, openaiResponses, exchange, parts.report),
    async handle(exchange) {
      await withEntry(parts.admit(exchange, rule, exchange.requestId), () => undefined);
      const message = `GET ${responses.path} is a WebSocket; send a POST, or ask for an upgrade.`;
      throw new GatewayError('upgrade_required', message, { headers: { upgrade: 'websocket' } });
    },
    async upgrade(exchange) {
      // The runtime releases the request after the handshake; values that are needed later are copied now.
      const headers = requestHeaders(exchange.request.headers);
      const address = exchange.address();
      const head: EntryHead & { readonly request: { readonly headers: RequestHeaders } } = {
        request: { headers },
        query: exchange.query,
        address: () => address,
      };
      const admitting = async () => withEntry(parts.admit(head, rule, exchange.requestId), (known) => known);
      const caller = await admitting().finally(() => nameCaller(exchange, head));
      const opening = { caller, openedAtMs: exchange.startedAtMs };
      const handler = new ResponsesSession({ ...parts, budget: parts.socketMemory }, head, opening);
      return { handler, protocol: answeredProtocol(headers) };
    },
  };
}

/** The first offered sub-protocol that does not carry a credential. */
export function answeredProtocol(headers: RequestHeaders): string {
  const offered = (headers.get('sec-websocket-protocol') ?? '').split(',').map((name) => name.trim());
  return offered.find((name) => name !== '' && !name.startsWith(credentialSubprotocol)) ?? '';
}
