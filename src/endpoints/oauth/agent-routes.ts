/**
 * Claude Code, the protocol of its gateway (as `claude gateway` serves it at GET /protocol, version 2.1.197, read
 * 2026-11-17): managed settings, spend for a status line, and a sink for the telemetry that the program sends to its gateway.
 */

import type { DeviceSignIns } from '../../admin/device/signed-in-programs.ts';
import { errorBody as messagesError } from '../../formats/anthropic-messages/errors.ts';
import { readBody } from '../../http/read-body.ts';
import type { Route } from '../../http/route-table.ts';
import type { AdminParts } from '../admin/admin-route.ts';
import { type Admit, type EntryRule, withEntry } from '../admit.ts';
import { errorReply } from '../error-reply.ts';

interface AgentParts extends Pick<AdminParts, 'report' | 'deadlines' | 'bodyTimeoutMs'> {
  readonly admin: { readonly devices: Pick<DeviceSignIns, 'managedSettings' | 'spendOf'> };
}

const rule: EntryRule = { endpoint: 'models', carriers: ['bearer', 'x-api-key'], counted: 'reads' };
/** Telemetry is discarded, so that its size only has to be bounded. */
const telemetryBytesMax = 4 * 1_024 * 1_024;
const signals = ['metrics', 'logs', 'traces'] as const;

export function agentRoutes(admit: Admit, parts: AgentParts): readonly Route[] {
  const writeError: Route['writeError'] = (error, exchange) =>
    errorReply(error, { errorBody: messagesError }, exchange, parts.report);
  return [
    {
      method: 'GET',
      path: '/managed/settings',
      unrecorded: true,
      writeError,
      handle: (exchange) =>
        withEntry(admit(exchange, rule, exchange.requestId), () =>
          settingsReply(parts.admin.devices.managedSettings(), exchange.request.headers.get('if-none-match')),
        ),
    },
    {
      method: 'GET',
      path: '/managed/spend',
      unrecorded: true,
      writeError,
      handle: (exchange) =>
        withEntry(admit(exchange, rule, exchange.requestId), async ({ tokenId }) => {
          const spend = await parts.admin.devices.spendOf(tokenId);
          return spend === undefined ? new Response(null, { status: 404 }) : Response.json(spend);
        }),
    },
    ...signals.map(
      (signal): Route => ({
        method: 'POST',
        path: `/v1/${signal}`,
        unrecorded: true,
        writeError,
        handle: (exchange) =>
          withEntry(admit(exchange, rule, exchange.requestId), async () => {
            const { deadlines, bodyTimeoutMs: timeoutMs } = parts;
            await readBody(exchange.request, { bytesMax: telemetryBytesMax, timeoutMs, deadlines });
            return acceptedReply(exchange.request.headers.get('content-type'));
          }),
      }),
    ),
  ];
}

/** 404 means that there is no policy; an empty object would be an empty policy. */
function settingsReply(given: string | undefined, known: string | null): Response {
  if (given === undefined) {
    return new Response('No managed settings.', {
      status: 404,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    });
  }
  const settings = JSON.parse(given) as object;
  // The program computes it from the settings that it keeps: of the compact text, with its keys in order.
  const checksum = `sha256:${new Bun.CryptoHasher('sha256').update(JSON.stringify(inOrder(settings))).digest('hex')}`;
  const headers = { etag: `"${checksum}"`, 'cache-control': 'private, no-cache' };
  if (known === headers.etag) return new Response(null, { status: 304, headers });
  // The program refuses the bare object: it expects the settings in this envelope.
  return Response.json({ uuid: checksum.slice(-32), checksum, settings }, { headers });
}

function inOrder(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.map(inOrder);
  if (typeof tree !== 'object' || tree === null) return tree;
  const sorted = Object.entries(tree).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, value]) => [key, inOrder(value)]));
}

/** OTLP over HTTP answers in the encoding of the request; an empty message is 0 bytes in protobuf. */
function acceptedReply(type: string | null): Response {
  if (type?.includes('json') === true) return Response.json({});
  return new Response(new Uint8Array(), { headers: { 'content-type': 'application/x-protobuf' } });
}
