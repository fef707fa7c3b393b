/** What the people of the demo data do with the console's API: set-up, accounts, providers, routes and tokens. */

import type { IssuedTokenView, OwnedTokenView } from '../../src/admin/contracts/account-contract.ts';
import type { RouteEntry } from '../../src/admin/contracts/configuration-contract.ts';
import { ConsoleClient, type ConsoleReply, setUpCodes } from '../../test/harness/console-client.ts';
import { until } from '../../test/harness/until.ts';
import type { RunningWeir } from '../../test/harness/weir.ts';
import { ownerName, password, people, type TokenRow, teamRows, tokenRows } from './people.ts';
import type { RunningProvider } from './providers.ts';
import { dayMs } from './traffic.ts';

const routes: Readonly<Record<string, RouteEntry>> = {
  fast: {
    targets: [
      { provider: 'groq', model: 'llama-3.3-70b-versatile' },
      { provider: 'openai', model: 'gpt-5.4-mini', tier: 1 },
    ],
  },
  smart: {
    targets: [
      { provider: 'anthropic', model: 'claude-sonnet-4-6', weight: 2 },
      { provider: 'openai', model: 'gpt-5.4', weight: 1 },
      { provider: 'gemini', model: 'gemini-2.5-pro', tier: 1 },
    ],
  },
  'eu-chat': {
    targets: [
      { provider: 'mistral', model: 'mistral-large-2512' },
      { provider: 'gemini', model: 'gemini-3.5-flash', tier: 1 },
    ],
  },
  batch: {
    targets: [
      { provider: 'deepseek', model: 'deepseek-chat', weight: 1 },
      { provider: 'gemini', model: 'gemini-3.5-flash', weight: 2 },
    ],
  },
};

export class Administrator {
  readonly #weir: RunningWeir;
  /** Sessions by name; they end while the clock moves. */
  readonly #clients = new Map<string, ConsoleClient>();
  /** Ids of tokens by their names. */
  readonly #tokenIds = new Map<string, string>();

  constructor(weir: RunningWeir) {
    this.#weir = weir;
  }

  /** Everything that is there before the first request; returns the secrets of the tokens by their names. */
  async prepare(providers: readonly RunningProvider[], startMs: number, endMs: number): Promise<Map<string, string>> {
    await this.#setUp();
    const owner = await this.client(ownerName);
    for (const { name, role } of people.slice(1)) expectDone(await owner.post('/accounts', { name, role, password }));
    for (const { name, baseUrl, models, keyIds } of providers) {
      const keys = keyIds.map((id) => ({ id, value: `demo-${name}-${Bun.hash.crc32(`${name} ${id}`).toString(16)}` }));
      expectDone(await owner.post('/providers', { name, entry: { kind: name, base_url: baseUrl, models }, keys }));
    }
    for (const [alias, entry] of Object.entries(routes)) expectDone(await owner.post('/routes', { alias, entry }));
    const price = { pattern: 'gemini/veo-3.1-*', entry: { video_second: 0.4 } };
    expectDone(await owner.post('/prices', price));
    const secrets = new Map<string, string>();
    for (const row of tokenRows) secrets.set(row.name, await this.#createToken(row, startMs, endMs));
    await this.#makeTeams();
    return secrets;
  }

  /** Two teams, one of them with a project, and where some of the tokens belong. */
  async #makeTeams(): Promise<void> {
    const owner = await this.client(ownerName);
    for (const { name, budgetUsd, members, projects, tokens } of teamRows) {
      const terms = { budgets: [{ unit: 'usd', limit: budgetUsd, period: 'month' }] };
      const { id } = expectDone(await owner.post('/teams', { name, terms })) as { readonly id: string };
      for (const [person, role] of members) {
        expectDone(await owner.call('PUT', `/teams/${id}/members/${person}`, { body: { role } }));
      }
      const places: (readonly [unitId: string, names: readonly string[]])[] = [[id, tokens]];
      for (const project of projects) {
        const made = expectDone(await owner.post(`/teams/${id}/projects`, { name: project.name }));
        places.push([(made as { readonly id: string }).id, project.tokens]);
      }
      for (const [unitId, names] of places) {
        for (const token of names) {
          expectDone(await owner.call('PATCH', `/tokens/${this.tokenId(token)}`, { body: { unitId } }));
        }
      }
    }
  }

  /** A session of this person that is valid at the present time of the instance. */
  async client(name: string): Promise<ConsoleClient> {
    const known = this.#clients.get(name);
    if (known !== undefined && (await known.get('/session')).status === 200) return known;
    const client = new ConsoleClient(this.#weir);
    expectDone(await client.signIn(name, password));
    this.#clients.set(name, client);
    return client;
  }

  tokenId(name: string): string {
    const id = this.#tokenIds.get(name);
    if (id === undefined) throw new Error(`There is no token ${name}.`);
    return id;
  }

  async revoke(name: string): Promise<void> {
    const owner = await this.client(ownerName);
    expectDone(await owner.call('DELETE', `/tokens/${this.tokenId(name)}`));
  }

  async changeBudget(doer: string, name: string, budgetUsd: string): Promise<void> {
    const client = await this.client(doer);
    expectDone(await client.call('PATCH', `/tokens/${this.tokenId(name)}`, { body: { budgetUsd } }));
  }

  /** The terms of the last hour. */
  async applyLateTerms(): Promise<void> {
    const owner = await this.client(ownerName);
    for (const { name, lateTerms, nearlySpent } of tokenRows) {
      const path = `/tokens/${this.tokenId(name)}`;
      if (lateTerms !== undefined) expectDone(await owner.call('PATCH', path, { body: lateTerms }));
      if (nearlySpent !== true) continue;
      const { budget } = expectDone(await owner.get(path)) as OwnedTokenView;
      const budgetUsd = (Number(budget?.spentUsd ?? 0) * 1.03 + 0.02).toFixed(2);
      expectDone(await owner.call('PATCH', path, { body: { budgetUsd } }));
    }
  }

  async #setUp(): Promise<void> {
    await until(() => setUpCodes(this.#weir.output()).length > 0, 60_000, 'the set-up link');
    const code = setUpCodes(this.#weir.output()).at(-1);
    const client = new ConsoleClient(this.#weir);
    expectDone(await client.post('/set-up', { code, name: ownerName, password }));
    this.#clients.set(ownerName, client);
  }

  async #createToken(row: TokenRow, startMs: number, endMs: number): Promise<string> {
    const { name, labels, models, endpoints, budgetUsd, budgetPeriod, rpm, moderate, moderationModel } = row;
    const terms = { name, models, endpoints, budgetUsd, budgetPeriod, rpm, moderate, moderationModel };
    const expiresAt = expiryOf(row, startMs, endMs);
    const holder = await this.client(row.owner);
    const made = expectDone(await holder.post('/tokens', { ...terms, ...(expiresAt !== undefined && { expiresAt }) }));
    const { id, token } = made as IssuedTokenView;
    this.#tokenIds.set(name, id);
    // Members may not give labels.
    const owner = await this.client(ownerName);
    if (labels !== undefined) expectDone(await owner.call('PATCH', `/tokens/${id}`, { body: { labels } }));
    return token;
  }
}

function expiryOf({ expiresAfter, expiresInDays }: TokenRow, startMs: number, endMs: number): string | undefined {
  if (expiresAfter !== undefined) return new Date(startMs + expiresAfter * (endMs - startMs)).toISOString();
  return expiresInDays === undefined ? undefined : new Date(endMs + expiresInDays * dayMs).toISOString();
}

/** The body of a reply; throws what was refused. */
export function expectDone({ status, body }: ConsoleReply): unknown {
  if (status >= 300) throw new Error(`The console's API answered ${status}: ${JSON.stringify(body)}`);
  return body;
}
