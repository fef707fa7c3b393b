/** `weir prices`: how old the prices are, new ones from a file or an address, what they change, and what waits for a confirmation. */

import type { KeptTables } from '../../configuration/kept-tables.ts';
import type { PlannedUpdate } from '../../configuration/update-prices.ts';
import type { HeldPrice } from '../../prices/held-prices.ts';
import type { KeptRateChange, PriceFetchState } from '../../store/prices/price-tables.ts';
import { ArgumentError, type Arguments, type CommandWords, readArguments } from '../arguments.ts';
import { exitCodes, type Output, printJson, reportMistakes } from '../output.ts';
import { printable } from '../table.ts';
import {
  heldJson,
  heldText,
  historyJson,
  historyText,
  statusJson,
  statusText,
  updateJson,
  updateText,
} from './prices-text.ts';

interface PricesCommandDependencies extends Output {
  /** Where tables are fetched from by themselves. */
  readonly addresses: readonly string[];
  tables(): Promise<KeptTables>;
  fetchState(): Promise<PriceFetchState>;
  /** The text at an address or in a file; rejects with a sentence. */
  read(address: string): Promise<string>;
  plan(content: string, address: string): Promise<PlannedUpdate>;
  update(content: string, address: string): Promise<PlannedUpdate>;
  confirm(source: string, isMeant: (held: HeldPrice) => boolean): Promise<readonly HeldPrice[]>;
  remove(source: string): Promise<boolean>;
  history(limit: number, model: string | undefined): Promise<readonly KeptRateChange[]>;
  /** Does a configured provider serve the model under this table's id of its host? */
  isServed(source: string, host: string, model: string): boolean;
  /** An address without what may be a secret. */
  shown(address: string): string;
  nowMs(): number;
}

const usage = `Usage:
  weir prices [--json]                          show the active price lists and their age
  weir prices update [--file F] [--url U] [--dry-run] [--all] [--json]
  weir prices held [--json]                     list changes of more than 10×, which need confirmation
  weir prices confirm SOURCE HOST/MODEL|--all   apply such changes
  weir prices history [MODEL] [--limit N] [--json]
  weir prices remove SOURCE                     remove a price list; the others and the bundled one stay

Price lists: models.dev (api.json), genai-prices (data.json) and LiteLLM (model_prices_and_context_window.json).
\`update\` without --file and --url fetches the URLs in the setting price_tables.url. A running Weir applies the
change within a second. --dry-run shows the changes without applying them; --all shows complete lists.`;

const words = {
  status: { usage, flags: { json: 'switch' } },
  update: {
    usage,
    flags: { file: 'value', url: 'value', 'dry-run': 'switch', all: 'switch', json: 'switch' },
  },
  held: { usage, flags: { json: 'switch' } },
  confirm: { usage, flags: { all: 'switch', json: 'switch' }, operandsMin: 1, operandsMax: 2 },
  history: { usage, flags: { limit: 'value', json: 'switch' }, operandsMax: 1 },
  remove: { usage, flags: { json: 'switch' }, operandsMin: 1 },
} as const satisfies Record<string, CommandWords>;

type Verb = keyof typeof words;
const isVerb = (word: string): word is Verb => Object.hasOwn(words, word);

export function pricesCommand(dependencies: PricesCommandDependencies, argv: readonly string[]): Promise<number> {
  return reportMistakes(dependencies, async () => {
    const [first = 'status', ...others] = argv;
    const [verb, rest] = first.startsWith('-') ? ['status', argv] : [first, others];
    if (!isVerb(verb)) throw new ArgumentError(`Unknown command: prices ${printable(verb)}.`, usage);
    const given = readArguments(words[verb], rest);
    if (given.help) {
      dependencies.out(`${usage}\n`);
      return exitCodes.done;
    }
    return commands[verb](dependencies, given);
  });
}

const commands: Readonly<Record<Verb, (deps: PricesCommandDependencies, given: Arguments) => Promise<number>>> = {
  async status(deps, given) {
    const [kept, fetches] = await Promise.all([deps.tables(), deps.fetchState()]);
    const facts = { kept, fetches, addresses: deps.addresses.map(deps.shown), nowMs: deps.nowMs() };
    if (given.has('json')) printJson(deps, statusJson(facts));
    else deps.out(statusText(facts));
    return exitCodes.done;
  },
  async update(deps, given) {
    const addresses = addressesOf(deps, given);
    const done: PlannedUpdate[] = [];
    let code: number = exitCodes.done;
    for (const address of addresses) {
      try {
        const content = await deps.read(address);
        done.push(await (given.has('dry-run') ? deps.plan(content, address) : deps.update(content, address)));
      } catch (error) {
        code = exitCodes.failed;
        const said = error instanceof Error ? error.message : String(error);
        deps.err(`${printable(deps.shown(address))}: ${printable(said)}\nNo prices were changed.\n`);
      }
    }
    const shown = { isServed: deps.isServed, isDry: given.has('dry-run'), isWhole: given.has('all') };
    if (given.has('json'))
      printJson(
        deps,
        done.map((update) => updateJson(update, shown)),
      );
    else for (const update of done) deps.out(updateText(update, shown));
    return code;
  },
  async held(deps, given) {
    const { tables } = await deps.tables();
    if (given.has('json')) printJson(deps, heldJson(tables));
    else if (tables.every(({ held }) => held.length === 0)) deps.err('No changes need confirmation.\n');
    else deps.out(heldText(tables));
    return exitCodes.done;
  },
  async confirm(deps, given) {
    const [source = '', name] = given.operands;
    if ((name === undefined) !== given.has('all')) throw new ArgumentError('Give HOST/MODEL or --all.', usage);
    const confirmed = await deps.confirm(
      source,
      ({ host, model }) => name === undefined || `${host}/${model}` === name,
    );
    if (given.has('json')) printJson(deps, { confirmed: confirmed.map(({ host, model }) => `${host}/${model}`) });
    else if (confirmed.length > 0)
      deps.err(`Applied ${confirmed.length} ${confirmed.length === 1 ? 'price' : 'prices'} of ${printable(source)}.\n`);
    if (confirmed.length > 0) return exitCodes.done;
    deps.err(
      `No change of ${printable(source)} with that name needs confirmation. Run \`weir prices held\` to list them.\n`,
    );
    return exitCodes.failed;
  },
  async history(deps, given) {
    const limit = limitOf(given);
    const changes = await deps.history(limit, given.operands[0]);
    if (given.has('json')) printJson(deps, historyJson(changes));
    else if (changes.length === 0) deps.err('No price changes yet.\n');
    else deps.out(historyText(changes));
    return exitCodes.done;
  },
  async remove(deps, given) {
    const [source = ''] = given.operands;
    const removed = await deps.remove(source);
    if (given.has('json')) printJson(deps, { removed });
    else deps.err(removed ? `Removed ${printable(source)}.\n` : `Price list ${printable(source)} not found.\n`);
    return removed ? exitCodes.done : exitCodes.failed;
  },
};

function addressesOf({ addresses }: PricesCommandDependencies, given: Arguments): readonly string[] {
  const named = [given.valueOf('file'), given.valueOf('url')].flatMap((address) => address ?? []);
  const url = given.valueOf('url');
  if (url !== undefined && !/^https?:\/\//i.test(url))
    throw new ArgumentError('--url must be an http or https URL.', usage);
  if (named.length > 0) return named;
  if (addresses.length > 0) return addresses;
  throw new ArgumentError('No source given. Use --file or --url, or set price_tables.url.', usage);
}

const limitDefault = 100;
const limitMax = 10_000;

function limitOf(given: Arguments): number {
  const text = given.valueOf('limit') ?? `${limitDefault}`;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit > 0 && limit <= limitMax) return limit;
  throw new ArgumentError(`--limit must be a whole number from 1 to ${limitMax}.`, usage);
}
