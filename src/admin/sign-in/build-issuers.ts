/** Signing in through issuers, put together: from the button to the session, and logouts. */

import type { AccountRecord } from '../../access/account.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { PurposeKeys } from '../../secrets/key-ring.ts';
import { type Purpose, purposes } from '../../secrets/purposes.ts';
import { createSealing } from '../../secrets/sealing.ts';
import type { IssuerConfig } from '../../settings/sign-in-settings.ts';
import type { Store } from '../../store/store.ts';
import type { Transport } from '../../upstream/transport.ts';
import type { Audit } from '../accounts/audit.ts';
import type { Actor, Client, OpenedSession, Sessions } from '../accounts/sessions.ts';
import { createTryLimit, networkScope } from '../accounts/try-limit.ts';
import { signInBounds } from '../contracts/account-contract.ts';
import type {
  IssuerTestView,
  SignInOptionsView,
  SignInRefusalCode,
  SignInSettingsView,
} from '../contracts/sign-in-contract.ts';
import { createFlows, type FinishedFlow, type StartedFlow } from './flow.ts';
import { createIssuerClient, type IssuerClient } from './issuer-client.ts';
import { callbackOf, issuerView, signedOutOf, testIssuer } from './issuer-views.ts';
import { createLogouts, sessionIssuerPlace } from './logout.ts';
import { createProvision, unitsReadMax } from './provision.ts';
import { refusalOf, SignInRefusal } from './refusal.ts';

export interface IssuersOptions {
  readonly store: Pick<Store, 'accounts' | 'identities' | 'organization' | 'signInTries'>;
  readonly signIn: { readonly issuers: readonly IssuerConfig[]; readonly passwords: 'all' | 'owners' };
  readonly directoryAccount: Parameters<typeof createProvision>[0]['directoryAccount'];
  readonly publicUrl: string | undefined;
  readonly sessions: Sessions;
  readonly audit: Audit;
  /** How issuers are reached: the gateway's own egress. */
  readonly issuerTransport: Transport;
  readonly keysFor: (purpose: Purpose) => PurposeKeys;
  readonly networkOf: (address: string) => string;
  readonly warn: (message: string, details: Readonly<Record<string, unknown>>) => void;
  readonly nowMs: () => number;
}

interface Arrival {
  /** As the issuer's redirect has them. */
  readonly parameters: URLSearchParams;
  /** The cookie of a state. */
  readonly sealedOf: (state: string) => string | undefined;
  readonly client: Client;
}

type Finish =
  | { readonly opened: OpenedSession; readonly to: string }
  | { readonly refusal: SignInRefusalCode; readonly to: string | undefined };

/** `base` is the URL of this Weir as the browser sees it. */
export interface Issuers {
  options(): SignInOptionsView;
  start(name: string, base: string, to: string): Promise<StartedFlow | { refusal: SignInRefusalCode }>;
  finish(name: string, arrival: Arrival): Promise<Finish>;
  /** Where the browser ends the session at its issuer; undefined where there is nothing to end. */
  logoutUrl(sessionId: string, base: string): Promise<string | undefined>;
  /** Throws a `SignInRefusal`; returns how many sessions ended. */
  backChannelLogout(name: string, token: string, client: Client): Promise<number>;
  settings(base: string): Promise<SignInSettingsView>;
  test(actor: Actor, name: string): Promise<IssuerTestView>;
  tidy(): Promise<void>;
}

const linkWarning =
  'link_accounts is on: who can choose the name of an account at the issuer takes that account over, an admin’s too.';

export function createIssuers(options: IssuersOptions): Issuers {
  const { store, signIn, sessions, audit, keysFor, nowMs } = options;
  const { identities, organization } = store;
  for (const { name, linkAccounts, nameClaims } of signIn.issuers) {
    if (linkAccounts) options.warn(linkWarning, { issuer: name, claims: nameClaims.join(', ') });
  }
  const clients = new Map<string, Promise<IssuerClient>>();
  const terms = { transport: options.issuerTransport, nowMs };
  const clientOf = (name: string): Promise<IssuerClient | undefined> => {
    const config = signIn.issuers.find((each) => each.name === name);
    if (config === undefined) return Promise.resolve(undefined);
    const made = clients.get(name) ?? createIssuerClient(config, terms);
    clients.set(name, made);
    return made;
  };
  const issuerOf = async (name: string): Promise<IssuerClient> => {
    const found = await clientOf(name);
    if (found === undefined) throw new SignInRefusal('issuer_unknown');
    return found;
  };
  const flows = createFlows({ sealing: createSealing(keysFor(purposes.signInFlows)), identities, nowMs });
  const sealing = createSealing(keysFor(purposes.sessionIssuers));
  const logouts = createLogouts({ identities, sealing, clientOf, nowMs });
  const provision = createProvision({ ...options, accounts: store.accounts, identities, organization });
  const limit = createTryLimit(store.signInTries, nowMs);
  const scopesOf = ({ address }: Client) => [
    networkScope('issuer', options.networkOf(address), signInBounds.triesPerAddressMax),
  ];

  /** The page shows the code, the audit log keeps it, the log says more where the operator can do something. */
  async function refuse(error: unknown, name: string, client: Client): Promise<SignInRefusalCode> {
    const { code, message, cause } = refusalOf(error);
    const issuer = signIn.issuers.some((each) => each.name === name) ? name : '';
    const detail = { reason: code, ...(message !== code && { detail: message }) };
    await audit.write({ accountName: '', client }, { action: 'sign-in-refused', subject: `issuer:${issuer}`, detail });
    options.warn(`Sign-in through ${issuer} refused: ${code}`, { ...detail, ...(code === 'failed' && { cause }) });
    return code;
  }

  async function open(issuer: IssuerClient, finished: FinishedFlow, client: Client): Promise<OpenedSession> {
    const { person, sid, idToken } = finished;
    const account = await provision(person, issuer.config, client);
    const opened = await openFor(account, client, (sessionId) => ({
      issuer: person.issuer,
      issuerName: issuer.config.name,
      subject: person.subject,
      sid,
      idToken: sealing.seal(sessionIssuerPlace(sessionId, person.issuer), idToken),
    }));
    const subject = `session:${opened.actor.session.id}`;
    await audit.write(opened.actor, { action: 'sign-in', subject, detail: { issuer: issuer.config.name } });
    return opened;
  }

  async function openFor(
    account: AccountRecord,
    client: Client,
    issuer: Parameters<Sessions['open']>[3],
  ): Promise<OpenedSession> {
    const hash = await store.accounts.passwordHash(account.id);
    const opened = hash === undefined ? undefined : await sessions.open(account, hash, client, issuer);
    if (opened === undefined) throw new SignInRefusal('account_disabled', account.name);
    return opened;
  }

  return {
    options: () => ({
      items: signIn.issuers.map(({ name, label }) => ({ name, label })),
      passwords: signIn.passwords,
    }),
    async start(name, base, to) {
      try {
        return await flows.start(await issuerOf(name), callbackOf(base, name), to);
      } catch (error) {
        // No row for it in the audit log: no one has said who they are yet, and anyone can open the address.
        const { code, message } = refusalOf(error);
        options.warn(`Sign-in could not begin: ${code}`, { issuer: name.slice(0, 40), detail: message });
        return { refusal: code };
      }
    },
    async finish(name, { parameters, sealedOf, client }) {
      const scopes = scopesOf(client);
      let to: string | undefined;
      try {
        await limit.count(scopes);
        const issuer = await issuerOf(name);
        const state = parameters.get('state') ?? '';
        const flow = await flows.read(name, state, sealedOf(state) ?? '');
        if (flow === undefined) throw new SignInRefusal('state_invalid');
        to = flow.to;
        const opened = await open(issuer, await flows.finish(issuer, flow, parameters), client);
        await limit.giveBack(scopes);
        return { opened, to };
      } catch (error) {
        if (error instanceof GatewayError && error.code === 'sign_in_limited') return { refusal: 'too_many_tries', to };
        return { refusal: await refuse(error, name, client), to };
      }
    },
    logoutUrl: (sessionId, base) => logouts.urlFor(sessionId, signedOutOf(base)),
    async backChannelLogout(name, token, client) {
      const issuer = await issuerOf(name);
      const ended = await logouts.accept(issuer, token);
      const counts = Map.groupBy(ended, (accountId) => accountId);
      for (const [accountId, list] of counts) {
        const accountName = (await store.accounts.byId(accountId))?.name ?? '';
        const detail = { sessionsRevoked: list.length, issuer: name };
        const entry = { action: 'session-revoke', subject: `account:${accountId}`, detail } as const;
        await audit.write({ accountId, accountName, client }, entry);
      }
      return ended.length;
    },
    async settings(base) {
      const units = await organization.list(unitsReadMax);
      const items = await Promise.all(
        signIn.issuers.map(async (config) =>
          issuerView(config, base, units, (await clients.get(config.name))?.lastContact),
        ),
      );
      return { items, passwords: signIn.passwords, publicUrlSet: options.publicUrl !== undefined };
    },
    async test(actor, name) {
      const issuer = await clientOf(name);
      if (issuer === undefined) throw new GatewayError('not_found', 'Issuer not found.', { param: 'name' });
      const tested = await testIssuer(issuer, await organization.list(unitsReadMax));
      await audit.write(actor, { action: 'issuer-test', subject: `issuer:${name}`, detail: { ok: tested.ok } });
      return tested;
    },
    tidy: () => identities.expire(nowMs()),
  };
}
