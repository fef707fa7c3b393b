/** The banner at start-up: where Weir listens, what it found, and what to try first. */

interface BannerFacts {
  readonly version: string;
  readonly baseUrl: string;
  readonly startMs: number;
  readonly store: string;
  /** Processes that serve. */
  readonly workers: number;
  readonly providers: readonly {
    readonly name: string;
    readonly origin: string;
    readonly models: number | undefined;
  }[];
  readonly models: number;
  /** The tables of prices with their age, and what to do where they are old. */
  readonly prices: { readonly tables: string; readonly hint: string | undefined };
  /** Shown on the very first start and never again. */
  readonly firstToken: string | undefined;
  /** Works once, for a day: the person who opens it becomes the owner. */
  readonly setUpUrl: string | undefined;
  readonly sampleModel: string | undefined;
  readonly color: boolean;
}

export function banner(facts: BannerFacts): string {
  const strong = (text: string): string => (facts.color ? `\u001b[1m${text}\u001b[0m` : text);
  const dim = (text: string): string => (facts.color ? `\u001b[2m${text}\u001b[0m` : text);
  const origin = facts.baseUrl.replace(/\/v1$/, '');
  const lines = [
    '',
    `  ${strong(`Weir ${facts.version}`)}  ${dim(`ready in ${Math.round(facts.startMs)} ms`)}`,
    '',
    `  Base URL       ${strong(facts.baseUrl)}`,
    `  Console        ${origin}/`,
    `  Store          ${facts.store}`,
    ...(facts.workers === 1 ? [] : [`  Workers        ${facts.workers} processes`]),
    `  Providers      ${providerLine(facts, dim)}`,
    `  Models         ${facts.models} served ${dim('(GET /v1/models)')}`,
    `  Prices         ${facts.prices.tables}`,
    ...(facts.prices.hint === undefined ? [] : [`                 ${dim(facts.prices.hint)}`]),
    '',
    ...setUp(facts, strong, dim),
    ...(facts.firstToken === undefined ? laterStart(facts) : firstStart(facts, strong)),
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function providerLine({ providers }: BannerFacts, dim: (text: string) => string): string {
  const shown = providers.map(({ name, origin, models }) => {
    const count = models === undefined ? '' : `, ${models} ${models === 1 ? 'model' : 'models'}`;
    return `${name} ${dim(`(${origin}${count})`)}`;
  });
  return shown.join(', ');
}

function setUp({ setUpUrl }: BannerFacts, strong: (text: string) => string, dim: (text: string) => string): string[] {
  if (setUpUrl === undefined) return [];
  return [`  Set up the console: ${strong(setUpUrl)}`, `  ${dim('The link works once and is valid for one day.')}`, ''];
}

function firstStart(facts: BannerFacts, strong: (text: string) => string): string[] {
  const { firstToken = '', sampleModel = 'sandbox-chat' } = facts;
  return [
    `  Your first token (it can’t be shown again): ${strong(firstToken)}`,
    '',
    '  Try it:',
    '',
    `  curl ${facts.baseUrl}/chat/completions -H "Authorization: Bearer ${firstToken}" -H "Content-Type: application/json" -d '{"model":"${sampleModel}","messages":[{"role":"user","content":"Hello, what is 6 * 7?"}]}'`,
  ];
}

function laterStart(facts: BannerFacts): string[] {
  const hint = facts.providers.every(({ origin }) => origin === 'built in')
    ? ['  No provider key found, so only the sandbox answers. Set OPENAI_API_KEY or edit weir.yaml to add a provider.']
    : [];
  return [...hint, '  Create a token: npx weir token create --name my-app'];
}
