/** Every use of the secret, by the label its key is derived with; decision 0013 describes the rotation of each. */

export const purposes = {
  /** Digests of gateway tokens, those of the playground too. */
  tokenDigests: 'token-digest',
  sessionDigests: 'session-digest',
  setUpDigests: 'set-up-digest',
  invitationDigests: 'invitation-digest',
  recoveryCodeDigests: 'recovery-code-digest',
  /** Secrets of authenticator apps. */
  totpSecrets: 'totp-secret',
  /** Tickets between the two steps of a sign-in, and challenges for passkeys. */
  signInTickets: 'sign-in-ticket',
  /** What a browser holds between leaving for an issuer and coming back. */
  signInFlows: 'sign-in-flow',
  /** ID tokens of sessions, for the sign-out at their issuer. */
  sessionIssuers: 'session-issuers',
  /** Codes and refresh tokens of programs that a person signed in. */
  deviceDigests: 'device-digest',
  clientSecretDigests: 'client-secret-digest',
  clientSecretContents: 'client-secret-content',
  /** Keys of the console's providers, and other credentials in their entries. */
  consoleConfiguration: 'console-configuration',
  keptReplies: 'kept-replies',
  requestContents: 'request-contents',
  /** What replicas share for a short time: replies under an idempotency key, signatures of turns, results in the database. */
  replicaContents: 'replica-contents',
  resultAddresses: 'result-address',
  taskAddresses: 'task-address',
  taskCallbacks: 'task-callback',
  /** URLs and secrets of the channels that alerts are sent to. */
  alertChannels: 'alert-channel',
  adminKeyDigests: 'admin-key-digest',
  /** Requests with an admin key and an `Idempotency-Key`, and their replies. */
  idempotentWrites: 'idempotent-write',
} as const;

export type Purpose = (typeof purposes)[keyof typeof purposes];
