/** The certificates that a TLS connection trusts if the operator adds some. */

/**
 * Given certificates replace the root certificates instead of extending them, so both are given. Loaded when they are
 * needed: building the list would lengthen every start.
 */
export function withRootCertificates(ca: string): string[] {
  return [...process.getBuiltinModule('node:tls').rootCertificates, ca];
}
