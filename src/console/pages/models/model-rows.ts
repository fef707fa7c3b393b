/** What the table of models lists: all that is served, and the routes that lead nowhere yet or stand for many names. */

import type { ModelView } from '../../../admin/contracts/account-contract.ts';
import type { RouteView } from '../../../admin/contracts/configuration-contract.ts';
import type { HealthStateName, PriceSourceName, ShownTargetHealth } from '../../../admin/contracts/contract.ts';
import { nanoOfUsd } from '../../texts/usd.ts';

type ModelKind = 'alias' | 'pattern' | 'own';

export interface ModelRow {
  readonly id: string;
  readonly kind: ModelKind;
  readonly providers: readonly string[];
  readonly operations: readonly string[];
  readonly contextTokens: number | undefined;
  readonly pricing: ModelView['pricing'];
  /** Who says the price; absent where nobody serves it. */
  readonly priceSource: PriceSourceName | undefined;
  readonly states: readonly HealthStateName[];
  /** Absent where nothing serves it. */
  readonly health: ShownTargetHealth | undefined;
  readonly isServed: boolean;
  /** Days in UTC, as `2026-11-16`. */
  readonly deprecatedAt?: string | undefined;
  readonly shutdownAt?: string | undefined;
}

export function modelRows(models: readonly ModelView[], routes: readonly RouteView[]): readonly ModelRow[] {
  const served = new Set(models.map(({ id }) => id));
  return [...routes.filter(({ alias }) => !served.has(alias)).map(rowOfRoute), ...models.map(rowOfModel)].sort(
    (one, other) => Number(one.kind === 'own') - Number(other.kind === 'own') || compare(one.id, other.id),
  );
}

function rowOfModel(model: ModelView): ModelRow {
  return {
    id: model.id,
    kind: model.alias ? 'alias' : 'own',
    providers: model.providers,
    operations: model.operations,
    contextTokens: model.contextTokens,
    pricing: model.pricing,
    priceSource: model.pricing?.source,
    deprecatedAt: model.deprecatedAt,
    shutdownAt: model.shutdownAt,
    states: model.targets.map(({ state }) => state),
    health: model.health,
    isServed: true,
  };
}

function rowOfRoute({ alias, entry, problem }: RouteView): ModelRow {
  const isPattern = alias.includes('*');
  return {
    id: alias,
    kind: isPattern ? 'pattern' : 'alias',
    providers: [...new Set(entry.targets.map(({ provider }) => provider))],
    operations: [],
    contextTokens: undefined,
    pricing: undefined,
    priceSource: undefined,
    states: [],
    health: undefined,
    isServed: isPattern && problem === undefined,
  };
}

/** The tenth version comes after the second. */
const { compare } = new Intl.Collator('en', { numeric: true });

/** Every word that was written must be found somewhere; operations are found by what they are called, too. */
export function matchingRows(
  rows: readonly ModelRow[],
  { text, kind, operationText }: { readonly text: string; readonly kind: string; operationText(name: string): string },
): readonly ModelRow[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    if (kind === 'own' ? row.kind !== 'own' : kind === 'alias' && row.kind === 'own') return false;
    const said = [row.id, ...row.providers, ...row.operations, ...row.operations.map(operationText)]
      .join('\n')
      .toLowerCase();
    return wanted.every((word) => said.includes(word));
  });
}

/** Of one token in dollars, as the nano-dollars of a million. */
export function nanoPerMillion(usdPerToken: string): string | undefined {
  const plain = decimalText(usdPerToken);
  if (plain === undefined) return undefined;
  const [whole = '0', fraction = ''] = plain.split('.');
  // Six places to the right, by digits: a product of binary fractions would show more than there is.
  const moved = `${whole}${fraction.slice(0, 6).padEnd(6, '0')}.${fraction.slice(6)}`;
  return nanoOfUsd(moved.replace(/^0+(?=\d)/, ''));
}

/** `5e-7` is how some write 0.0000005. */
function decimalText(text: string): string | undefined {
  if (/^\d+(\.\d*)?$/.test(text)) return text;
  const number = Number(text);
  return text.trim() !== '' && Number.isFinite(number) && number >= 0 ? number.toFixed(15) : undefined;
}
