/** Reads a person from the claims of an issuer: who it is, in which groups, and whether the issuer's rules admit them. */

import type { IssuerConfig } from '../../settings/sign-in-settings.ts';
import { accountBounds } from '../contracts/account-contract.ts';
import { SignInRefusal } from './refusal.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** A person as an issuer vouches for them. */
export interface Person {
  /** The issuer's identifier, as its tokens have it. */
  readonly issuer: string;
  readonly subject: string;
  /** For the account. */
  readonly name: string;
  /** An address that the issuer has verified. */
  readonly email?: string;
  /** False where the name is an e-mail address that the issuer does not vouch for. */
  readonly isNameSure: boolean;
  readonly groups: readonly string[];
}

/** Enough for the largest directories; what is beyond is ignored, and a rule then does not match. */
const groupsMax = 2_000;
const subjectShape = /^[^\p{Cc}\p{Cs}]{1,255}$/u;
export const isSubject = (value: unknown): value is string => typeof value === 'string' && subjectShape.test(value);

/** By its whole name first: claims are also named by URLs and hosts (`kubernetes.io`), which have dots. */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const head = path.slice(0, dot);
    const value: unknown = Object.hasOwn(claims, head) ? claims[head] : undefined;
    if (typeof value !== 'object' || value === null) continue;
    const found = claimAt(value as Claims, path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A list of texts, or one text. */
export function groupsIn(claims: Claims, path: string): readonly string[] {
  const found = claimAt(claims, path);
  const list: readonly unknown[] = Array.isArray(found) ? found : [found];
  return list.filter((group): group is string => typeof group === 'string' && group !== '').slice(0, groupsMax);
}

export function personIn(claims: Claims, config: IssuerConfig): Person {
  const { iss, sub } = claims;
  if (typeof iss !== 'string' || !isSubject(sub)) throw new SignInRefusal('token_invalid', 'sub');
  const groups = groupsIn(claims, config.groupsClaim);
  requireDomain(claims, config);
  const { allowedGroups } = config;
  if (allowedGroups !== undefined && !allowedGroups.some((group) => groups.includes(group))) {
    throw new SignInRefusal('group_missing');
  }
  const claim = config.nameClaims.find((each) => nameOf(claimAt(claims, each)) !== '');
  if (claim === undefined) throw new SignInRefusal('name_missing');
  const isVerified = isEmailVerified(claims, config);
  const isNameSure = claim !== 'email' || isVerified;
  const { email } = claims;
  const sure = typeof email === 'string' && isVerified && { email: email.slice(0, 320) };
  return { issuer: iss, subject: sub, name: nameOf(claimAt(claims, claim)), ...sure, isNameSure, groups };
}

function requireDomain(claims: Claims, config: IssuerConfig): void {
  const { allowedDomains } = config;
  if (allowedDomains === undefined) return;
  const { email } = claims;
  const domain = typeof email === 'string' ? email.slice(email.lastIndexOf('@') + 1).toLowerCase() : '';
  if (!isEmailVerified(claims, config) || !allowedDomains.includes(domain)) {
    throw new SignInRefusal('domain_not_allowed');
  }
}

/** Issuers spell it as a boolean, a text or a number. */
const isTrue = (claim: unknown): boolean => [true, 'true', 1, '1'].includes(claim as never);

/**
 * At many issuers a person chooses the address, so that it says nothing before it is verified. `xms_edov` is Entra's claim
 * for an address whose domain belongs to the tenant.
 */
function isEmailVerified(claims: Claims, { trustUnverifiedEmail }: IssuerConfig): boolean {
  const { email_verified: verified, xms_edov: ownDomain } = claims;
  if (isTrue(verified) || isTrue(ownDomain)) return true;
  return trustUnverifiedEmail && verified === undefined && ownDomain === undefined;
}

const aboutEmail = ['email', 'email_verified', 'xms_edov'] as const;

/** What the signed token says counts. What is said of an address comes from where the address does. */
export function withInfo(claims: Claims, info: Claims): Claims {
  const merged: Record<string, unknown> = { ...info, ...claims };
  const source = claims['email'] === undefined || isSameEmail(claims, info) ? info : claims;
  for (const name of aboutEmail) {
    delete merged[name];
    if (source[name] !== undefined) merged[name] = source[name];
  }
  return merged;
}

/** The token leaves open whether the address is verified, and the other source speaks of the same one. */
const isSameEmail = (claims: Claims, info: Claims): boolean =>
  claims['email_verified'] === undefined && claims['xms_edov'] === undefined && claims['email'] === info['email'];

const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

function nameOf(value: unknown): string {
  if (typeof value !== 'string') return '';
  return [...value.replaceAll(unprintable, '').trim()].slice(0, accountBounds.nameLengthMax).join('');
}
