/** The answers about revoked JSON Web Tokens. */

export interface JwtRevocationsView {
  /** Those that did not expire yet, newest first. A revoked subject is a disabled token and is not among them. */
  readonly items: readonly {
    readonly issuer: string;
    readonly jti: string;
    readonly createdAt: string;
    readonly expiresAt: string;
  }[];
}

export interface JwtRevokedView {
  readonly issuer: string;
  readonly jti?: string;
  readonly subject?: string;
  /** The token of the subject, which is disabled. */
  readonly tokenId?: string;
}
