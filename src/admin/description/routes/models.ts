/** The routes of models, their routing and their prices, for the description. */

import { z } from 'zod';
import { fileRoute } from '../../../config/file-schema.ts';
import { priceSchema } from '../../../config/price-schema.ts';
import { priceConfirmationSchema } from '../../configuration/price-tables.ts';
import { priceChangeSchema, routeChangeSchema } from '../../configuration/route-admin.ts';
import type { ExplainQuestionBody } from '../../contracts/configuration-contract.ts';
import { json, type KeyRouteName, type RouteDescription, requiredText } from '../route-description.ts';
import { body, fieldsOf, listOf } from '../schema-names.ts';
import { explanation } from '../schemas/explanation.ts';
import { model, modelDetail, route } from '../schemas/models.ts';
import { price, priceTables } from '../schemas/prices.ts';

const newRoute = body('NewRoute', routeChangeSchema.extend({ entry: body('NewRouteEntry', fileRoute()) }), {
  alias: 'The name of the model; it may hold slashes and one star.',
  entry: 'As in `models` of `weir.yaml`.',
});
const newPrice = body('NewPrice', priceChangeSchema.extend({ entry: body('NewPriceEntry', priceSchema()) }), {
  pattern: 'A model name, with `*` as wildcard.',
  entry: 'As in `prices` of `weir.yaml`: USD per million tokens, or per unit.',
});
const confirmation = body('PriceConfirmation', priceConfirmationSchema);
const question = body(
  'ExplainRequest',
  fieldsOf<ExplainQuestionBody>()(z.strictObject({ endpoint: z.string(), body: z.record(z.string(), z.unknown()) })),
  { endpoint: 'The name of an endpoint, such as `chat`.', body: 'A request’s body in the format of the endpoint.' },
);

const fast = {
  alias: 'fast',
  origin: 'console',
  originText: 'the console',
  locked: false,
  entry: { targets: [{ provider: 'lab', model: 'lab-chat-1' }], choose: 'fastest' },
} as const;

const labPrice = {
  pattern: 'lab-chat-*',
  origin: 'console',
  originText: 'the console',
  locked: false,
  entry: { input: 0.5, output: 1.5 },
} as const;

const tables = {
  tables: [
    {
      source: 'bundled',
      version: 'genai-prices 0.1.8',
      day: '2026-11-10',
      ageDays: 7,
      dated: true,
      held: [
        {
          host: 'models.example.com',
          model: 'lab-chat-1',
          rates: [{ rate: 'input', before: '0.5', after: '5', unit: 'million tokens' }],
        },
      ],
    },
  ],
  old: false,
};

const target = { provider: 'lab', model: 'lab-chat-1', tier: 0, weight: 1 } as const;

export const modelRoutes = {
  'GET /console/api/models': {
    call: 'models.list',
    summary: 'List the served models.',
    reply: json(listOf('Model', model), {
      items: [
        {
          id: 'fast',
          alias: true,
          providers: ['lab'],
          targets: [{ ...target, state: 'healthy' }],
          health: { state: 'healthy', attempts: 120, failed: 2, firstTokenMs: { p50: 310, p95: 940 } },
          operations: ['converse'],
          contextTokens: 128_000,
          pricing: { prompt: '0.0000005', completion: '0.0000015', source: 'operator' },
        },
      ],
    }),
  },
  'GET /console/api/model': {
    call: 'models.get',
    summary: 'Get a served model with its targets, prices and capabilities.',
    query: { id: requiredText('The name of the model.') },
    reply: json(modelDetail, {
      id: 'fast',
      alias: true,
      route: fast,
      choose: 'fastest',
      affinity: true,
      targets: [{ ...target, state: 'healthy', inFlight: 0, formats: ['openai-chat'] }],
      prices: [
        {
          provider: 'lab',
          model: 'lab-chat-1',
          source: 'operator',
          version: 'operator',
          lines: [{ class: 'input', usd: '0.5', per: 'million tokens' }],
        },
      ],
      operations: ['converse'],
      capabilities: ['tools', 'json'],
      contextTokens: 128_000,
    }),
  },
  'GET /console/api/routes': {
    call: 'routes.list',
    summary: 'List the routes of model names.',
    reply: json(listOf('Route', route), { items: [fast] }),
  },
  'POST /console/api/routes': {
    call: 'routes.put',
    summary: 'Create a route, or replace the one with this name.',
    body: json(newRoute, {
      alias: 'fast',
      entry: { targets: [{ provider: 'lab', model: 'lab-chat-1' }], choose: 'fastest' },
    }),
    reply: json(route, fast),
  },
  'DELETE /console/api/routes': {
    call: 'routes.remove',
    summary: 'Delete a route that was created here.',
    query: { alias: requiredText('The name of the route.') },
  },
  'POST /console/api/explain': {
    call: 'routes.explain',
    summary: 'Explain how a request would be routed. No provider is called and nothing is charged.',
    body: json(question, {
      endpoint: 'chat',
      body: { model: 'fast', messages: [{ role: 'user', content: 'Hello' }] },
    }),
    reply: json(explanation, {
      object: 'weir.explanation',
      model: 'fast',
      operation: 'converse',
      strategy: 'fastest',
      drawn: false,
      affinity: { kind: null, key: null },
      candidates: [
        {
          ...target,
          region: null,
          state: 'ready',
          ready_in_ms: 0,
          keys_ready: 1,
          keys: 1,
          in_flight: 0,
          lane: 'patch',
          format: 'openai-chat',
          losses: [],
          price_bound_usd: '0.0063',
          price_version: 'operator',
          price_source: 'operator',
          profile: [{ field: 'context_tokens', value: 128_000, from: 'price table' }],
        },
      ],
      excluded: [],
      limits: {},
    }),
  },
  'GET /console/api/prices': {
    call: 'prices.list',
    summary: 'List the operator’s own prices, which override the tables.',
    reply: json(listOf('Price', price), { items: [labPrice] }),
  },
  'POST /console/api/prices': {
    call: 'prices.put',
    summary: 'Create a price, or replace the one with this pattern.',
    body: json(newPrice, { pattern: 'lab-chat-*', entry: { input: 0.5, output: 1.5 } }),
    reply: json(price, labPrice),
  },
  'DELETE /console/api/prices': {
    call: 'prices.remove',
    summary: 'Delete a price that was created here.',
    query: { pattern: requiredText('The pattern of the price.') },
  },
  'GET /console/api/price-tables': {
    call: 'priceTables.get',
    summary: 'Get the price tables with their age and the changes that wait for confirmation.',
    reply: json(priceTables, tables),
  },
  'POST /console/api/price-tables/confirm': {
    call: 'priceTables.confirm',
    summary: 'Confirm changed prices that are held back, one model or all.',
    body: json(confirmation, { source: 'bundled', host: 'models.example.com', model: 'lab-chat-1' }),
    reply: json(priceTables, { ...tables, tables: tables.tables.map((table) => ({ ...table, held: [] })) }),
  },
} as const satisfies Partial<Record<KeyRouteName, RouteDescription>>;
