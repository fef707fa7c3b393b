/**
 * What budgets cost: CPU per request without any, with one, and with one on each of four levels. All three are measured in one
 * process, because two processes of one code differ by several percent; the organization's budget, which counts for every
 * token, is there only while the four are measured. Afterwards each budget must have counted every request.
 */

import { type LevelBudget, organizationId } from '../src/access/organization.ts';
import { openStore } from '../src/store/open-store.ts';
import type { Store } from '../src/store/store.ts';
import { concurrentRequests, cpuPerUnit, inTurn, runLoad, type Scale, warmUp } from './measure.ts';
import { median, medianRatio } from './statistics.ts';
import { startUpstream, startWeir, type Target } from './targets.ts';
import { budgetWords, createToken } from './tokens.ts';

const rounds = 12;
/** A change by another process is seen within this time. */
const seenAfterMs = 2_000;
const goal = 1.15;

const budget = (id: string, unit: LevelBudget['unit'], period: LevelBudget['period']): LevelBudget => ({
  ...{ id, unit, limit: 10n ** 15n, period },
});
const team = { id: 'team_bench', kind: 'team', parentId: organizationId, name: 'Bench', nameKey: 'bench' } as const;
const project = { id: 'proj_bench', kind: 'project', parentId: team.id, name: 'Bench', nameKey: 'bench' } as const;
const organizationBudgets = [budget('money', 'usd', 'total')];

/** Makes the team and its project, and puts the token there. */
async function seedLevels(store: Store, tokenName: string): Promise<void> {
  const createdAtMs = Date.now();
  await store.organization.insert({ ...team, terms: { budgets: [budget('tokens', 'tokens', 'total')] }, createdAtMs });
  const requests = { budgets: [budget('requests', 'requests', 'total')] };
  await store.organization.insert({ ...project, terms: requests, createdAtMs });
  const { items } = await store.tokens.list({ limit: 100, after: undefined });
  const token = items.find(({ terms }) => terms.name === tokenName);
  if (token === undefined) throw new Error(`there is no token ${tokenName}`);
  await store.tokens.changeUnit(token.id, project.id);
}

async function withOrganization(store: Store, budgets: readonly LevelBudget[]): Promise<void> {
  await store.organization.update(organizationId, { terms: { budgets } });
  await Bun.sleep(seenAfterMs);
}

/** Every request counts once on each level. */
async function requireExact(store: Store, requests: number): Promise<void> {
  const spentIn = async (scope: string): Promise<bigint> => (await store.budgets.read(scope, 0)).spentNano;
  const counted = await spentIn(`project:${project.id}#requests`);
  if (counted !== BigInt(requests)) throw new Error(`the project counted ${counted} of ${requests} requests`);
  for (const scope of [`org:${organizationId}#money`, `team:${team.id}#tokens`])
    if ((await spentIn(scope)) === 0n) throw new Error(`nothing was counted in ${scope}`);
}

export async function measureLevels(scale: Scale, say: (text: string) => void): Promise<string> {
  const upstream = await startUpstream();
  const weir = await startWeir(upstream.port);
  const target = async (name: string, words: readonly string[]): Promise<Target> => ({
    ...{ ...weir, name, token: await createToken(weir, ['--name', name, ...words]) },
  });
  const none = await target('none', []);
  const one = await target('one budget', budgetWords);
  const four = await target('four levels', budgetWords);
  const dataFolder = weir.environment?.['WEIR_DATA'] ?? '';
  const store = await openStore({ dataFolder, synchronous: 'normal', nowMs: Date.now });
  await seedLevels(store, four.name);
  await Bun.sleep(seenAfterMs);
  say('warm-up');
  await warmUp([none, one, four], scale);
  // A journal is in the tables after half a second.
  await Bun.sleep(seenAfterMs);
  const before = Number((await store.budgets.read(`project:${project.id}#requests`, 0)).spentNano);
  const cpu = new Map([none, one, four].map((each): [Target, number[]] => [each, []]));
  const options = { concurrency: concurrentRequests, requests: scale.requests };
  let counted = 0;
  for (let round = 0; round < rounds; round += 1) {
    say(`round ${round + 1} of ${rounds}`);
    for (const each of inTurn([none, one, four], round)) {
      if (each === four) await withOrganization(store, organizationBudgets);
      cpu.get(each)?.push(await cpuPerUnit(each, () => runLoad('requests', each, options)));
      if (each !== four) continue;
      counted += scale.requests;
      await withOrganization(store, []);
    }
  }
  await Bun.sleep(seenAfterMs);
  await requireExact(store, before + counted);
  await store.close();
  await Promise.all([weir.stop(), upstream.stop()]);
  const of = (each: Target): readonly number[] => cpu.get(each) ?? [];
  const line = (each: Target): string =>
    `| ${each.name} | ${median(of(each)).toFixed(1)} µs | ${medianRatio(of(each), of(none)).toFixed(3)} × |`;
  return [
    '| budgets | CPU per request | over none |',
    '| --- | ---: | ---: |',
    ...[none, one, four].map(line),
    '',
    `Goal: four levels at most ${goal} × none. Each of ${counted} requests was counted once on each of the four levels.`,
  ].join('\n');
}
