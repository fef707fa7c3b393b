/** Replies about single requests and video tasks. */

import { z } from 'zod';
import type {
  AnalyzedRowView,
  CostLineView,
  ExportRowView,
  RequestDetailView,
  RequestsView,
} from '../../contracts/analytics-contract.ts';
import { costClasses } from '../../contracts/analytics-contract.ts';
import type { RequestContentView, TaskRowView, TasksView } from '../../contracts/settings-contract.ts';
import type { AttemptView, RequestErrorView, RequestView, UsageRowView } from '../../contracts/usage-contract.ts';
import { fieldsOf, reply, time } from '../schema-names.ts';

const usageRow = reply<UsageRowView>()(
  'RequestRow',
  z.strictObject({
    requestId: z.string(),
    at: time,
    tokenId: z.string(),
    endpoint: z.string(),
    model: z.string(),
    provider: z.string(),
    upstreamModel: z.string(),
    stream: z.boolean(),
    attempts: z.number(),
    status: z.number(),
    code: z.string().describe('The error code; empty where it succeeded.'),
    inputTokens: z.number().exactOptional(),
    outputTokens: z.number().exactOptional(),
    cacheReadTokens: z.number().exactOptional().describe('Part of the input tokens.'),
    costUsd: z.string().nullable().describe('Null where no price is known for what was used.'),
    costNano: z.string().nullable(),
    estimated: z.boolean(),
    endUser: z.string().exactOptional().describe('The end user whom the request named.'),
    tags: z.array(z.string()).exactOptional(),
    keyId: z.string().exactOptional().describe('The provider’s key that it was made with.'),
    priceVersion: z.string().exactOptional().describe('The price that it was charged by; absent where none is known.'),
    guess: z
      .literal(true)
      .exactOptional()
      .describe(
        'It was charged by another provider’s price of the same model or an incomplete one, which `priceVersion` names.',
      ),
    firstEventMs: z.number().exactOptional(),
    totalMs: z.number(),
    requests: z
      .number()
      .exactOptional()
      .describe('How many refused requests the row counts, where there were too many for rows of their own.'),
  }),
);

const analyzedRow = reply<AnalyzedRowView>()(
  'UsageRequest',
  z.strictObject({
    ...usageRow.shape,
    tokenName: z.string().exactOptional(),
  }),
);

export const exportRow = reply<ExportRowView>()(
  'ExportedRequest',
  z.strictObject({
    ...analyzedRow.shape,
    labels: z.array(z.string()).exactOptional(),
    ownerId: z.string().exactOptional(),
    ownerName: z.string().exactOptional(),
    teamId: z.string().exactOptional().describe('Of the token, now.'),
    teamName: z.string().exactOptional(),
    projectId: z.string().exactOptional(),
    projectName: z.string().exactOptional(),
    error: z
      .string()
      .exactOptional()
      .describe('The error message that the client was sent; absent where the request succeeded.'),
  }),
);

export const requestPage = reply<RequestsView>()(
  'UsageRequestPage',
  z.strictObject({
    items: z.array(analyzedRow),
    older: z
      .string()
      .exactOptional()
      .describe('Comes back as the cursor of a page in that direction; absent where there are no older ones.'),
    newer: z.string().exactOptional(),
    isComplete: z
      .boolean()
      .describe('False where the search continues with the next page, because what is looked for is rare.'),
  }),
);

const costLine = reply<CostLineView>()(
  'CostLine',
  z.strictObject({
    class: z.enum(costClasses),
    quantity: z.number(),
    usd: z.string().describe('USD for `perUnits` of it.'),
    perUnits: z.number(),
    costUsd: z.string(),
  }),
);

const requestError = reply<RequestErrorView>()(
  'RequestError',
  z.strictObject({
    at: time,
    status: z.number().exactOptional().describe('The provider’s HTTP status, where it sent one.'),
    code: z.string(),
    message: z.string().describe('What the provider said; where it said nothing, what happened.'),
  }),
);

const attempt = reply<AttemptView>()(
  'Attempt',
  z.strictObject({
    id: z.string(),
    at: time,
    provider: z.string(),
    model: z.string(),
    keyId: z.string().exactOptional().describe('Absent where it was made before keys were written down.'),
    verdict: z
      .string()
      .exactOptional()
      .describe('Empty where it served, else why it did not; absent while it is open, and where it was not recorded.'),
    error: requestError.exactOptional().describe('Absent where it served, and where it was not recorded.'),
    settledAt: time.exactOptional().describe('These are absent while it is open.'),
    totalMs: z.number().exactOptional(),
    costUsd: z.string().nullable().exactOptional().describe('Null where no price is known for what it used.'),
    costNano: z.string().nullable().exactOptional(),
    estimated: z.boolean(),
    recovered: z
      .literal(true)
      .exactOptional()
      .describe('A failover of the database had lost it, and it was written again; its budgets were not checked then.'),
  }),
);

const requestFields = fieldsOf<RequestView>()(
  z.strictObject({
    requestId: z.string(),
    row: usageRow.exactOptional().describe('Absent while the request runs.'),
    attempts: z.array(attempt).describe('In the order in which they were made.'),
    error: requestError.exactOptional().describe('The error that the client was sent, where the request was refused.'),
    way: z
      .strictObject({
        lane: z.enum(['forward', 'patch', 'translate']),
        from: z.string(),
        to: z.string(),
        losses: z.array(z.string()).describe('Fields of the request that the provider did not get.'),
        replyLosses: z.array(z.string()).describe('Fields of the reply that the client did not get.'),
      })
      .exactOptional()
      .describe('How the request was carried; absent where nothing was sent, and where it was not recorded.'),
  }),
);

export const requestDetail = reply<RequestDetailView>()(
  'RequestDetail',
  z.strictObject({
    ...requestFields.shape,
    tokenName: z.string().exactOptional(),
    costLines: z
      .array(costLine)
      .exactOptional()
      .describe('Empty where nothing was used; absent where its price is not known (any more).'),
    priceVersion: z.string().exactOptional().describe('Which list of prices they come from.'),
    bytesIn: z.number().exactOptional(),
    bytesOut: z.number().exactOptional(),
    hasContent: z.boolean().describe('Its content is stored and may be read with `/content`.'),
  }),
);

export const requestContent = reply<RequestContentView>()(
  'RequestContent',
  z.strictObject({
    requestId: z.string(),
    at: time,
    expiresAt: time,
    request: z.string().describe('As the caller sent it, cut to the stored bound.'),
    requestIsCut: z.boolean(),
    reply: z.string().describe('As the caller received it; the events of a stream one after the other.'),
    replyIsCut: z.boolean(),
  }),
);

const taskRow = reply<TaskRowView>()(
  'Task',
  z.strictObject({
    id: z.string(),
    requestId: z.string(),
    tokenId: z.string(),
    tokenName: z.string().exactOptional(),
    model: z.string(),
    provider: z.string(),
    state: z.enum(['queued', 'in_progress', 'completed', 'failed']),
    percent: z.number(),
    seconds: z.number().exactOptional(),
    size: z.string().exactOptional(),
    createdAt: time,
    endedAt: time.exactOptional(),
    expiresAt: time.exactOptional(),
    costUsd: z.string().nullable().exactOptional().describe('Null where no price is known for it.'),
    error: z.strictObject({ code: z.number(), message: z.string() }).exactOptional(),
    isDeleted: z.boolean(),
    videos: z
      .array(z.strictObject({ path: z.string(), mediaType: z.string() }))
      .describe(
        'Paths below `/console/api` that give out the videos while they last; the same paths work below `/admin/v1`.',
      ),
  }),
);

export const taskPage = reply<TasksView>()(
  'TaskPage',
  z.strictObject({
    items: z.array(taskRow),
    next: z.string().exactOptional(),
  }),
);
