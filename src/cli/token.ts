/** `weir token`: create, list, show, revoke and rotate tokens. */

import type { UnitRecord } from '../access/organization.ts';
import type { TokenView } from '../admin/contracts/contract.ts';
import type { IssuedToken, TokenAdmin } from '../admin/tokens/tokens.ts';
import { ArgumentError, type Arguments, type CommandWords } from './arguments.ts';
import { projectNamed, teamNamed } from './named-records.ts';
import { type Output, printJson } from './output.ts';
import { alignedTable, printable, propertyList } from './table.ts';
import { runVerb } from './verbs.ts';

interface TokenCommandDependencies extends Output {
  readonly tokens: TokenAdmin;
  /** Every team and project. */
  units(): Promise<readonly UnitRecord[]>;
}

const usage = `Usage:
  weir token create --name N [--team TEAM [--project PROJECT]] [--budget-usd X] [--budget-period total|day|week|month]
                    [--models A,B] [--endpoints A,B] [--addresses CIDR,CIDR] [--tools A,B | --no-tools]
                    [--rpm N] [--tpm N] [--concurrency N] [--expires ISO] [--strict]
                    [--moderate before|after|both] [--moderation-model M]
                    [--label A] [--sub-tokens N] [--may-steer] [--may-explain] [--json]
  weir token list [--limit N] [--json]
  weir token show ID [--json]
  weir token revoke ID [--json]
  weir token rotate ID [--overlap-minutes N] [--json]

ID is a token's ID, the start of it, or its name; TEAM and PROJECT are IDs or names. The token counts against the
budgets and limits of its team and project. Models can contain * as wildcard: gpt-*, up/*.
--label can be repeated, or be a list (A,B); routes can target tokens by label. --may-steer lets a token
override routing, --may-explain lets it ask where a request would go without sending it. --sub-tokens is how
many smaller tokens it may create with POST /v1/tokens.
Use \`none\` to remove a limit that the configuration sets by default.`;

export function tokenCommand(dependencies: TokenCommandDependencies, argv: readonly string[]): Promise<number> {
  return runVerb({ name: 'token', usage, words, commands }, dependencies, argv);
}

const words = {
  create: {
    usage,
    flags: {
      name: 'value',
      team: 'value',
      project: 'value',
      'budget-usd': 'value',
      'budget-period': 'value',
      models: 'value',
      endpoints: 'value',
      addresses: 'value',
      tools: 'value',
      'no-tools': 'switch',
      rpm: 'value',
      'sub-tokens': 'value',
      tpm: 'value',
      concurrency: 'value',
      expires: 'value',
      strict: 'switch',
      moderate: 'value',
      'moderation-model': 'value',
      label: 'list',
      'may-steer': 'switch',
      'may-explain': 'switch',
      json: 'switch',
    },
  },
  list: { usage, flags: { limit: 'value', json: 'switch' } },
  show: { usage, flags: { json: 'switch' }, operandsMin: 1 },
  revoke: { usage, flags: { json: 'switch' }, operandsMin: 1 },
  rotate: { usage, flags: { 'overlap-minutes': 'value', json: 'switch' }, operandsMin: 1 },
} as const satisfies Record<string, CommandWords>;

type Run = (dependencies: TokenCommandDependencies, given: Arguments) => Promise<void>;

const commands: Readonly<Record<keyof typeof words, Run>> = {
  async create(dependencies, given) {
    const unitId = await unitIdFrom(dependencies, given);
    const issued = await dependencies.tokens.create(newTokenFrom(given), unitId === undefined ? {} : { unitId });
    printIssued(dependencies, given, issued, `Token "${issued.record.terms.name}" (${issued.record.id}) was created.`);
  },
  async list(dependencies, given) {
    const limit = wholeNumber(given, 'limit', 100, 10_000);
    const found = await dependencies.tokens.list({ limit: limit + 1 });
    const views = found.slice(0, limit);
    if (given.has('json')) return printJson(dependencies, views);
    if (views.length === 0) dependencies.err('No tokens yet. Create one with `weir token create --name my-app`.\n');
    else dependencies.out(tokenTable(views));
    if (found.length > limit) dependencies.err(`There are more. Use \`--limit ${limit * 10}\` to show them.\n`);
  },
  async show(dependencies, given) {
    const view = await dependencies.tokens.show(given.operands[0] ?? '');
    if (given.has('json')) printJson(dependencies, view);
    else dependencies.out(tokenProperties(view));
  },
  async revoke(dependencies, given) {
    const view = await dependencies.tokens.revoke(given.operands[0] ?? '');
    if (given.has('json')) printJson(dependencies, view);
    else
      dependencies.err(`Token "${printable(view.name)}" (${view.id}) was revoked. It stops working within a second.\n`);
  },
  async rotate(dependencies, given) {
    const minutes = wholeNumber(given, 'overlap-minutes', 0, Number.MAX_SAFE_INTEGER);
    const issued = await dependencies.tokens.rotate(given.operands[0] ?? '', { overlapMs: minutes * 60_000 });
    const old =
      minutes === 0
        ? 'The old secret stops working within a second.'
        : `The old secret works for ${minutes} more minutes.`;
    printIssued(
      dependencies,
      given,
      issued,
      `Token "${issued.record.terms.name}" (${issued.record.id}) has a new secret. ${old}`,
    );
  },
};

/** Nothing but the token goes to standard output, so that `TOKEN=$(weir token create --name x)` works. */
function printIssued(
  dependencies: TokenCommandDependencies,
  given: Arguments,
  issued: IssuedToken,
  said: string,
): void {
  if (given.has('json')) {
    printJson(dependencies, { token: issued.secret, ...dependencies.tokens.view(issued.record) });
    return;
  }
  dependencies.err(`${printable(said)} It can't be shown again:\n`);
  dependencies.out(`${issued.secret}\n`);
}

async function unitIdFrom({ units }: TokenCommandDependencies, given: Arguments): Promise<string | undefined> {
  const [team, project] = [given.valueOf('team'), given.valueOf('project')];
  if (team === undefined) {
    if (project === undefined) return undefined;
    throw new ArgumentError('--project needs --team: a project belongs to a team.', usage);
  }
  const all = await units();
  const found = teamNamed(all, team);
  return project === undefined ? found.id : projectNamed(all, found, project).id;
}

function newTokenFrom(given: Arguments): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  const put = (field: string, flag: string, read: (text: string) => unknown): void => {
    const text = given.valueOf(flag);
    if (text !== undefined) input[field] = text === 'none' ? null : read(text);
  };
  const list = (text: string): string[] => text.split(',').map((entry) => entry.trim());
  // What is no whole number is passed on unchanged: the admin interface reports the mistake.
  const number = (text: string): unknown => (/^[0-9]{1,15}$/.test(text) ? Number(text) : text);
  const name = given.valueOf('name');
  if (name !== undefined) input['name'] = name;
  put('budgetUsd', 'budget-usd', (text) => text.replace(/^\$/, ''));
  put('budgetPeriod', 'budget-period', (text) => text);
  put('models', 'models', list);
  put('endpoints', 'endpoints', list);
  put('addresses', 'addresses', list);
  put('tools', 'tools', list);
  put('rpm', 'rpm', number);
  put('subTokensMax', 'sub-tokens', number);
  put('tpm', 'tpm', number);
  put('concurrency', 'concurrency', number);
  put('expiresAt', 'expires', (text) => text);
  put('moderate', 'moderate', (text) => text);
  put('moderationModel', 'moderation-model', (text) => text);
  put('labels', 'label', list);
  if (given.has('no-tools')) input['tools'] = [];
  if (given.has('strict')) input['strict'] = true;
  if (given.has('may-steer')) input['maySteer'] = true;
  if (given.has('may-explain')) input['mayExplain'] = true;
  return input;
}

function wholeNumber(given: Arguments, flag: string, fallback: number, most: number): number {
  const text = given.valueOf(flag);
  if (text === undefined) return fallback;
  const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= most) || (flag === 'limit' && value === 0)) {
    throw new ArgumentError(`--${flag} must be a whole number${flag === 'limit' ? ` from 1 to ${most}` : ''}.`, usage);
  }
  return value;
}

const minuteText = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)}`;

function budgetText({ budget }: TokenView): string {
  if (budget === undefined) return '-';
  return `$${budget.limitUsd} ${budget.period === 'total' ? 'total' : `per ${budget.period}`}`;
}

function limitsText({ rpm, tpm, concurrency }: TokenView): string {
  const limits = [
    rpm === undefined ? [] : [`${rpm} rpm`],
    tpm === undefined ? [] : [`${tpm} tpm`],
    concurrency === undefined ? [] : [`${concurrency} concurrent`],
  ].flat();
  return limits.length === 0 ? '-' : limits.join(', ');
}

function moderationText({ moderate, moderationModel }: TokenView): string {
  if (moderate === undefined) return 'none';
  const what = { before: 'requests', after: 'responses', both: 'requests and responses' }[moderate];
  return moderationModel === undefined ? what : `${what}, by ${moderationModel}`;
}

function rightsText({ maySteer, mayExplain }: TokenView): string | undefined {
  if (maySteer) return mayExplain ? 'steer, explain' : 'steer';
  return mayExplain ? 'explain' : undefined;
}

function tokenTable(views: readonly TokenView[]): string {
  const titles = ['ID', 'NAME', 'TOKEN', 'STATE', 'CREATED (UTC)', 'LIMITS', 'BUDGET', 'LABELS', 'MAY'];
  const rows = views.map((view) => [
    view.id,
    view.name,
    view.hint,
    view.state,
    minuteText(view.createdAt),
    limitsText(view),
    budgetText(view),
    view.labels?.join(', ') ?? '-',
    rightsText(view) ?? '-',
  ]);
  return alignedTable(
    titles.map((title) => ({ title })),
    rows,
  );
}

function tokenProperties(view: TokenView): string {
  const { budget } = view;
  const all = 'all';
  return propertyList([
    ['id', view.id],
    ['name', view.name],
    ['token', view.hint],
    ['state', view.state],
    ['created', view.createdAt],
    ['expires', view.expiresAt ?? 'never'],
    ['revoked', view.revokedAt],
    ['team', view.unitId],
    ['models', view.models?.join(', ') ?? all],
    ['endpoints', view.endpoints?.join(', ') ?? all],
    ['addresses', view.addresses?.join(', ') ?? all],
    ['tools', view.tools === undefined ? 'default' : view.tools.join(', ') || 'none'],
    ['limits', limitsText(view)],
    ['budget', budgetText(view)],
    ['spent', budget?.spentUsd === undefined ? undefined : `$${budget.spentUsd}`],
    ['held', budget?.heldUsd === undefined ? undefined : `$${budget.heldUsd}`],
    ['left', budget?.leftUsd === undefined ? undefined : `$${budget.leftUsd}`],
    ['resets', budget?.leftUsd === undefined ? undefined : (budget.resetsAt ?? 'never')],
    ['strict', view.strict ? 'yes' : 'no'],
    ['moderated', moderationText(view)],
    ['labels', view.labels?.join(', ') ?? 'none'],
    ['may', rightsText(view) ?? 'none'],
  ]);
}
