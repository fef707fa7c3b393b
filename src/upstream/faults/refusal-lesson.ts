/**
 * What a provider's refusal teaches about its model: the part of the model's profile that would have made the request fit. A
 * refusal teaches only what the body that was sent really held, in the vocabulary of profiles, and nothing that depends on the
 * rest of the request: one caller's request must not change what is sent for another, unless the model refuses it
 * anyway.
 */

import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { ModelProfile } from '../../conversation/model-profile.ts';
import type { ParameterName } from '../../conversation/parameters.ts';
import type { ProviderFault } from '../../formats/format.ts';
import type { Lesson } from './lesson.ts';
import { openingOf } from './provider-faults.ts';
import { outputLimitIn, shapeLesson } from './refused-amounts.ts';
import {
  namesOf,
  parameterNamed,
  refusedWhileThinking,
  refusingCode,
  refusingSentences,
  saidUnder,
} from './refused-parameters.ts';
import { thinkingLesson } from './refused-thinking.ts';

const teachingStatuses: ReadonlySet<number> = new Set([400, 422]);

/** `sent` is the body that was refused. Undefined if the refusal teaches nothing reliable. */
export function lessonOf(status: number, fault: ProviderFault | undefined, sent: Tree): Lesson | undefined {
  if (fault === undefined || !teachingStatuses.has(status)) return undefined;
  const said = openingOf(fault.message);
  const lesson =
    thinkingLesson(said, fault.param, sent) ??
    outputLimitIn(said) ??
    shapeLesson(said) ??
    besideThinking(said) ??
    parameterLesson(said, fault, sent);
  return lesson?.holds(sent) === true ? lesson : undefined;
}

function besideThinking(said: string): Lesson | undefined {
  const parameter = parameterNamed(refusedWhileThinking.exec(said)?.[1] ?? '');
  if (parameter === undefined || parameter === 'thinking') return undefined;
  return parameterOf(parameter, { refusesWhileThinking: [parameter] });
}

function parameterLesson(said: string, fault: ProviderFault, sent: Tree): Lesson | undefined {
  const field = refusedField(said, fault);
  const parameter = field === undefined ? undefined : parameterNamed(field);
  if (parameter === undefined) return undefined;
  if (parameter === 'thinking') return parameterOf(parameter, { thinking: { kind: 'never' } });
  // A parameter refused together with thinking may be accepted without it.
  const profile = asksToThink(sent) ? { refusesWhileThinking: [parameter] } : { refuses: [parameter] };
  return parameterOf(parameter, profile);
}

function refusedField(said: string, { code, param }: ProviderFault): string | undefined {
  for (const sentence of refusingSentences) {
    const field = sentence.exec(said)?.[1];
    if (field !== undefined) return field;
  }
  if (code === refusingCode) return param;
  // Only its default value is accepted.
  return /(?:^|\.)verbosity$/.test(param ?? '') && onlyValue.test(said) ? param : undefined;
}

const onlyValue =
  /^unsupported value: '\w{1,20}' is not supported with this model\. supported values are: '\w{1,20}'\.?$/i;

function parameterOf(parameter: ParameterName, profile: ModelProfile): Lesson {
  const names = namesOf(parameter);
  return { profile, what: parameter, holds: (sent) => saidUnder(sent, names).length > 0 };
}

const thinkingNames = namesOf('thinking');

function asksToThink(sent: Tree): boolean {
  return saidUnder(sent, thinkingNames).some((said) =>
    isObject(said) ? requestsThinking(said) : isAmount(said) || said === true,
  );
}

/** An option that only shows the thoughts does not request thinking. */
function requestsThinking({ type, effort, thinkingBudget, thinkingLevel }: Tree): boolean {
  return type === 'enabled' || type === 'adaptive' || [effort, thinkingBudget, thinkingLevel].some(isAmount);
}

function isAmount(said: unknown): boolean {
  return (typeof said === 'string' && said !== 'none') || (typeof said === 'number' && said !== 0);
}
