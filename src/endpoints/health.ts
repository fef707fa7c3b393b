/** `/healthz`, `/readyz` and `/metrics`, for supervisors and monitoring. */

import { openaiChat } from '../formats/openai-chat/format.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Route } from '../http/route-table.ts';
import type { Metrics } from '../observe/metrics.ts';
import { type Admit, type EntryRule, withEntry } from './admit.ts';
import { errorReply, type Report } from './error-reply.ts';

const metricsRule: EntryRule = { endpoint: 'metrics', carriers: ['bearer'], counted: 'reads' };

export interface HealthParts {
  readonly admit: Admit;
  readonly report: Report;
  readonly metrics: Pick<Metrics, 'text'>;
  /** Whether `/metrics` needs no token: on the machine itself, without a proxy before it. */
  metricsOpen(exchange: Exchange): boolean;
  /** Why the configuration file is not in effect; who asks learns only that it is so. */
  configurationFault(): string | undefined;
  /** Why this Weir should get no requests now; undefined when it should. */
  notReady(): Promise<string | undefined>;
  /** What is wrong while it serves all the same; who asks learns only its kind. */
  conditions(): readonly { readonly kind: string }[];
}

export function healthRoutes(parts: HealthParts): readonly Route[] {
  const writeError: Route['writeError'] = (error, exchange) => errorReply(error, openaiChat, exchange, parts.report);
  return [
    {
      method: 'GET',
      path: '/healthz',
      whileDraining: true,
      unrecorded: true,
      writeError,
      handle: () =>
        Response.json({ status: 'ok', ...(parts.configurationFault() !== undefined && { configuration: 'rejected' }) }),
    },
    {
      method: 'GET',
      path: '/readyz',
      whileDraining: true,
      unrecorded: true,
      writeError,
      async handle() {
        const reason = await parts.notReady();
        if (reason === undefined) {
          const faults = parts.conditions().map(({ kind }) => kind);
          return Response.json({ status: 'ready', ...(faults.length > 0 && { faults }) });
        }
        return Response.json({ status: 'not ready', reason }, { status: 503 });
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      whileDraining: true,
      unrecorded: true,
      writeError,
      async handle(exchange) {
        // The metrics name models and providers: open on the machine itself, with a token elsewhere.
        if (!parts.metricsOpen(exchange))
          await withEntry(parts.admit(exchange, metricsRule, exchange.requestId), () => undefined);
        return new Response(await parts.metrics.text(), {
          headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
        });
      },
    },
  ];
}
