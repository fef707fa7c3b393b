/** Live conversations over a WebSocket, and the short-lived credentials by which a browser opens one. */

import type { Caller } from '../access/caller.ts';
import { type Carrier, readCredential } from '../access/credential.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import type { Tree } from '../conversation/json-tree.ts';
import { openaiChat } from '../formats/openai-chat/format.ts';
import {
  betaReply,
  type MadeSecret,
  readBetaRequest,
  readSecretRequest,
  type SecretRequest,
  secretReply,
} from '../formats/openai-realtime/client-secret.ts';
import { liveProtocol, passedHeaders, readLiveQuery } from '../formats/openai-realtime/handshake.ts';
import type { JsonBody } from '../http/json/json-body.ts';
import { requireJson } from '../http/read-body.ts';
import type { RequestHeaders } from '../http/request-headers.ts';
import type { Route } from '../http/route-table.ts';
import { clientSecretPrefix, sessionBytesMax } from '../realtime/client-secrets.ts';
import type { AdmittedLive, Live } from '../realtime/live.ts';
import { liveEndpoint } from '../realtime/live-parts.ts';
import { type EntryHead, type EntryRule, nameCaller, withEntry } from './admit.ts';
import { answeredProtocol } from './conversations/responses-socket.ts';
import type { TextParts } from './conversations/text-endpoint.ts';
import { errorReply } from './error-reply.ts';

export interface RealtimeParts extends TextParts {
  readonly live: Live;
}

const carriers: readonly Carrier[] = ['bearer', 'api-key', 'subprotocol'];
const path = '/v1/realtime';
/** The handshake counts as a read; the conversation and each response count as requests when they begin. */
const openRule: EntryRule = { endpoint: liveEndpoint, carriers, counted: 'reads' };
const againRule: EntryRule = { ...openRule, counted: 'elsewhere' };
const secretRule: EntryRule = { endpoint: liveEndpoint, carriers: ['bearer', 'api-key'], counted: 'requests' };

export function realtimeRoutes(parts: RealtimeParts): readonly Route[] {
  return [
    liveRoute(parts),
    secretRoute(parts, `${path}/client_secrets`, readSecretRequest, secretReply),
    secretRoute(parts, `${path}/sessions`, readBetaRequest, betaReply),
  ];
}

function liveRoute(parts: RealtimeParts): Route {
  return {
    method: 'GET',
    path,
    writeError: (error, exchange) => errorReply(error, openaiChat, exchange, parts.report),
    async handle(exchange) {
      await admitLive(parts, exchange, exchange.requestId);
      const message = `GET ${path} is a WebSocket; ask for an upgrade.`;
      throw new GatewayError('upgrade_required', message, { headers: { upgrade: 'websocket' } });
    },
    async upgrade(exchange) {
      const { request, query } = exchange;
      // The runtime releases the request after the handshake; values that are needed later are copied now.
      const headers = new Headers([...request.headers]);
      const address = exchange.address();
      const head: EntryHead = { request: { headers }, query, address: () => address };
      const who = await admitLive(parts, head, exchange.requestId).finally(() => nameCaller(exchange, head));
      exchange.tokenId = who.caller.tokenId;
      const handler = await parts.live.open({
        requestId: exchange.requestId,
        startedAtMs: exchange.startedAtMs,
        who,
        ...readLiveQuery(query),
        given: headers,
        headers: passedHeaders(headers),
        leaving: request.signal,
        onAdmitted() {
          exchange.recorded = true;
        },
      });
      return { handler, protocol: protocolOf(headers) };
    },
  };
}

async function admitLive({ admit, live }: RealtimeParts, head: EntryHead, requestId: string): Promise<AdmittedLive> {
  const credential = readCredential(head.request.headers, head.query, carriers);
  if (credential.startsWith(clientSecretPrefix)) return live.admitSecret(credential, () => head.address());
  const readmit = async (): Promise<Caller> => (await admit(head, againRule, requestId)).caller;
  const caller = await withEntry(admit(head, openRule, requestId), (known) => known);
  return { caller, readmit, pinnedModel: undefined, session: undefined };
}

function protocolOf(headers: RequestHeaders): string {
  const offered = (headers.get('sec-websocket-protocol') ?? '').split(',').map((name) => name.trim());
  return offered.includes(liveProtocol) ? liveProtocol : answeredProtocol(headers);
}

/** Twice the stored size: the text may contain escapes. */
const secretBodyBytesMax = sessionBytesMax * 2;

function secretRoute(
  parts: RealtimeParts,
  at: string,
  read: (body: Tree) => SecretRequest,
  write: (made: MadeSecret) => Tree,
): Route {
  return {
    method: 'POST',
    path: at,
    writeError: (error, exchange) => errorReply(error, openaiChat, exchange, parts.report),
    handle: (exchange) =>
      withEntry(parts.admit(exchange, secretRule, exchange.requestId), async (caller) => {
        requireJson(exchange.request);
        const { request } = exchange;
        // An empty body requests the defaults.
        const mint = (body: JsonBody | undefined) => parts.live.mintSecret(caller, read(body?.tree ?? {}));
        const made = await parts.bodies.within(request, caller.tokenId, mint, secretBodyBytesMax);
        return Response.json(write(made), { headers: { 'cache-control': 'no-store' } });
      }),
  };
}
