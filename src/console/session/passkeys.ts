/** Passkeys of the browser: JSON of the admin interface in, JSON out. */

import type {
  MadeCredential,
  PasskeyCreationView,
  PasskeyRequestView,
  ShownCredential,
} from '../../admin/contracts/factor-contract.ts';

/** Browsers refuse passkeys without HTTPS, localhost aside, and for an IP address. */
export function hasPasskeys(): boolean {
  const isAddress = /^[\d.]+$|^\[/.test(location.hostname);
  return isSecureContext && 'PublicKeyCredential' in window && !isAddress;
}

/** The browser stopped it, or the person did. */
export class PasskeyStopped extends Error {
  override readonly name = 'PasskeyStopped';
}

export async function makePasskey({
  challenge,
  user,
  excludeCredentials,
  ...rest
}: PasskeyCreationView): Promise<MadeCredential> {
  const publicKey: PublicKeyCredentialCreationOptions = {
    ...rest,
    pubKeyCredParams: [...rest.pubKeyCredParams],
    challenge: bytesOf(challenge),
    user: { ...user, id: bytesOf(user.id) },
    excludeCredentials: excludeCredentials.map(descriptor),
  };
  const made = await started(navigator.credentials.create({ publicKey }));
  const response = made.response as AuthenticatorAttestationResponse;
  return {
    id: made.id,
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      attestationObject: textOf(response.attestationObject),
    },
  };
}

export async function showPasskey({
  challenge,
  allowCredentials,
  ...rest
}: PasskeyRequestView): Promise<ShownCredential> {
  const publicKey: PublicKeyCredentialRequestOptions = {
    ...rest,
    challenge: bytesOf(challenge),
    allowCredentials: allowCredentials.map(descriptor),
  };
  const shown = await started(navigator.credentials.get({ publicKey }));
  const response = shown.response as AuthenticatorAssertionResponse;
  return {
    id: shown.id,
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      authenticatorData: textOf(response.authenticatorData),
      signature: textOf(response.signature),
      ...(response.userHandle !== null && { userHandle: textOf(response.userHandle) }),
    },
  };
}

async function started(asked: Promise<Credential | null>): Promise<PublicKeyCredential> {
  const given = await asked.catch((cause: unknown) => {
    throw new PasskeyStopped(cause instanceof Error ? cause.message : '', { cause });
  });
  if (given === null) throw new PasskeyStopped('');
  return given as PublicKeyCredential;
}

const descriptor = ({
  type,
  id,
}: {
  readonly type: 'public-key';
  readonly id: string;
}): PublicKeyCredentialDescriptor => ({
  type,
  id: bytesOf(id),
});

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}

function textOf(buffer: ArrayBuffer): string {
  const plain = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join('');
  return btoa(plain).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
