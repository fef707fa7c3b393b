/** A rule as it stands in its form: lists and numbers as the texts that people type. */

import type { AlertKind, NewRule, RuleView, Severity } from '../../../admin/contracts/alert-contract.ts';
import { numbersIn } from './alert-paths.ts';

export interface RuleDraft {
  readonly name: string;
  readonly kinds: readonly AlertKind[];
  readonly channels: readonly string[];
  readonly severityMin: Severity;
  readonly budgetPercents: string;
  readonly spendFactor: string;
  readonly spendUsdMin: string;
  readonly errorPercent: string;
  readonly errorAttemptsMin: string;
  readonly expiryDays: string;
  readonly shutdownDays: string;
  readonly repeatMinutes: string;
  readonly isQuiet: boolean;
  readonly timeZone: string;
  readonly from: string;
  readonly until: string;
  readonly criticalPasses: boolean;
}

const everyKind: readonly AlertKind[] = [
  'budget',
  'unusual-spend',
  'error-rate',
  'provider-down',
  'key-refused',
  'token-expiry',
  'unpriced-use',
  'model-shutdown',
  'replica-fault',
];

/** What a new rule begins with; the same as where there is no rule. */
export function draftOf(rule: RuleView | undefined, timeZone: string): RuleDraft {
  const quiet = rule?.quiet;
  return {
    name: rule?.name ?? '',
    kinds: rule?.kinds ?? everyKind,
    channels: rule?.channels ?? [],
    severityMin: rule?.severityMin ?? 'info',
    budgetPercents: (rule?.budgetPercents ?? [50, 80, 100]).join(', '),
    spendFactor: String(rule?.spendFactor ?? 3),
    spendUsdMin: rule?.spendUsdMin ?? '5',
    errorPercent: String(rule?.errorPercent ?? 20),
    errorAttemptsMin: String(rule?.errorAttemptsMin ?? 20),
    expiryDays: (rule?.expiryDays ?? [7, 1]).join(', '),
    shutdownDays: (rule?.shutdownDays ?? [30, 7, 1]).join(', '),
    repeatMinutes: rule?.repeatMinutes === undefined ? '' : String(rule.repeatMinutes),
    isQuiet: quiet !== undefined,
    timeZone: quiet?.timeZone ?? timeZone,
    from: quiet?.from ?? '22:00',
    until: quiet?.to ?? '07:00',
    criticalPasses: quiet?.criticalPasses ?? true,
  };
}

/** Fields whose lists are no lists of whole numbers. */
export function faultsOf(draft: RuleDraft): ReadonlySet<'budgetPercents' | 'expiryDays' | 'shutdownDays'> {
  const fields = ['budgetPercents', 'expiryDays', 'shutdownDays'] as const;
  return new Set(fields.filter((field) => numbersIn(draft[field]) === undefined));
}

export function ruleOf(draft: RuleDraft): NewRule {
  const { name, kinds, channels, severityMin, spendUsdMin, repeatMinutes } = draft;
  return {
    name,
    kinds: [...kinds],
    channels: [...channels],
    severityMin,
    budgetPercents: [...(numbersIn(draft.budgetPercents) ?? [])],
    spendFactor: Number(draft.spendFactor),
    spendUsdMin: spendUsdMin.trim(),
    errorPercent: Number(draft.errorPercent),
    errorAttemptsMin: Number(draft.errorAttemptsMin),
    expiryDays: [...(numbersIn(draft.expiryDays) ?? [])],
    shutdownDays: [...(numbersIn(draft.shutdownDays) ?? [])],
    repeatMinutes: repeatMinutes.trim() === '' ? null : Number(repeatMinutes),
    quiet: draft.isQuiet
      ? { timeZone: draft.timeZone.trim(), from: draft.from, to: draft.until, criticalPasses: draft.criticalPasses }
      : null,
  };
}
