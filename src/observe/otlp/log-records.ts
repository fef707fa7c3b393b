/** Log lines and stored contents as log records: https://opentelemetry.io/docs/specs/otel/logs/data-model/ (read 2026-11-17). */

import type { TracedCall } from '../../relay/attempts/request-trace.ts';
import type { BoundedText } from '../../relay/contents/bounded-text.ts';
import type { LogLine } from '../logger.ts';
import { endpointNamesOf } from './gen-ai-attributes.ts';
import type { TraceIds } from './recent-traces.ts';
import type { LogRecord } from './records.ts';

const severities = { debug: 5, info: 9, warn: 13, error: 17, silent: 0 } as const;

export function logRecord({ atMs, level, message, fields }: LogLine, trace: TraceIds | undefined): LogRecord {
  const { requestId, ...attributes } = fields;
  return {
    atMs,
    severity: severities[level],
    severityText: level.toUpperCase(),
    body: message,
    attributes: { ...attributes, 'weir.request.id': requestId },
    trace,
  };
}

interface Contents {
  readonly request: BoundedText;
  readonly reply: BoundedText;
  readonly atMs: number;
}

/** As the client sent it and got it, in its own wire format. */
export function contentRecord(ids: TraceIds, call: TracedCall, { request, reply, atMs }: Contents): LogRecord {
  return {
    atMs,
    severity: severities.info,
    severityText: 'INFO',
    body: 'Content of a request and its reply.',
    eventName: 'weir.request.content',
    attributes: {
      'gen_ai.operation.name': endpointNamesOf(call.endpoint).operation,
      'gen_ai.request.model': call.facts.model,
      'weir.request.id': call.requestId,
      'weir.request.content': request.text,
      'weir.request.truncated': request.isCut || undefined,
      'weir.response.content': reply.text,
      'weir.response.truncated': reply.isCut || undefined,
    },
    trace: ids,
  };
}
