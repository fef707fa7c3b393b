/** A condition of the filter in words: what it looks at, and what it wants of it. */

import { moneyText } from '../texts/money.ts';
import { durationText } from '../texts/time.ts';
import { nanoOfUsd } from '../texts/usd.ts';
import type { Words } from '../words/en.ts';
import type { Condition, FilterKind } from './filter.ts';
import { kindName } from './kind-name.ts';

interface ConditionText {
  readonly name: string;
  readonly value: string;
}

export function conditionText({ kind, value }: Condition, label: string, words: Words, tag: string): ConditionText {
  const { statusClasses, streamed, notStreamed, fellBack } = words.requests;
  const said: Partial<Record<FilterKind, () => string>> = {
    status: () => (statusClasses as Readonly<Record<string, string | undefined>>)[value] ?? value,
    stream: () => (value === 'true' ? streamed : notStreamed),
    fallback: () => fellBack,
    cost: () => `≥ ${moneyText(nanoOfUsd(value), tag)}`,
    duration: () => `≥ ${durationText(Number(value), tag, words.units)}`,
    id: () => `${value}…`,
  };
  return { name: kindName(kind, words), value: said[kind]?.() ?? label };
}
