/** The routes of usage, requests and video tasks, for the description. */

import { z } from 'zod';
import {
  analyticsBounds,
  breakdownOrders,
  bucketNames,
  dimensions,
  exportForms,
  sumColumns,
} from '../../contracts/analytics-contract.ts';
import { taskStates } from '../../usage/tasks.ts';
import {
  choice,
  flag,
  instant,
  json,
  type KeyRouteName,
  limit,
  pageQuery,
  paging,
  type RouteDescription,
  text,
  texts,
  wholeNumber,
} from '../route-description.ts';
import { listOf, reply } from '../schema-names.ts';
import { exportRow, requestContent, requestDetail, requestPage, taskPage } from '../schemas/requests.ts';
import { breakdown, budgetAlarm, count, endingModel, overview, unpricedModels } from '../schemas/usage.ts';

const range = {
  from: instant('The beginning.'),
  to: instant('The end, exclusive.'),
} as const;

const filters = {
  model: texts('Names of models.'),
  provider: texts('Names of providers.'),
  token: texts('IDs of tokens.'),
  label: texts('Labels of tokens.'),
  owner: text('The ID of the account that the tokens belong to.'),
  team: texts('IDs of teams.'),
  project: texts('IDs of projects.'),
  user: texts('End users that requests named.'),
  tag: texts('Tags of requests.'),
  endpoint: texts('Names of endpoints.'),
  key: texts('IDs of keys of providers.'),
  code: texts('Error codes; an empty one is success.'),
  status: {
    description: 'First digits of a status; 0 where there was none.',
    schema: { type: 'string', pattern: '^[0-5]$' },
    repeated: true,
  },
  stream: flag('Streamed or not.'),
  estimated: flag('With an estimated cost or an exact one.'),
  min_cost_usd: text('The least cost, such as `0.25`.'),
  min_duration_ms: wholeNumber('The least duration in milliseconds.', { minimum: 0 }),
  fallback: flag('`true`: only requests that needed more than one attempt.'),
  id: text('The beginning of a request ID.'),
} as const;

const form = choice(exportForms, 'The format of the file; `csv` by default.');
const bucket = choice(bucketNames, 'How long a step in time is; chosen by the range where absent.');

const figures = {
  requests: 42,
  failures: 1,
  inputTokens: 18_230,
  cacheReadTokens: 4_096,
  outputTokens: 6_114,
  costUsd: '0.1245',
  costNano: '124500000',
  unpriced: 0,
};
const durations = { firstEventP50Ms: 310, firstEventP95Ms: 940, totalP50Ms: 1_850, totalP95Ms: 6_020 };
const group = { key: 'sandbox-chat', label: 'sandbox-chat', ...figures };
const span = { from: '2026-11-16T00:00:00.000Z', to: '2026-11-17T00:00:00.000Z', bucket: 'day' } as const;
const { costUsd: _usd, unpriced: _unpriced, ...point } = figures;

const row = {
  requestId: 'req_01jct4v8m2',
  at: '2026-11-17T10:04:31.000Z',
  tokenId: 'tok_8m4n6b2v',
  endpoint: 'chat',
  model: 'sandbox-chat',
  provider: 'sandbox',
  upstreamModel: 'sandbox-chat',
  stream: true,
  attempts: 1,
  status: 200,
  code: '',
  inputTokens: 120,
  outputTokens: 64,
  costUsd: '0.0021',
  costNano: '2100000',
  estimated: false,
  endUser: 'user-17',
  keyId: 'main',
  priceVersion: 'operator',
  firstEventMs: 310,
  totalMs: 1_850,
};

const sums = reply<Readonly<Record<string, string | number | null>>>()(
  'Sums',
  z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
);
const csv = { 'text/csv': { type: 'string' } };

export const usageRoutes = {
  'GET /console/api/usage/overview': {
    call: 'usage.overview',
    summary: 'Get usage over time, with the largest models, providers, tokens and errors.',
    query: { ...range, bucket, ...filters },
    reply: json(overview, {
      ...span,
      buckets: [{ at: span.from, ...figures, ...durations }],
      total: { ...figures, ...durations },
      before: { ...figures, requests: 30 },
      models: [group],
      providers: [{ ...group, key: 'sandbox', label: 'sandbox' }],
      tokens: [{ ...group, key: 'tok_8m4n6b2v', label: 'build-agent' }],
      codes: [{ ...group, key: 'upstream_timeout', label: 'upstream_timeout' }],
    }),
  },
  'GET /console/api/usage/breakdown': {
    call: 'usage.breakdown',
    summary: 'Get usage by one dimension, over the range and over time.',
    query: {
      by: { ...choice(dimensions, 'What to group by.'), required: true },
      order: choice(breakdownOrders, 'What the largest groups are the largest by; `cost` by default.'),
      limit: limit(analyticsBounds.groupsMax, 8),
      ...range,
      bucket,
      ...filters,
    },
    reply: json(breakdown, {
      ...span,
      by: 'model',
      overlapping: false,
      starts: [span.from],
      items: [{ ...group, series: [point] }],
      total: { ...figures, ...durations },
    }),
  },
  'GET /console/api/usage/requests': {
    call: 'usage.requests',
    summary: 'List the requests, newest first.',
    query: {
      ...range,
      ...filters,
      limit: limit(),
      cursor: text('The `older` or `newer` of another page.'),
      direction: choice(['older', 'newer'], 'Which side of the cursor; `older` by default.'),
      top: choice(['cost', 'total'], 'Instead of a page: the requests that cost the most or took the longest.'),
    },
    reply: json(requestPage, {
      items: [{ ...row, tokenName: 'build-agent' }],
      older: '1795255471000.req_01jct4v8m2',
      isComplete: true,
    }),
    paging: { next: 'older', parameter: 'cursor' },
  },
  'GET /console/api/usage/requests/{id}': {
    call: 'usage.request',
    summary: 'Get one request with its attempts and the lines of its cost.',
    reply: json(requestDetail, {
      requestId: row.requestId,
      row,
      tokenName: 'build-agent',
      attempts: [
        {
          id: 'att_01jct4v8m3',
          at: row.at,
          provider: 'sandbox',
          model: 'sandbox-chat',
          keyId: 'main',
          verdict: '',
          settledAt: '2026-11-17T10:04:33.000Z',
          totalMs: 1_850,
          costUsd: '0.0021',
          costNano: '2100000',
          estimated: false,
        },
      ],
      costLines: [{ class: 'output', quantity: 64, usd: '8', perUnits: 1_000_000, costUsd: '0.000512' }],
      priceVersion: 'operator',
      way: { lane: 'forward', from: 'openai-chat', to: 'openai-chat', losses: [], replyLosses: [] },
      bytesIn: 412,
      bytesOut: 3_120,
      hasContent: false,
    }),
  },
  'GET /console/api/usage/requests/{id}/content': {
    call: 'usage.content',
    summary: 'Get the texts of a request and its reply, if they are stored.',
    reply: json(requestContent, {
      requestId: row.requestId,
      at: row.at,
      expiresAt: '2026-12-17T10:04:31.000Z',
      request: '{"model":"sandbox-chat","messages":[{"role":"user","content":"Hello"}]}',
      requestIsCut: false,
      reply: '{"object":"chat.completion","choices":[]}',
      replyIsCut: false,
    }),
  },
  'GET /console/api/usage/count': {
    call: 'usage.count',
    summary: 'Count the requests.',
    query: { ...range, ...filters },
    reply: json(count, { requests: 42, exact: true }),
  },
  'GET /console/api/usage/export': {
    call: 'usage.export',
    summary: 'Download the requests as a file.',
    query: { ...range, ...filters, form },
    reply: { file: csv, rows: exportRow },
  },
  'GET /console/api/usage/export/sums': {
    call: 'usage.exportSums',
    summary: 'Download sums by any dimensions and by day or month as a file.',
    query: {
      by: { ...text(`Columns separated by commas: ${sumColumns.join(', ')}.`), required: true },
      ...range,
      ...filters,
      form,
    },
    reply: { file: csv, rows: sums },
  },
  'GET /console/api/usage/budgets': {
    call: 'usage.budgets',
    summary: 'List the tokens whose budget is nearly spent.',
    reply: json(listOf('BudgetAlarm', budgetAlarm), {
      items: [
        {
          tokenId: 'tok_8m4n6b2v',
          tokenName: 'build-agent',
          limitUsd: '50',
          spentUsd: '46',
          heldUsd: '0.5',
          leftUsd: '3.5',
          period: 'month',
          resetsAt: '2026-12-01T00:00:00.000Z',
          share: 0.93,
        },
      ],
    }),
  },
  'GET /console/api/usage/unpriced': {
    call: 'usage.unpriced',
    summary: 'List the models that were used in the last 30 days and have no price.',
    reply: json(unpricedModels, {
      from: '2026-10-18T00:00:00.000Z',
      items: [
        {
          provider: 'lab',
          model: 'lab-chat-1',
          requests: 12,
          inputTokens: 3_400,
          outputTokens: 900,
          lastAt: '2026-11-17T10:04:31.000Z',
        },
      ],
    }),
  },
  'GET /console/api/usage/ending': {
    call: 'usage.ending',
    summary: 'List the models in use that their providers will shut down.',
    reply: json(listOf('EndingModel', endingModel), {
      items: [
        {
          provider: 'lab',
          model: 'lab-chat-1',
          names: ['lab-chat-1'],
          deprecatedAt: '2026-10-01',
          shutdownAt: '2027-01-15',
          tokens: [{ id: 'tok_8m4n6b2v', name: 'build-agent', requests: 12 }],
        },
      ],
    }),
  },
  'GET /console/api/tasks': {
    call: 'tasks.list',
    summary: 'List the video tasks, newest first.',
    query: {
      state: choice(taskStates, 'The state of the tasks.'),
      model: text('The name of a model.'),
      token: text('The ID of a token.'),
      team: text('The ID of a team.'),
      project: text('The ID of a project.'),
      ...pageQuery,
    },
    reply: json(taskPage, {
      items: [
        {
          id: 'video_01jct4v8m4',
          requestId: 'req_01jct4v8m4',
          tokenId: 'tok_8m4n6b2v',
          tokenName: 'build-agent',
          model: 'sandbox-video',
          provider: 'sandbox',
          state: 'completed',
          percent: 100,
          seconds: 4,
          size: '1280x720',
          createdAt: '2026-11-17T10:00:00.000Z',
          endedAt: '2026-11-17T10:01:12.000Z',
          expiresAt: '2026-11-24T10:01:12.000Z',
          costUsd: '0.4',
          isDeleted: false,
          videos: [{ path: '/console/api/tasks/video_01jct4v8m4/videos/0', mediaType: 'video/mp4' }],
        },
      ],
    }),
    paging,
  },
  'GET /console/api/tasks/{id}/videos/{index}': {
    call: 'tasks.video',
    summary: 'Download a video of a task.',
    reply: { file: { 'video/mp4': { type: 'string', format: 'binary' } } },
  },
} as const satisfies Partial<Record<KeyRouteName, RouteDescription>>;
