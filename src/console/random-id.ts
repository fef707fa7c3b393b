/** A fresh id. Not `randomUUID`, which browsers have only on pages that came over TLS or from this machine. */
export function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
