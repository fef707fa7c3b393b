/** The secrets of a sign-in: device code, user code and refresh token. Only their digests are stored. */

import { randomText } from '../accounts/sessions.ts';
import { userCodeLength, userCodeLetters } from '../contracts/device-contract.ts';

/** 20 letters: values from 240 on are drawn again, so that every letter is equally likely. */
const drawnMax = Math.floor(256 / userCodeLetters.length) * userCodeLetters.length;

export function newUserCode(): string {
  let code = '';
  while (code.length < userCodeLength) {
    for (const value of crypto.getRandomValues(new Uint8Array(userCodeLength))) {
      if (value < drawnMax && code.length < userCodeLength) code += userCodeLetters[value % userCodeLetters.length];
    }
  }
  return code;
}

export const newDeviceCode = (): string => `weir_dc_${randomText()}`;

/** All refresh tokens of a sign-in share `family`: an older one still names the sign-in that it belonged to. */
export interface RefreshSecret {
  readonly family: string;
  readonly secret: string;
}

const refreshShape = /^weir_rt_([\w-]{43})\.([\w-]{43})$/;

export const newRefreshSecret = (family = randomText()): RefreshSecret => ({ family, secret: randomText() });
export const refreshToken = ({ family, secret }: RefreshSecret): string => `weir_rt_${family}.${secret}`;

export function readRefreshToken(text: string): RefreshSecret | undefined {
  const [, family, secret] = refreshShape.exec(text) ?? [];
  return family === undefined || secret === undefined ? undefined : { family, secret };
}
