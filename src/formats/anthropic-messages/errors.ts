/** The messages format's error envelope: the same object inside `{"type":"error"}`, in that format's own words. */

import type { ErrorType } from '../../conversation/error-table.ts';
import type { GatewayError } from '../../conversation/gateway-error.ts';
import type { ErrorReader } from '../format.ts';

const typeNames: Partial<Record<ErrorType, string>> = {
  insufficient_quota: 'billing_error',
  upstream_error: 'api_error',
  server_error: 'api_error',
};

export function errorBody(error: GatewayError, reader: ErrorReader): string {
  return JSON.stringify({
    type: 'error',
    error: {
      type: error.providerType ?? typeNames[error.row.type] ?? error.row.type,
      message: error.message,
      param: error.param,
      code: error.providerCode ?? error.code,
    },
    request_id: reader.requestId,
  });
}
