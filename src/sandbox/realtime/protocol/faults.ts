/** Protocol errors of a client: each becomes an error event, and the session continues. */

export class ProtocolFault extends Error {
  readonly code: string;
  /** The invalid field, where there is one. */
  readonly param: string | undefined;
  constructor(code: string, message: string, param?: string) {
    super(message);
    this.name = 'ProtocolFault';
    this.code = code;
    this.param = param;
  }
}

export function missing(param: string): ProtocolFault {
  return new ProtocolFault('missing_required_parameter', `Missing required parameter: '${param}'.`, param);
}

export function unknownParameter(param: string): ProtocolFault {
  return new ProtocolFault('unknown_parameter', `Unknown parameter: '${param}'.`, param);
}

export function invalid(param: string, why: string): ProtocolFault {
  return new ProtocolFault('invalid_value', `Invalid value for '${param}': ${why}`, param);
}

const shownLengthMax = 100;

/** A client's value, shortened for a message. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;
}
