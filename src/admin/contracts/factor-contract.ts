/** What the console and the admin interface exchange about invitations and second factors. */

import { z } from 'zod';
import { type Role, roles } from '../../access/account.ts';
import { type TeamRole, teamRoles } from '../../access/organization.ts';
import { accountName, givenPassword, newPassword } from './account-contract.ts';

export { type TeamRole, teamRoles } from '../../access/organization.ts';

const dayMs = 24 * 60 * 60 * 1_000;

export const invitationBounds = {
  lifetimeMs: 7 * dayMs,
  lifetimeMsMin: 60 * 1_000,
  lifetimeMsMax: 30 * dayMs,
  noteLengthMax: 200,
  /** That wait to be accepted. */
  openMax: 500,
  listedMax: 500,
  /** How long an ended one stays in the list. */
  keptMs: 30 * dayMs,
} as const;

export const factorBounds = {
  /** Between the password and the second factor, and between a challenge and its answer. */
  ticketLifetimeMs: 5 * 60 * 1_000,
  triesPerTicketMax: 5,
  /** Wrong second factors of one account from everywhere in a window; beyond them a pace applies. */
  triesPerAccountMax: 20,
  recoveryCodes: 10,
  passkeysMax: 20,
  passkeyNameLengthMax: 60,
  /** Credential ids, keys and signatures are far smaller. */
  credentialTextMax: 16_384,
} as const;

/** Where an invitation leads. The code is in the fragment, so that no proxy and no server sees it in a logged URL. */
export const invitationPath = '/console/invitation';
export const invitationAddress = (origin: string, code: string): string => `${origin}${invitationPath}#${code}`;

const { lifetimeMsMin, lifetimeMsMax, noteLengthMax } = invitationBounds;
const lifetimeRule = `must be a number from ${lifetimeMsMin} to ${lifetimeMsMax}`;
const code = z.string('must be the code of the invitation').max(100, 'must be the code of the invitation');

export const newInvitationSchema = z
  .strictObject({
    role: z.enum(roles, `must be one of ${roles.join(', ')}`),
    teamId: z.string('must be the id of a team').max(100, 'must be the id of a team').optional(),
    teamRole: z.enum(teamRoles, `must be one of ${teamRoles.join(', ')}`).optional(),
    note: z
      .string('must be text')
      .trim()
      .max(noteLengthMax, `must have at most ${noteLengthMax} characters`)
      .optional(),
    expiresInMs: z.number(lifetimeRule).min(lifetimeMsMin, lifetimeRule).max(lifetimeMsMax, lifetimeRule).optional(),
  })
  .refine(({ teamId, teamRole }) => teamRole === undefined || teamId !== undefined, {
    error: 'requires teamId',
    path: ['teamRole'],
  });
export const invitationCodeSchema = z.strictObject({ code });
export const acceptInvitationSchema = z.strictObject({ code, name: accountName, password: newPassword });

export type NewInvitation = z.input<typeof newInvitationSchema>;
export type AcceptInvitation = z.input<typeof acceptInvitationSchema>;

export interface InvitationView {
  readonly id: string;
  readonly role: Role;
  readonly teamId?: string;
  readonly teamName?: string;
  readonly teamRole?: TeamRole;
  /** For administrators; the invited person does not see it. */
  readonly note?: string;
  readonly state: 'open' | 'accepted' | 'expired' | 'revoked';
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly invitedBy: string;
  /** The name of the account that it made. */
  readonly acceptedBy?: string;
}

/** The link is in this answer and nowhere else. */
export interface IssuedInvitationView {
  readonly invitation: InvitationView;
  readonly url: string;
}

/** What the invited person sees before they accept. */
export interface OfferedInvitationView {
  readonly role: Role;
  readonly teamName?: string;
  readonly teamRole?: TeamRole;
  readonly invitedBy: string;
  readonly expiresAt: string;
}

const passwordOnly = z.strictObject({ password: givenPassword });
const factorCode = z.string('must be the code').min(6, 'must be the code').max(40, 'must be the code');

export const beginFactorSchema = passwordOnly;
export const confirmTotpSchema = z.strictObject({ code: factorCode });
export const disableTotpSchema = z.strictObject({ password: givenPassword, code: factorCode });
export const removePasskeySchema = passwordOnly;
export const newRecoveryCodesSchema = passwordOnly;

const { credentialTextMax, passkeyNameLengthMax } = factorBounds;
const credentialText = z
  .string('must be base64url')
  .max(credentialTextMax, 'is too long')
  .regex(/^[A-Za-z0-9_-]*$/, {
    error: 'must be base64url',
  });
/** `toJSON()` of a browser's credential; what is not needed is ignored. */
const madeCredential = z.object({
  id: credentialText,
  response: z.object({ clientDataJSON: credentialText, attestationObject: credentialText }),
});
const shownCredential = z.object({
  id: credentialText,
  response: z.object({
    clientDataJSON: credentialText,
    authenticatorData: credentialText,
    signature: credentialText,
    userHandle: credentialText.nullish(),
  }),
});
const passkeyNameRule = `must have 1 to ${passkeyNameLengthMax} characters`;

export const newPasskeySchema = z.strictObject({
  name: z.string(passkeyNameRule).trim().min(1, passkeyNameRule).max(passkeyNameLengthMax, passkeyNameRule),
  credential: madeCredential,
});
export const passkeySignInSchema = z.strictObject({ credential: shownCredential });
export const secondFactorSchema = z
  .strictObject({
    ticket: z.string('must be the ticket of the sign-in').max(1_000, 'must be the ticket of the sign-in'),
    totp: factorCode.optional(),
    recovery: factorCode.optional(),
    passkey: shownCredential.optional(),
  })
  .refine(
    ({ totp, recovery, passkey }) => [totp, recovery, passkey].filter((given) => given !== undefined).length === 1,
    {
      error: 'send one of totp, recovery and passkey',
      path: ['totp'],
    },
  );

export type MadeCredential = z.output<typeof madeCredential>;
export type ShownCredential = z.output<typeof shownCredential>;

export const factorKinds = ['totp', 'passkey', 'recovery'] as const;
export type FactorKind = (typeof factorKinds)[number];

/** The answer to a right password of an account with a second factor; there is no session yet. */
export interface PendingSignInView {
  readonly secondFactor: readonly FactorKind[];
  readonly ticket: string;
  /** For `navigator.credentials.get`, where the account has passkeys for this host. */
  readonly passkey?: PasskeyRequestView;
}

/** `PublicKeyCredentialRequestOptionsJSON`. */
export interface PasskeyRequestView {
  readonly challenge: string;
  readonly rpId: string;
  readonly timeout: number;
  readonly userVerification: 'required' | 'preferred';
  readonly allowCredentials: readonly { readonly type: 'public-key'; readonly id: string }[];
}

/** `PublicKeyCredentialCreationOptionsJSON`. */
export interface PasskeyCreationView {
  readonly challenge: string;
  readonly rp: { readonly id: string; readonly name: string };
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly pubKeyCredParams: readonly { readonly type: 'public-key'; readonly alg: number }[];
  readonly timeout: number;
  readonly attestation: 'none';
  readonly authenticatorSelection: { readonly residentKey: 'preferred'; readonly userVerification: 'preferred' };
  readonly excludeCredentials: readonly { readonly type: 'public-key'; readonly id: string }[];
}

export interface PasskeyView {
  readonly id: string;
  readonly name: string;
  /** The host name that it works for. */
  readonly host: string;
  readonly createdAt: string;
  readonly lastUsedAt?: string;
}

/** The signed-in account's own second factors. */
export interface FactorsView {
  readonly totp?: { readonly createdAt: string };
  readonly passkeys: readonly PasskeyView[];
  readonly recoveryCodesLeft: number;
  /** The setting asks this account to have one. */
  readonly required: boolean;
}

/** Shown while an authenticator app is added, and never again. */
export interface TotpEnrollmentView {
  /** Base32, to be typed in. */
  readonly secret: string;
  readonly uri: string;
  /** The URI as a QR code: `path` is the SVG path of its dark modules, `size` its width in modules with the margin. */
  readonly qr: { readonly size: number; readonly path: string };
}

/** With the first factor of an account come its recovery codes, and only this once. */
export interface AddedFactorView {
  readonly recoveryCodes?: readonly string[];
}

export interface RecoveryCodesView {
  readonly recoveryCodes: readonly string[];
}
