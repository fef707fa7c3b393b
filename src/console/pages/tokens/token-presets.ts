/** Beginnings for a token: everything, or what an agent, an application and a pipeline usually need, and no more. */

import type { TokenCeilingView } from '../../../admin/contracts/account-contract.ts';
import { budgetPeriods } from '../../terms/budget-form.ts';
import { dayText, emptyForm, type TokenForm } from './token-form.ts';

export const presetNames = ['everything', 'agent', 'app', 'ci'] as const;
export type PresetName = (typeof presetNames)[number];

/** The first request of a new token must not fail because of a limit that nobody chose. */
export const usualPreset: PresetName = 'everything';

const dayMs = 86_400_000;
const conversations = ['chat', 'responses', 'messages', 'generate-content'] as const;

interface Preset extends Partial<TokenForm> {
  /** Absent: it does not expire. */
  readonly lifetimeDays?: number;
}

const presets: Readonly<Record<PresetName, Preset>> = {
  everything: {},
  // Someone's own machine: bursts of parallel calls, and a bound on what a night without supervision can cost.
  agent: {
    rpm: '120',
    concurrency: '16',
    budget: '20',
    period: 'day',
    lifetimeDays: 90,
    endpoints: [...conversations, 'models'],
  },
  // A service with many users behind it; every operation may be needed.
  app: { rpm: '600', concurrency: '64', budget: '200', period: 'month', lifetimeDays: 365 },
  // Runs unattended and is copied into other systems: little, and not for long.
  ci: {
    rpm: '60',
    concurrency: '4',
    budget: '5',
    period: 'day',
    lifetimeDays: 30,
    endpoints: [...conversations, 'embeddings', 'models'],
  },
};

export function isPreset(text: string | undefined): text is PresetName {
  return presetNames.some((name) => name === text);
}

/** The name stays: it is the person's own. A budget is no more than they may give. */
export function presetForm(preset: PresetName, name: string, nowMs: number, ceiling?: TokenCeilingView): TokenForm {
  const { lifetimeDays, ...terms } = presets[preset];
  const expires = lifetimeDays === undefined ? '' : dayText(nowMs + lifetimeDays * dayMs);
  const form = { ...emptyForm, ...terms, name, expires };
  return { ...form, ...cappedBudget(form, ceiling) };
}

function cappedBudget({ budget, period }: TokenForm, ceiling: TokenCeilingView | undefined): Partial<TokenForm> {
  if (ceiling?.budgetUsd === undefined || ceiling.budgetPeriod === undefined) return {};
  // A member's token has a budget even where none was chosen.
  const isSet = budget !== '';
  const isLonger = budgetPeriods.indexOf(period) >= budgetPeriods.indexOf(ceiling.budgetPeriod);
  return {
    budget: isSet && Number(budget) <= Number(ceiling.budgetUsd) ? budget : ceiling.budgetUsd,
    period: isSet && isLonger ? period : ceiling.budgetPeriod,
  };
}
