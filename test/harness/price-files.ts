/**
 * Small price tables, each in the format of a public one: a model of one vendor, for so many USD per million tokens.
 */

export interface FilePrice {
  readonly input: number;
  readonly output: number;
}

const perToken = (usd: number): number => Number((usd / 1e6).toPrecision(6));

/** Each gives the text of a table; the prices are those of OpenAI's models by their names. */
export const tableTexts = {
  'models.dev': (prices: Readonly<Record<string, FilePrice>>): string =>
    JSON.stringify(
      {
        openai: {
          id: 'openai',
          name: 'OpenAI',
          models: Object.fromEntries(
            Object.entries(prices).map(([id, cost]) => [
              id,
              { id, name: id, cost, limit: { context: 1_000_000, output: 32_768 }, last_updated: '2026-11-10' },
            ]),
          ),
        },
      },
      undefined,
      2,
    ),
  'genai-prices': (prices: Readonly<Record<string, FilePrice>>): string =>
    JSON.stringify(
      [
        {
          id: 'openai',
          name: 'OpenAI',
          api_pattern: 'api.openai.com',
          models: Object.entries(prices).map(([id, { input, output }]) => ({
            id,
            match: { equals: id },
            prices: { input_mtok: input, output_mtok: output },
          })),
        },
      ],
      undefined,
      2,
    ),
  litellm: (prices: Readonly<Record<string, FilePrice>>): string =>
    JSON.stringify(
      Object.fromEntries(
        Object.entries(prices).map(([id, { input, output }]) => [
          id,
          {
            litellm_provider: 'openai',
            mode: 'chat',
            input_cost_per_token: perToken(input),
            output_cost_per_token: perToken(output),
            max_input_tokens: 1_000_000,
            max_output_tokens: 32_768,
          },
        ]),
      ),
      undefined,
      2,
    ),
} as const;

export type TableFormat = keyof typeof tableTexts;
export const tableFormats = Object.keys(tableTexts) as TableFormat[];
