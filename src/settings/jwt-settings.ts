/** The shape of the issuers whose JSON Web Tokens are credentials on the API, as the file lists them. */

/** Signatures by public keys only: with a shared secret, everyone who can verify a token could also make one. */
export const signatureAlgorithms: readonly string[] = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** A budget that a rule gives each subject. */
export interface JwtBudget {
  readonly unit: 'usd' | 'requests' | 'tokens';
  /** Nano-USD, or a number of requests or tokens; or the claim that has the limit. */
  readonly limit: bigint | { readonly claim: string };
  readonly period: 'total' | 'day' | 'week' | 'month';
  readonly models?: readonly string[] | undefined;
}

/** What a JWT with these claims may do. */
export interface JwtRule {
  /** Claims and the patterns of which one must match; all of these claims must. Empty: every JWT of the issuer. */
  readonly match: Readonly<Record<string, readonly string[]>>;
  /** A team by its name or id, or the claim that names it. */
  readonly team?: string | { readonly claim: string } | undefined;
  /** A project of that team. */
  readonly project?: string | undefined;
  /** Patterns, or the claim that lists them. */
  readonly models?: readonly string[] | { readonly claim: string } | undefined;
  readonly endpoints?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly budgets?: readonly JwtBudget[] | undefined;
  readonly rpm?: number | undefined;
  readonly tpm?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly labels?: readonly string[] | undefined;
}

/** An issuer whose JWTs are accepted in the place of a token. */
export interface JwtIssuerConfig {
  readonly name: string;
  /** As `iss` has it. */
  readonly issuer: string;
  /** Where its keys are; absent: its metadata says so. */
  readonly jwksUrl: string | undefined;
  /** One of these must be in `aud`. */
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  /** Which claim says who calls. */
  readonly subjectClaim: string;
  /** The first that matches counts. */
  readonly rules: readonly JwtRule[];
  readonly maxLifetimeS: number;
  readonly clockSkewS: number;
  /** How many subjects may be known. */
  readonly subjectsMax: number;
}
