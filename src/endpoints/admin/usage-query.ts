/** Reads the filters of a usage query, each with its own error. */

import {
  analyticsBounds,
  breakdownOrders,
  bucketNames,
  dimensions,
  type SumColumn,
  sumColumns,
} from '../../admin/contracts/contract.ts';
import {
  type AccountBreakdownQuestion,
  costNanoFrom,
  type OverviewQuestion,
  type PageQuestion,
  type UsageQuestion,
} from '../../admin/usage/account-usage.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { instantOf, limitOf, oneOf, textOf } from './query.ts';

const valueLengthMax = 300;
const durationMsMax = 1_000_000_000;
/** A request that was served at the first attempt did not fall back. */
const fallbackAttemptsMin = 2;

function invalid(param: string, rule: string): GatewayError {
  return new GatewayError('field_invalid', `${param}: ${rule}`, { param });
}

/** Every value of a repeatable parameter; undefined if it is absent. */
function listOf(query: URLSearchParams, name: string): readonly string[] | undefined {
  const values = query.getAll(name);
  if (values.length === 0) return undefined;
  if (values.length > analyticsBounds.filterValuesMax) {
    throw invalid(name, `must appear at most ${analyticsBounds.filterValuesMax} times`);
  }
  for (const value of values) {
    if (value.length > valueLengthMax || value.includes('\0')) throw invalid(name, 'is too long');
  }
  return [...new Set(values)];
}

/** Names are never empty: a cleared control sends an empty parameter, which is ignored. */
function namesOf(query: URLSearchParams, name: string): readonly string[] | undefined {
  const names = listOf(query, name)?.filter((value) => value !== '');
  return names === undefined || names.length === 0 ? undefined : names;
}

function statusClassesOf(query: URLSearchParams): readonly number[] | undefined {
  return namesOf(query, 'status')?.map((text) => {
    if (!/^[0-5]$/.test(text)) throw invalid('status', 'must be the first digit of a status, or 0');
    return Number(text);
  });
}

function flagOf(query: URLSearchParams, name: string): boolean | undefined {
  const text = oneOf(query, name, ['true', 'false']);
  return text === undefined ? undefined : text === 'true';
}

function costNanoOf(query: URLSearchParams): bigint | undefined {
  const text = textOf(query, 'min_cost_usd');
  if (text === undefined) return undefined;
  const nano = costNanoFrom(text);
  if (nano === undefined) throw invalid('min_cost_usd', 'must be an amount such as 5 or 0.25');
  return nano;
}

function durationMsOf(query: URLSearchParams): number | undefined {
  const text = textOf(query, 'min_duration_ms');
  if (text === undefined) return undefined;
  const durationMs = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  if (durationMs > durationMsMax) throw invalid('min_duration_ms', `must be a whole number up to ${durationMsMax}`);
  return durationMs;
}

function filterOf(query: URLSearchParams): UsageQuestion['filter'] {
  return {
    models: namesOf(query, 'model'),
    providers: namesOf(query, 'provider'),
    tokenIds: namesOf(query, 'token'),
    ownerId: textOf(query, 'owner'),
    labels: namesOf(query, 'label'),
    teamIds: namesOf(query, 'team'),
    projectIds: namesOf(query, 'project'),
    endUsers: namesOf(query, 'user'),
    tags: namesOf(query, 'tag'),
    keys: namesOf(query, 'key'),
    endpoints: namesOf(query, 'endpoint'),
    // An empty code has its own meaning: requests that succeeded.
    codes: listOf(query, 'code'),
    statusClasses: statusClassesOf(query),
    stream: flagOf(query, 'stream'),
    estimated: flagOf(query, 'estimated'),
    costNanoMin: costNanoOf(query),
    totalMsMin: durationMsOf(query),
    attemptsMin: flagOf(query, 'fallback') === true ? fallbackAttemptsMin : undefined,
    requestIdPrefix: textOf(query, 'id'),
  };
}

export function questionOf(query: URLSearchParams): UsageQuestion {
  return { fromMs: instantOf(query, 'from'), toMs: instantOf(query, 'to'), filter: filterOf(query) };
}

export function overviewQuestionOf(query: URLSearchParams): OverviewQuestion {
  return { ...questionOf(query), bucket: oneOf(query, 'bucket', bucketNames) };
}

const groupsDefault = 8;

export function breakdownQuestionOf(query: URLSearchParams): AccountBreakdownQuestion {
  const by = oneOf(query, 'by', dimensions);
  if (by === undefined) throw invalid('by', `must be one of ${dimensions.join(', ')}`);
  return {
    ...overviewQuestionOf(query),
    by,
    order: oneOf(query, 'order', breakdownOrders) ?? 'cost',
    limit: limitOf(query, groupsDefault, analyticsBounds.groupsMax),
  };
}

/** `day,model,token`, or the parameter once for each. */
export function sumColumnsOf(query: URLSearchParams): readonly SumColumn[] {
  const texts = (listOf(query, 'by') ?? []).flatMap((text) => text.split(','));
  return texts.map((text) => {
    const column = sumColumns.find((known) => known === text);
    if (column === undefined) throw invalid('by', `must be a list of ${sumColumns.join(', ')}`);
    return column;
  });
}

export function pageQuestionOf(query: URLSearchParams): PageQuestion {
  return {
    ...questionOf(query),
    limit: limitOf(query),
    direction: oneOf(query, 'direction', ['older', 'newer']),
    cursor: textOf(query, 'cursor'),
    top: oneOf(query, 'top', ['cost', 'total']),
  };
}
