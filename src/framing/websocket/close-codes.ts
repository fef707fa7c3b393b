/** The codes that may close a connection: some are only reported to the application, never sent. */

/** A close that carried no code. */
export const noCodeGiven = 1005;
/** A connection that was lost without a close frame. */
export const brokenOff = 1006;

const normal = 1000;
const internalError = 1011;
const reasonBytesMax = 123;

/** Whether a close frame may carry it. 1004, 1005, 1006 and 1015 are reserved, and unregistered codes are a fault. */
export function isSendable(code: number): boolean {
  if (!Number.isInteger(code)) return false;
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

/** The nearest code that may be sent: normal closure for no code, an error for all others. */
export function sendableCode(code: number): number {
  if (isSendable(code)) return code;
  return code === noCodeGiven ? normal : internalError;
}

/** The payload of a close frame; the reason is cut to what a control frame holds, never inside a character. */
export function closePayload(code: number, reason: string): Uint8Array {
  const payload = Buffer.alloc(2 + reasonBytesMax);
  payload.writeUInt16BE(sendableCode(code), 0);
  // `encodeInto` stops before a character that does not fit.
  const { written } = new TextEncoder().encodeInto(reason, payload.subarray(2));
  return payload.subarray(0, 2 + written);
}
