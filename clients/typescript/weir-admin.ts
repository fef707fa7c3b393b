/**
 * A client of Weir's admin API in one file, without dependencies: copy it into your project.
 * `npm run client:admin` writes it from `/openapi.json`; do not edit it.
 */

export type WeirAdmin = ReturnType<typeof createWeirAdmin>;

export function createWeirAdmin(options: WeirAdminOptions) {
  const call = createCall(options);
  return {
    tokens: tokens(call),
    organization: organization(call),
    teams: teams(call),
    projects: projects(call),
    accounts: accounts(call),
    invitations: invitations(call),
    audit: audit(call),
    signIn: signIn(call),
    endUsers: endUsers(call),
    jwt: jwt(call),
    usage: usage(call),
    tasks: tasks(call),
    providers: providers(call),
    models: models(call),
    routes: routes(call),
    prices: prices(call),
    priceTables: priceTables(call),
    health: health(call),
    settings: settings(call),
    home: home(call),
    configuration: configuration(call),
    alerts: alerts(call),
    alertChannels: alertChannels(call),
    alertRules: alertRules(call),
  };
}

export interface WeirAdminOptions {
  /** Where Weir is, such as `https://weir.example`. */
  readonly url: string;
  /** An admin key: `weir_admin_…`. */
  readonly key: string;
  /** How often a call is repeated after a network error, 429 or a temporary failure of the server; 2 by default. */
  readonly retries?: number;
  /** Of one try, until its reply is complete; 60 seconds by default. */
  readonly timeoutMs?: number;
  /** `/admin/v1` by default. */
  readonly basePath?: string;
  /** In the place of the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Of a write; without one each call makes its own, so that its retries are safe. */
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What Weir refused, or could not do. */
export class WeirError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** Such as `role_not_allowed`; empty where the reply was not Weir's. */
  readonly code: string;
  /** The field or parameter at fault; empty where there is none. */
  readonly param: string;
  /** Weir's log has the request under this ID. */
  readonly requestId: string;

  constructor(message: string, details: Pick<WeirError, 'status' | 'code' | 'param' | 'requestId'>) {
    super(message);
    this.name = 'WeirError';
    this.status = details.status;
    this.code = details.code;
    this.param = details.param;
    this.requestId = details.requestId;
  }
}

type QueryValue = string | number | boolean | readonly string[] | undefined;

interface Sent {
  readonly body?: object;
  readonly query?: object;
  readonly options: CallOptions | undefined;
}

interface Call {
  /** The parsed reply; undefined where it has none. */
  json<Reply>(method: string, path: string, sent: Sent): Promise<Reply>;
  /** The reply as it arrives. */
  file(method: string, path: string, sent: Sent): Promise<Response>;
}

const retryWaitMs = { first: 500, most: 8_000, asked: 60_000 } as const;

function createCall(client: WeirAdminOptions): Call {
  const { retries = 2, timeoutMs = 60_000, basePath = '/admin/v1' } = client;
  const send = client.fetch ?? ((url: string, init: RequestInit) => fetch(url, init));
  const root = client.url.replace(/\/+$/, '') + basePath;

  async function request(method: string, path: string, { body, query, options = {} }: Sent): Promise<Response> {
    const headers = new Headers({ authorization: `Bearer ${client.key}`, ...options.headers });
    if (method !== 'GET') headers.set('idempotency-key', options.idempotencyKey ?? crypto.randomUUID());
    const takesBody = method !== 'GET' && method !== 'DELETE';
    if (takesBody) headers.set('content-type', 'application/json');
    const url = root + path + queryText(query);
    for (let tries = 0; ; tries++) {
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]);
      const init = { method, headers, signal, ...(takesBody && { body: JSON.stringify(body ?? {}) }) };
      const outcome = await send(url, init).catch((error: unknown) => networkError(error, options.signal));
      if (outcome instanceof Response && outcome.ok) return outcome;
      const waitMs = tries < retries ? waitBefore(outcome, tries) : undefined;
      if (waitMs === undefined) throw outcome instanceof Response ? await errorOf(outcome) : outcome;
      if (outcome instanceof Response) await outcome.body?.cancel();
      await sleep(waitMs, options.signal);
    }
  }

  return {
    async json<Reply>(method: string, path: string, sent: Sent) {
      const response = await request(method, path, sent);
      return (response.status === 204 ? undefined : await response.json()) as Reply;
    },
    file: request,
  };
}

/** Every item of a list, page after page. */
async function* itemsOf<Item>(
  page: (cursor: string | undefined) => Promise<{ readonly items: readonly Item[]; readonly next: string | undefined }>,
): AsyncGenerator<Item> {
  let cursor: string | undefined;
  do {
    const { items, next } = await page(cursor);
    yield* items;
    cursor = next;
  } while (cursor !== undefined);
}

function queryText(query: object = {}): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, QueryValue][]) {
    if (value === undefined) continue;
    for (const one of typeof value === 'object' ? value : [value]) words.append(name, String(one));
  }
  return words.size === 0 ? '' : `?${words}`;
}

/** Rethrown where the caller gave up; everything else may be tried again. */
function networkError(error: unknown, given: AbortSignal | undefined): Error {
  given?.throwIfAborted();
  return error instanceof Error ? error : new Error(String(error));
}

/** How long to wait before the next try; undefined where there should be none. */
function waitBefore(outcome: Response | Error, tries: number): number | undefined {
  const backoffMs = Math.min(retryWaitMs.first * 2 ** tries, retryWaitMs.most) * (0.5 + Math.random() / 2);
  if (!(outcome instanceof Response)) return backoffMs;
  const advice = outcome.headers.get('x-should-retry');
  const isTemporary = advice === null ? outcome.status === 429 || outcome.status >= 500 : advice === 'true';
  if (!isTemporary) return undefined;
  const asked = outcome.headers.get('retry-after');
  const askedMs = asked === null ? Number.NaN : Number(asked) * 1_000;
  if (Number.isNaN(askedMs)) return backoffMs;
  return askedMs <= retryWaitMs.asked ? askedMs : undefined;
}

async function errorOf(response: Response): Promise<WeirError> {
  const text = await response.text();
  const { error } = parsed(text) as { error?: { message?: string; code?: string; param?: string } };
  return new WeirError(error?.message ?? (text.slice(0, 500) || `Status ${response.status}.`), {
    status: response.status,
    code: error?.code ?? '',
    param: error?.param ?? '',
    requestId: response.headers.get('x-request-id') ?? '',
  });
}

function parsed(text: string): object {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

const tokens = (call: Call) => ({
  /** List the tokens, newest first. Scope: `tokens:read`. */
  list: (query: TokensListQuery = {}, options?: CallOptions): Promise<TokenPage> =>
    call.json('GET', '/tokens', { query, options }),

  /** Every item of `list`, page after page. */
  listAll: (query: Omit<TokensListQuery, 'after'> = {}, options?: CallOptions): AsyncGenerator<Token> =>
    itemsOf(async (after) => {
      const { items, next } = await call.json<TokenPage>('GET', '/tokens', {
        query: { ...query, after },
        options,
      });
      return { items, next };
    }),

  /** Create a token. Its secret is in this reply and nowhere else. Scope: `tokens:write`. */
  create: (body: NewToken, options?: CallOptions): Promise<IssuedToken> =>
    call.json('POST', '/tokens', { body, options }),

  /** Get a token with its limits and what is left of its budget. Scope: `tokens:read`. */
  get: (id: string, options?: CallOptions): Promise<Token> =>
    call.json('GET', `/tokens/${encodeURIComponent(id)}`, { options }),

  /** Change a token. What is absent stays as it is; null removes a limit. Scope: `tokens:write`. */
  change: (id: string, body: TokenChanges, options?: CallOptions): Promise<Token> =>
    call.json('PATCH', `/tokens/${encodeURIComponent(id)}`, { body, options }),

  /** Revoke a token for good. Its requests in flight are ended. Scope: `tokens:write`. */
  revoke: (id: string, options?: CallOptions): Promise<Token> =>
    call.json('DELETE', `/tokens/${encodeURIComponent(id)}`, { options }),

  /** Give a token a new secret. It is in this reply and nowhere else. Scope: `tokens:write`. */
  rotate: (id: string, body: TokenRotation = {}, options?: CallOptions): Promise<IssuedToken> =>
    call.json('POST', `/tokens/${encodeURIComponent(id)}/rotate`, { body, options }),
});

const organization = (call: Call) => ({
  /** Get the organization with its teams, their projects, limits and spend. Scope: `organization:read`. */
  get: (options?: CallOptions): Promise<Organization> => call.json('GET', '/organization', { options }),

  /** Rename the organization, or change its limits. Scope: `organization:write`. */
  change: (body: UnitChanges, options?: CallOptions): Promise<Organization> =>
    call.json('PATCH', '/organization', { body, options }),
});

const teams = (call: Call) => ({
  /** Create a team. Scope: `teams:write`. */
  create: (body: NewUnit, options?: CallOptions): Promise<Team> => call.json('POST', '/teams', { body, options }),

  /** Rename a team, or change its limits. Scope: `teams:write`. */
  change: (id: string, body: UnitChanges, options?: CallOptions): Promise<Team> =>
    call.json('PATCH', `/teams/${encodeURIComponent(id)}`, { body, options }),

  /** Delete a team that has no tokens and no projects. Scope: `teams:write`. */
  remove: (id: string, options?: CallOptions): Promise<void> =>
    call.json('DELETE', `/teams/${encodeURIComponent(id)}`, { options }),

  /** List the members of a team. Scope: `teams:read`. */
  members: (id: string, options?: CallOptions): Promise<MemberList> =>
    call.json('GET', `/teams/${encodeURIComponent(id)}/members`, { options }),

  /** Add a person to a team, or change their role in it. Scope: `teams:write`. */
  setMember: (id: string, accountId: string, body: Membership, options?: CallOptions): Promise<Member> =>
    call.json('PUT', `/teams/${encodeURIComponent(id)}/members/${encodeURIComponent(accountId)}`, { body, options }),

  /** Remove a person from a team. Scope: `teams:write`. */
  removeMember: (id: string, accountId: string, options?: CallOptions): Promise<void> =>
    call.json('DELETE', `/teams/${encodeURIComponent(id)}/members/${encodeURIComponent(accountId)}`, { options }),

  /** Create a project in a team. Scope: `teams:write`. */
  createProject: (id: string, body: NewUnit, options?: CallOptions): Promise<Project> =>
    call.json('POST', `/teams/${encodeURIComponent(id)}/projects`, { body, options }),
});

const projects = (call: Call) => ({
  /** Rename a project, or change its limits. Scope: `projects:write`. */
  change: (id: string, body: UnitChanges, options?: CallOptions): Promise<Project> =>
    call.json('PATCH', `/projects/${encodeURIComponent(id)}`, { body, options }),

  /** Delete a project that has no tokens. Scope: `projects:write`. */
  remove: (id: string, options?: CallOptions): Promise<void> =>
    call.json('DELETE', `/projects/${encodeURIComponent(id)}`, { options }),
});

const accounts = (call: Call) => ({
  /** Get the limits of a person over all their tokens, and the teams they are in. Scope: `accounts:read`. */
  terms: (id: string, options?: CallOptions): Promise<PersonTerms> =>
    call.json('GET', `/accounts/${encodeURIComponent(id)}/terms`, { options }),

  /** Change the limits of a person over all their tokens. Scope: `accounts:write`. */
  changeTerms: (id: string, body: PersonTermsChanges, options?: CallOptions): Promise<PersonTerms> =>
    call.json('PATCH', `/accounts/${encodeURIComponent(id)}/terms`, { body, options }),

  /** List the accounts. Scope: `accounts:read`. */
  list: (options?: CallOptions): Promise<AccountList> => call.json('GET', '/accounts', { options }),

  /** Create an account. Scope: `accounts:write`. */
  create: (body: NewAccount, options?: CallOptions): Promise<IssuedAccount> =>
    call.json('POST', '/accounts', { body, options }),

  /** Rename an account, change its role, or disable it. Scope: `accounts:write`. */
  change: (id: string, body: AccountChanges, options?: CallOptions): Promise<Account> =>
    call.json('PATCH', `/accounts/${encodeURIComponent(id)}`, { body, options }),

  /** Give an account a new password and end its sessions. Scope: `accounts:write`. */
  resetPassword: (id: string, body: PasswordReset = {}, options?: CallOptions): Promise<IssuedAccount> =>
    call.json('POST', `/accounts/${encodeURIComponent(id)}/password`, { body, options }),

  /** List the sessions of an account. Scope: `accounts:read`. */
  sessions: (id: string, options?: CallOptions): Promise<SessionList> =>
    call.json('GET', `/accounts/${encodeURIComponent(id)}/sessions`, { options }),

  /** End all sessions of an account. Scope: `accounts:write`. */
  revokeSessions: (id: string, options?: CallOptions): Promise<SessionsRevoked> =>
    call.json('DELETE', `/accounts/${encodeURIComponent(id)}/sessions`, { options }),

  /** Remove the second factors of an account, for a person who lost them. Scope: `accounts:write`. */
  removeFactors: (id: string, options?: CallOptions): Promise<FactorsRemoved> =>
    call.json('DELETE', `/accounts/${encodeURIComponent(id)}/factors`, { options }),
});

const invitations = (call: Call) => ({
  /** List the open invitations and those that ended recently. Scope: `invitations:read`. */
  list: (options?: CallOptions): Promise<InvitationList> => call.json('GET', '/invitations', { options }),

  /** Create an invitation link. Scope: `invitations:write`. */
  create: (body: NewInvitation, options?: CallOptions): Promise<IssuedInvitation> =>
    call.json('POST', '/invitations', { body, options }),

  /** Revoke an open invitation. Scope: `invitations:write`. */
  revoke: (id: string, options?: CallOptions): Promise<void> =>
    call.json('DELETE', `/invitations/${encodeURIComponent(id)}`, { options }),
});

const audit = (call: Call) => ({
  /** List who changed what, newest first. Scope: `audit:read`. */
  list: (query: AuditListQuery = {}, options?: CallOptions): Promise<AuditPage> =>
    call.json('GET', '/audit', { query, options }),

  /** Every item of `list`, page after page. */
  listAll: (query: Omit<AuditListQuery, 'after'> = {}, options?: CallOptions): AsyncGenerator<AuditEntry> =>
    itemsOf(async (after) => {
      const { items, next } = await call.json<AuditPage>('GET', '/audit', {
        query: { ...query, after },
        options,
      });
      return { items, next };
    }),
});

const signIn = (call: Call) => ({
  /** Get the issuers that people sign in through, without their secrets. Scope: `sign-in:read`. */
  settings: (options?: CallOptions): Promise<SignInSettings> => call.json('GET', '/sign-in/settings', { options }),

  /** Check whether an issuer can be reached and supports what sign-in needs. Scope: `sign-in:write`. */
  testIssuer: (name: string, options?: CallOptions): Promise<IssuerTest> =>
    call.json('POST', `/sign-in/issuers/${encodeURIComponent(name)}/test`, { options }),
});

const endUsers = (call: Call) => ({
  /** List the end users whom requests named, the last seen first. Scope: `end-users:read`. */
  list: (query: EndUsersListQuery = {}, options?: CallOptions): Promise<EndUserPage> =>
    call.json('GET', '/end-users', { query, options }),

  /** Every item of `list`, page after page. */
  listAll: (query: Omit<EndUsersListQuery, 'after'> = {}, options?: CallOptions): AsyncGenerator<EndUser> =>
    itemsOf(async (after) => {
      const { items, next } = await call.json<EndUserPage>('GET', '/end-users', {
        query: { ...query, after },
        options,
      });
      return { items, next };
    }),

  /** Get an end user with limits and spend. Scope: `end-users:read`. */
  get: (id: string, options?: CallOptions): Promise<EndUser> =>
    call.json('GET', `/end-users/${encodeURIComponent(id)}`, { options }),

  /** Give an end user limits of their own, block or unblock them, or write a note. Scope: `end-users:write`. */
  change: (id: string, body: EndUserChanges, options?: CallOptions): Promise<EndUser> =>
    call.json('PATCH', `/end-users/${encodeURIComponent(id)}`, { body, options }),

  /** Forget an end user: their limits, note and spend of budgets. Scope: `end-users:write`. */
  forget: (id: string, options?: CallOptions): Promise<void> =>
    call.json('DELETE', `/end-users/${encodeURIComponent(id)}`, { options }),
});

const jwt = (call: Call) => ({
  /** List the revoked JWTs that have not expired yet, newest first, at most 500. Scope: `jwt:read`. */
  revocations: (options?: CallOptions): Promise<JwtRevocationList> => call.json('GET', '/jwt/revocations', { options }),

  /** Revoke one JWT by its id, or all JWTs of a subject. Scope: `jwt:write`. */
  revoke: (body: NewJwtRevocation, options?: CallOptions): Promise<JwtRevoked> =>
    call.json('POST', '/jwt/revocations', { body, options }),
});

const usage = (call: Call) => ({
  /** Get usage over time, with the largest models, providers, tokens and errors. Scope: `usage:read`. */
  overview: (query: UsageOverviewQuery = {}, options?: CallOptions): Promise<Overview> =>
    call.json('GET', '/usage/overview', { query, options }),

  /** Get usage by one dimension, over the range and over time. Scope: `usage:read`. */
  breakdown: (query: UsageBreakdownQuery, options?: CallOptions): Promise<Breakdown> =>
    call.json('GET', '/usage/breakdown', { query, options }),

  /** List the requests, newest first. Scope: `usage:read`. */
  requests: (query: UsageRequestsQuery = {}, options?: CallOptions): Promise<UsageRequestPage> =>
    call.json('GET', '/usage/requests', { query, options }),

  /** Every item of `requests`, page after page. */
  requestsAll: (query: Omit<UsageRequestsQuery, 'cursor'> = {}, options?: CallOptions): AsyncGenerator<UsageRequest> =>
    itemsOf(async (cursor) => {
      const { items, older: next } = await call.json<UsageRequestPage>('GET', '/usage/requests', {
        query: { ...query, cursor },
        options,
      });
      return { items, next };
    }),

  /** Get one request with its attempts and the lines of its cost. Scope: `usage:read`. */
  request: (id: string, options?: CallOptions): Promise<RequestDetail> =>
    call.json('GET', `/usage/requests/${encodeURIComponent(id)}`, { options }),

  /** Get the texts of a request and its reply, if they are stored. Scope: `usage:read`. */
  content: (id: string, options?: CallOptions): Promise<RequestContent> =>
    call.json('GET', `/usage/requests/${encodeURIComponent(id)}/content`, { options }),

  /** Count the requests. Scope: `usage:read`. */
  count: (query: UsageCountQuery = {}, options?: CallOptions): Promise<Count> =>
    call.json('GET', '/usage/count', { query, options }),

  /** Download the requests as a file. Scope: `usage:read`. */
  export: (query: UsageExportQuery = {}, options?: CallOptions): Promise<Response> =>
    call.file('GET', '/usage/export', { query, options }),

  /** Download sums by any dimensions and by day or month as a file. Scope: `usage:read`. */
  exportSums: (query: UsageExportSumsQuery, options?: CallOptions): Promise<Response> =>
    call.file('GET', '/usage/export/sums', { query, options }),

  /** List the tokens whose budget is nearly spent. Scope: `usage:read`. */
  budgets: (options?: CallOptions): Promise<BudgetAlarmList> => call.json('GET', '/usage/budgets', { options }),

  /** List the models that were used in the last 30 days and have no price. Scope: `usage:read`. */
  unpriced: (options?: CallOptions): Promise<UnpricedModels> => call.json('GET', '/usage/unpriced', { options }),

  /** List the models in use that their providers will shut down. Scope: `usage:read`. */
  ending: (options?: CallOptions): Promise<EndingModelList> => call.json('GET', '/usage/ending', { options }),
});

const tasks = (call: Call) => ({
  /** List the video tasks, newest first. Scope: `tasks:read`. */
  list: (query: TasksListQuery = {}, options?: CallOptions): Promise<TaskPage> =>
    call.json('GET', '/tasks', { query, options }),

  /** Every item of `list`, page after page. */
  listAll: (query: Omit<TasksListQuery, 'after'> = {}, options?: CallOptions): AsyncGenerator<Task> =>
    itemsOf(async (after) => {
      const { items, next } = await call.json<TaskPage>('GET', '/tasks', {
        query: { ...query, after },
        options,
      });
      return { items, next };
    }),

  /** Download a video of a task. Scope: `tasks:read`. */
  video: (id: string, index: string, options?: CallOptions): Promise<Response> =>
    call.file('GET', `/tasks/${encodeURIComponent(id)}/videos/${encodeURIComponent(index)}`, { options }),
});

const providers = (call: Call) => ({
  /** List the providers that Weir knows by name. Scope: `presets:read`. */
  presets: (options?: CallOptions): Promise<PresetList> => call.json('GET', '/presets', { options }),

  /** List the providers with their keys, models and health. Scope: `providers:read`. */
  list: (options?: CallOptions): Promise<ProviderList> => call.json('GET', '/providers', { options }),

  /** Add a provider. Scope: `providers:write`. */
  create: (body: NewProvider, options?: CallOptions): Promise<Provider> =>
    call.json('POST', '/providers', { body, options }),

  /** Check a provider that is not saved, by its list of models. Nothing is charged. Scope: `providers:write`. */
  tryDraft: (body: NewProvider, options?: CallOptions): Promise<ProviderTrial> =>
    call.json('POST', '/providers/trial', { body, options }),

  /** Change a provider that was added here. Scope: `providers:write`. */
  change: (name: string, body: ProviderChanges, options?: CallOptions): Promise<ChangedProvider> =>
    call.json('PATCH', `/providers/${encodeURIComponent(name)}`, { body, options }),

  /** Delete a provider that was added here, with its keys. Scope: `providers:write`. */
  remove: (name: string, options?: CallOptions): Promise<void> =>
    call.json('DELETE', `/providers/${encodeURIComponent(name)}`, { options }),

  /** Check a provider by its list of models. Nothing is charged. Scope: `providers:write`. */
  try: (name: string, options?: CallOptions): Promise<ProviderTrial> =>
    call.json('POST', `/providers/${encodeURIComponent(name)}/trial`, { options }),

  /** Pause a provider that is configured in a file or variable, or resume it. Scope: `providers:write`. */
  pause: (name: string, body: ProviderPause, options?: CallOptions): Promise<Provider> =>
    call.json('POST', `/providers/${encodeURIComponent(name)}/pause`, { body, options }),
});

const models = (call: Call) => ({
  /** List the served models. Scope: `models:read`. */
  list: (options?: CallOptions): Promise<ModelList> => call.json('GET', '/models', { options }),

  /** Get a served model with its targets, prices and capabilities. Scope: `model:read`. */
  get: (query: ModelsGetQuery, options?: CallOptions): Promise<ModelDetail> =>
    call.json('GET', '/model', { query, options }),
});

const routes = (call: Call) => ({
  /** List the routes of model names. Scope: `routes:read`. */
  list: (options?: CallOptions): Promise<RouteList> => call.json('GET', '/routes', { options }),

  /** Create a route, or replace the one with this name. Scope: `routes:write`. */
  put: (body: NewRoute, options?: CallOptions): Promise<Route> => call.json('POST', '/routes', { body, options }),

  /** Delete a route that was created here. Scope: `routes:write`. */
  remove: (query: RoutesRemoveQuery, options?: CallOptions): Promise<void> =>
    call.json('DELETE', '/routes', { query, options }),

  /** Explain how a request would be routed. No provider is called and nothing is charged. Scope: `explain:write`. */
  explain: (body: ExplainRequest, options?: CallOptions): Promise<Explanation> =>
    call.json('POST', '/explain', { body, options }),
});

const prices = (call: Call) => ({
  /** List the operator’s own prices, which override the tables. Scope: `prices:read`. */
  list: (options?: CallOptions): Promise<PriceList> => call.json('GET', '/prices', { options }),

  /** Create a price, or replace the one with this pattern. Scope: `prices:write`. */
  put: (body: NewPrice, options?: CallOptions): Promise<Price> => call.json('POST', '/prices', { body, options }),

  /** Delete a price that was created here. Scope: `prices:write`. */
  remove: (query: PricesRemoveQuery, options?: CallOptions): Promise<void> =>
    call.json('DELETE', '/prices', { query, options }),
});

const priceTables = (call: Call) => ({
  /** Get the price tables with their age and the changes that wait for confirmation. Scope: `price-tables:read`. */
  get: (options?: CallOptions): Promise<PriceTables> => call.json('GET', '/price-tables', { options }),

  /** Confirm changed prices that are held back, one model or all. Scope: `price-tables:write`. */
  confirm: (body: PriceConfirmation, options?: CallOptions): Promise<PriceTables> =>
    call.json('POST', '/price-tables/confirm', { body, options }),
});

const health = (call: Call) => ({
  /** Get the health of providers, targets and keys in the last hour. Scope: `health:read`. */
  get: (options?: CallOptions): Promise<Health> => call.json('GET', '/health', { options }),
});

const settings = (call: Call) => ({
  /** List every setting with its value, its origin and its allowed values. Scope: `settings:read`. */
  list: (options?: CallOptions): Promise<SettingList> => call.json('GET', '/settings', { options }),

  /** Change settings that take effect at once: all of them, or none. Scope: `settings:write`. */
  change: (body: SettingChanges, options?: CallOptions): Promise<SettingList> =>
    call.json('PATCH', '/settings', { body, options }),
});

const home = (call: Call) => ({
  /** Get the text of the home page. Scope: `home:read`. */
  get: (options?: CallOptions): Promise<HomeText> => call.json('GET', '/home', { options }),

  /** Change the text of the home page, or hide the page. Scope: `home:write`. */
  change: (body: HomeTextChanges, options?: CallOptions): Promise<HomeText> =>
    call.json('PATCH', '/home', { body, options }),
});

const configuration = (call: Call) => ({
  /** Get what was configured here as a part of `weir.yaml`. Scope: `export:read`. */
  export: (options?: CallOptions): Promise<ConfigurationFile> => call.json('GET', '/export', { options }),
});

const alerts = (call: Call) => ({
  /** List the alerts, newest first, with their deliveries. Scope: `alerts:read`. */
  list: (query: AlertsListQuery = {}, options?: CallOptions): Promise<AlertPage> =>
    call.json('GET', '/alerts', { query, options }),

  /** Every item of `list`, page after page. */
  listAll: (query: Omit<AlertsListQuery, 'after'> = {}, options?: CallOptions): AsyncGenerator<Alert> =>
    itemsOf(async (after) => {
      const { items, next } = await call.json<AlertPage>('GET', '/alerts', {
        query: { ...query, after },
        options,
      });
      return { items, next };
    }),
});

const alertChannels = (call: Call) => ({
  /** List the channels that alerts are sent to. Scope: `alert-channels:read`. */
  list: (options?: CallOptions): Promise<AlertChannelList> => call.json('GET', '/alert-channels', { options }),

  /** Create a channel: a webhook, a chat or mail. Scope: `alert-channels:write`. */
  create: (body: NewAlertChannel, options?: CallOptions): Promise<IssuedAlertChannel> =>
    call.json('POST', '/alert-channels', { body, options }),

  /** Change a channel. What is absent stays as it is. Scope: `alert-channels:write`. */
  change: (id: string, body: AlertChannelChanges, options?: CallOptions): Promise<IssuedAlertChannel> =>
    call.json('PATCH', `/alert-channels/${encodeURIComponent(id)}`, { body, options }),

  /** Delete a channel. Scope: `alert-channels:write`. */
  remove: (id: string, options?: CallOptions): Promise<void> =>
    call.json('DELETE', `/alert-channels/${encodeURIComponent(id)}`, { options }),

  /** Send a test message to a channel. Scope: `alert-channels:write`. */
  test: (id: string, options?: CallOptions): Promise<AlertChannelTest> =>
    call.json('POST', `/alert-channels/${encodeURIComponent(id)}/test`, { options }),
});

const alertRules = (call: Call) => ({
  /** List the rules that choose what is sent where. Scope: `alert-rules:read`. */
  list: (options?: CallOptions): Promise<AlertRuleList> => call.json('GET', '/alert-rules', { options }),

  /** Create a rule. Scope: `alert-rules:write`. */
  create: (body: NewAlertRule, options?: CallOptions): Promise<AlertRule> =>
    call.json('POST', '/alert-rules', { body, options }),

  /** Change a rule. What is absent stays as it is; null removes. Scope: `alert-rules:write`. */
  change: (id: string, body: AlertRuleChanges, options?: CallOptions): Promise<AlertRule> =>
    call.json('PATCH', `/alert-rules/${encodeURIComponent(id)}`, { body, options }),

  /** Delete a rule. Scope: `alert-rules:write`. */
  remove: (id: string, options?: CallOptions): Promise<void> =>
    call.json('DELETE', `/alert-rules/${encodeURIComponent(id)}`, { options }),
});

export interface TokensListQuery {
  /** The ID of the account that the tokens belong to. */
  readonly owner?: string | undefined;
  /** The ID of a team: its tokens and those of its projects. */
  readonly team?: string | undefined;
  /** The ID of a project. */
  readonly project?: string | undefined;
  /** Words that occur in the name, ID, hint, labels or owner. */
  readonly q?: string | undefined;
  /** The state of the tokens. */
  readonly state?: 'active' | 'disabled' | 'expired' | 'revoked' | undefined;
  /** Another order; `-` reverses it. */
  readonly sort?:
    | 'name'
    | '-name'
    | 'owner'
    | '-owner'
    | 'expires'
    | '-expires'
    | 'budget'
    | '-budget'
    | 'month'
    | '-month'
    | 'total'
    | '-total'
    | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
}

export interface AuditListQuery {
  /** The ID of the account that did it. */
  readonly account?: string | undefined;
  /** What was done. */
  readonly action?: AuditAction | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
}

export interface EndUsersListQuery {
  /** Items per page. */
  readonly limit?: number | undefined;
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
  /** Part of their name. */
  readonly q?: string | undefined;
  /** The ID of the token that named them first. */
  readonly token?: string | undefined;
  /** The ID of a team: also those of its projects and tokens. */
  readonly team?: string | undefined;
  /** The ID of a project. */
  readonly project?: string | undefined;
  /** Blocked or not. */
  readonly blocked?: 'true' | 'false' | undefined;
}

export interface UsageQuery {
  /** The beginning. A date such as `2030-01-31T12:00:00Z`, or milliseconds since 1970. */
  readonly from?: string | undefined;
  /** The end, exclusive. A date such as `2030-01-31T12:00:00Z`, or milliseconds since 1970. */
  readonly to?: string | undefined;
  /** Names of models. */
  readonly model?: string | readonly string[] | undefined;
  /** Names of providers. */
  readonly provider?: string | readonly string[] | undefined;
  /** IDs of tokens. */
  readonly token?: string | readonly string[] | undefined;
  /** Labels of tokens. */
  readonly label?: string | readonly string[] | undefined;
  /** The ID of the account that the tokens belong to. */
  readonly owner?: string | undefined;
  /** IDs of teams. */
  readonly team?: string | readonly string[] | undefined;
  /** IDs of projects. */
  readonly project?: string | readonly string[] | undefined;
  /** End users that requests named. */
  readonly user?: string | readonly string[] | undefined;
  /** Tags of requests. */
  readonly tag?: string | readonly string[] | undefined;
  /** Names of endpoints. */
  readonly endpoint?: string | readonly string[] | undefined;
  /** IDs of keys of providers. */
  readonly key?: string | readonly string[] | undefined;
  /** Error codes; an empty one is success. */
  readonly code?: string | readonly string[] | undefined;
  /** First digits of a status; 0 where there was none. */
  readonly status?: string | readonly string[] | undefined;
  /** Streamed or not. */
  readonly stream?: boolean | undefined;
  /** With an estimated cost or an exact one. */
  readonly estimated?: boolean | undefined;
  /** The least cost, such as `0.25`. */
  readonly min_cost_usd?: string | undefined;
  /** The least duration in milliseconds. */
  readonly min_duration_ms?: number | undefined;
  /** `true`: only requests that needed more than one attempt. */
  readonly fallback?: boolean | undefined;
  /** The beginning of a request ID. */
  readonly id?: string | undefined;
}

export interface UsageOverviewQuery extends UsageQuery {
  /** How long a step in time is; chosen by the range where absent. */
  readonly bucket?: 'minute' | 'hour' | 'day' | 'week' | undefined;
}

export interface UsageBreakdownQuery extends UsageQuery {
  /** What to group by. */
  readonly by:
    | 'model'
    | 'provider'
    | 'token'
    | 'label'
    | 'owner'
    | 'team'
    | 'project'
    | 'user'
    | 'tag'
    | 'endpoint'
    | 'key'
    | 'code';
  /** What the largest groups are the largest by; `cost` by default. */
  readonly order?: 'cost' | 'requests' | 'tokens' | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** How long a step in time is; chosen by the range where absent. */
  readonly bucket?: 'minute' | 'hour' | 'day' | 'week' | undefined;
}

export interface UsageRequestsQuery extends UsageQuery {
  /** Items per page. */
  readonly limit?: number | undefined;
  /** The `older` or `newer` of another page. */
  readonly cursor?: string | undefined;
  /** Which side of the cursor; `older` by default. */
  readonly direction?: 'older' | 'newer' | undefined;
  /** Instead of a page: the requests that cost the most or took the longest. */
  readonly top?: 'cost' | 'total' | undefined;
}

export type UsageCountQuery = UsageQuery;

export interface UsageExportQuery extends UsageQuery {
  /** The format of the file; `csv` by default. */
  readonly form?: 'csv' | 'json' | undefined;
}

export interface UsageExportSumsQuery extends UsageQuery {
  /** Columns separated by commas: model, provider, token, label, owner, team, project, user, tag, endpoint, key, code, day, month. */
  readonly by: string;
  /** The format of the file; `csv` by default. */
  readonly form?: 'csv' | 'json' | undefined;
}

export interface TasksListQuery {
  /** The state of the tasks. */
  readonly state?: 'queued' | 'in_progress' | 'completed' | 'failed' | undefined;
  /** The name of a model. */
  readonly model?: string | undefined;
  /** The ID of a token. */
  readonly token?: string | undefined;
  /** The ID of a team. */
  readonly team?: string | undefined;
  /** The ID of a project. */
  readonly project?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
}

export interface ModelsGetQuery {
  /** The name of the model. */
  readonly id: string;
}

export interface RoutesRemoveQuery {
  /** The name of the route. */
  readonly alias: string;
}

export interface PricesRemoveQuery {
  /** The pattern of the price. */
  readonly pattern: string;
}

export interface AlertsListQuery {
  /** What they are about. */
  readonly kind?:
    | 'budget'
    | 'unusual-spend'
    | 'error-rate'
    | 'provider-down'
    | 'key-refused'
    | 'token-expiry'
    | 'unpriced-use'
    | 'model-shutdown'
    | 'replica-fault'
    | undefined;
  /** The state of the alerts. */
  readonly state?: 'open' | 'resolved' | 'noted' | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
}

export interface NewAlertChannel {
  readonly kind: 'webhook' | 'slack' | 'discord' | 'teams' | 'feishu' | 'mail';
  readonly name: string;
  /** Of every kind but mail; only its host is shown again. */
  readonly url?: string;
  /** Signs what is sent; of webhook and feishu. A webhook without one gets one, which is returned once. */
  readonly secret?: string;
  /** Mail addresses; of mail only. */
  readonly to?: readonly string[];
}

export interface AlertChannelChanges {
  readonly name?: string;
  /** Of every kind but mail; only its host is shown again. */
  readonly url?: string;
  readonly secret?: string | null;
  /** A webhook gets another secret, which is returned once. */
  readonly newSecret?: true;
  /** Mail addresses; of mail only. */
  readonly to?: readonly string[];
  readonly disabled?: boolean;
}

export interface NewAlertRule {
  readonly name: string;
  readonly kinds: readonly (
    | 'budget'
    | 'unusual-spend'
    | 'error-rate'
    | 'provider-down'
    | 'key-refused'
    | 'token-expiry'
    | 'unpriced-use'
    | 'model-shutdown'
    | 'replica-fault'
  )[];
  /** IDs of channels. */
  readonly channels: readonly string[];
  /** Less severe alerts are not sent. */
  readonly severityMin?: 'info' | 'warning' | 'critical';
  /** At which parts of a budget to alert. */
  readonly budgetPercents?: readonly number[];
  /** How many times the usual spend of an hour is unusual. */
  readonly spendFactor?: number;
  /** Less in an hour is never unusual. */
  readonly spendUsdMin?: string;
  readonly errorPercent?: number;
  /** With fewer attempts there is no error rate. */
  readonly errorAttemptsMin?: number;
  /** How many days before a token expires. */
  readonly expiryDays?: readonly number[];
  /** How many days before a model is shut down. */
  readonly shutdownDays?: readonly number[];
  /** Local hours without messages; null for none. */
  readonly quiet?: {
    readonly timeZone: string;
    readonly from: string;
    readonly to: string;
    readonly criticalPasses?: boolean;
  } | null;
  /** How often an open alert is sent again; null for never. */
  readonly repeatMinutes?: number | null;
  readonly disabled?: boolean;
}

export interface AlertRuleChanges {
  readonly name?: string;
  readonly kinds?: readonly (
    | 'budget'
    | 'unusual-spend'
    | 'error-rate'
    | 'provider-down'
    | 'key-refused'
    | 'token-expiry'
    | 'unpriced-use'
    | 'model-shutdown'
    | 'replica-fault'
  )[];
  /** IDs of channels. */
  readonly channels?: readonly string[];
  /** Less severe alerts are not sent. */
  readonly severityMin?: 'info' | 'warning' | 'critical';
  /** At which parts of a budget to alert. */
  readonly budgetPercents?: readonly number[];
  /** How many times the usual spend of an hour is unusual. */
  readonly spendFactor?: number;
  /** Less in an hour is never unusual. */
  readonly spendUsdMin?: string;
  readonly errorPercent?: number;
  /** With fewer attempts there is no error rate. */
  readonly errorAttemptsMin?: number;
  /** How many days before a token expires. */
  readonly expiryDays?: readonly number[];
  /** How many days before a model is shut down. */
  readonly shutdownDays?: readonly number[];
  /** Local hours without messages; null for none. */
  readonly quiet?: {
    readonly timeZone: string;
    readonly from: string;
    readonly to: string;
    readonly criticalPasses?: boolean;
  } | null;
  /** How often an open alert is sent again; null for never. */
  readonly repeatMinutes?: number | null;
  readonly disabled?: boolean;
}

export interface EndUserChanges {
  /** Their own limits; null, and a field that is null: the defaults of the level count again. */
  readonly terms?: {
    readonly budgets?:
      | readonly {
          readonly id?: string;
          readonly unit: 'usd' | 'requests' | 'tokens';
          readonly limit: string | number;
          readonly period: 'total' | 'day' | 'week' | 'month';
          readonly models?: readonly string[] | null;
          readonly raise?: {
            readonly limit: string | number;
            readonly until?: string | null;
          } | null;
        }[]
      | null;
    readonly rpm?: number | null;
    readonly concurrency?: number | null;
    readonly models?: readonly string[] | null;
  } | null;
  /** Refuse every request that names them. */
  readonly blocked?: boolean;
  /** For administrators. */
  readonly note?: string;
}

export interface SettingChanges {
  /** By key, such as `limits.requests`; null returns to the default. */
  readonly values: Readonly<Record<string, unknown>>;
}

export interface HomeTextChanges {
  readonly shown?: boolean;
  /** Null returns to Weir’s own. */
  readonly title?: string | null;
  /** One paragraph a line; null returns to Weir’s own. */
  readonly text?: string | null;
  /** Changes nothing. */
  readonly locked?: boolean;
}

export interface NewJwtRevocation {
  /** Its name in `jwt.issuers`, or its URL. */
  readonly issuer: string;
  /** One JWT. Give this or `subject`. */
  readonly jti?: string;
  /** All JWTs of this subject, also later ones, until its token is enabled again. */
  readonly subject?: string;
}

export interface NewRouteEntry {
  readonly targets: readonly {
    readonly provider: string;
    readonly model: string;
    readonly only?: {
      readonly operations?: readonly string[];
      readonly input?: readonly string[];
      readonly input_tokens_max?: number;
      readonly region?: string;
      readonly labels?: readonly string[];
    };
    readonly first_event_timeout_ms?: number;
    readonly weight?: number;
    readonly tier?: number;
  }[];
  readonly choose?: 'weighted' | 'least_busy' | 'fastest' | 'cheapest';
  readonly affinity?: boolean;
  readonly moderation?: 'before' | 'after' | 'both';
}

export interface NewRoute {
  /** The name of the model; it may hold slashes and one star. */
  readonly alias: string;
  /** As in `models` of `weir.yaml`. */
  readonly entry: NewRouteEntry;
}

export interface NewPriceEntry {
  readonly input?: number;
  readonly output?: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
  readonly cache_write_1h?: number;
  readonly input_audio?: number;
  readonly input_image?: number;
  readonly input_video?: number;
  readonly cached_audio?: number;
  readonly cached_image?: number;
  readonly cached_video?: number;
  readonly thinking?: number;
  readonly output_audio?: number;
  readonly output_image?: number;
  readonly output_video?: number;
  readonly image?: number;
  readonly images?: Readonly<Record<string, number>>;
  readonly minute?: number;
  readonly characters?: number;
  readonly searches?: number;
  readonly video_second?: number;
  readonly video_seconds?: Readonly<Record<string, number>>;
  readonly video?: number;
  readonly page?: number;
  readonly request?: number;
  readonly web_searches?: number;
  readonly tools?: Readonly<Record<string, number>>;
  readonly above?: Readonly<
    Record<
      string,
      {
        readonly input?: number;
        readonly output?: number;
        readonly cache_read?: number;
        readonly cache_write?: number;
        readonly cache_write_1h?: number;
        readonly input_audio?: number;
        readonly input_image?: number;
        readonly input_video?: number;
        readonly cached_audio?: number;
        readonly cached_image?: number;
        readonly cached_video?: number;
        readonly thinking?: number;
        readonly output_audio?: number;
        readonly output_image?: number;
        readonly output_video?: number;
      }
    >
  >;
  readonly service_tiers?: {
    readonly flex?: {
      readonly input?: number;
      readonly output?: number;
      readonly cache_read?: number;
      readonly cache_write?: number;
      readonly cache_write_1h?: number;
      readonly input_audio?: number;
      readonly input_image?: number;
      readonly input_video?: number;
      readonly cached_audio?: number;
      readonly cached_image?: number;
      readonly cached_video?: number;
      readonly thinking?: number;
      readonly output_audio?: number;
      readonly output_image?: number;
      readonly output_video?: number;
      readonly above?: Readonly<
        Record<
          string,
          {
            readonly input?: number;
            readonly output?: number;
            readonly cache_read?: number;
            readonly cache_write?: number;
            readonly cache_write_1h?: number;
            readonly input_audio?: number;
            readonly input_image?: number;
            readonly input_video?: number;
            readonly cached_audio?: number;
            readonly cached_image?: number;
            readonly cached_video?: number;
            readonly thinking?: number;
            readonly output_audio?: number;
            readonly output_image?: number;
            readonly output_video?: number;
          }
        >
      >;
    };
    readonly priority?: {
      readonly input?: number;
      readonly output?: number;
      readonly cache_read?: number;
      readonly cache_write?: number;
      readonly cache_write_1h?: number;
      readonly input_audio?: number;
      readonly input_image?: number;
      readonly input_video?: number;
      readonly cached_audio?: number;
      readonly cached_image?: number;
      readonly cached_video?: number;
      readonly thinking?: number;
      readonly output_audio?: number;
      readonly output_image?: number;
      readonly output_video?: number;
      readonly above?: Readonly<
        Record<
          string,
          {
            readonly input?: number;
            readonly output?: number;
            readonly cache_read?: number;
            readonly cache_write?: number;
            readonly cache_write_1h?: number;
            readonly input_audio?: number;
            readonly input_image?: number;
            readonly input_video?: number;
            readonly cached_audio?: number;
            readonly cached_image?: number;
            readonly cached_video?: number;
            readonly thinking?: number;
            readonly output_audio?: number;
            readonly output_image?: number;
            readonly output_video?: number;
          }
        >
      >;
    };
    readonly batch?: {
      readonly input?: number;
      readonly output?: number;
      readonly cache_read?: number;
      readonly cache_write?: number;
      readonly cache_write_1h?: number;
      readonly input_audio?: number;
      readonly input_image?: number;
      readonly input_video?: number;
      readonly cached_audio?: number;
      readonly cached_image?: number;
      readonly cached_video?: number;
      readonly thinking?: number;
      readonly output_audio?: number;
      readonly output_image?: number;
      readonly output_video?: number;
      readonly above?: Readonly<
        Record<
          string,
          {
            readonly input?: number;
            readonly output?: number;
            readonly cache_read?: number;
            readonly cache_write?: number;
            readonly cache_write_1h?: number;
            readonly input_audio?: number;
            readonly input_image?: number;
            readonly input_video?: number;
            readonly cached_audio?: number;
            readonly cached_image?: number;
            readonly cached_video?: number;
            readonly thinking?: number;
            readonly output_audio?: number;
            readonly output_image?: number;
            readonly output_video?: number;
          }
        >
      >;
    };
    readonly fast?: {
      readonly input?: number;
      readonly output?: number;
      readonly cache_read?: number;
      readonly cache_write?: number;
      readonly cache_write_1h?: number;
      readonly input_audio?: number;
      readonly input_image?: number;
      readonly input_video?: number;
      readonly cached_audio?: number;
      readonly cached_image?: number;
      readonly cached_video?: number;
      readonly thinking?: number;
      readonly output_audio?: number;
      readonly output_image?: number;
      readonly output_video?: number;
      readonly above?: Readonly<
        Record<
          string,
          {
            readonly input?: number;
            readonly output?: number;
            readonly cache_read?: number;
            readonly cache_write?: number;
            readonly cache_write_1h?: number;
            readonly input_audio?: number;
            readonly input_image?: number;
            readonly input_video?: number;
            readonly cached_audio?: number;
            readonly cached_image?: number;
            readonly cached_video?: number;
            readonly thinking?: number;
            readonly output_audio?: number;
            readonly output_image?: number;
            readonly output_video?: number;
          }
        >
      >;
    };
  };
  readonly currency?: 'USD';
  readonly context_tokens?: number;
}

export interface NewPrice {
  /** A model name, with `*` as wildcard. */
  readonly pattern: string;
  /** As in `prices` of `weir.yaml`: USD per million tokens, or per unit. */
  readonly entry: NewPriceEntry;
}

export type PriceConfirmation =
  | {
      readonly source: string;
      readonly host: string;
      readonly model: string;
    }
  | {
      readonly source: string;
      readonly all: true;
    };

export interface ExplainRequest {
  /** The name of an endpoint, such as `chat`. */
  readonly endpoint: string;
  /** A request’s body in the format of the endpoint. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Limits {
  /** The whole new list; a budget with the `id` of a former one keeps what it has spent. */
  readonly budgets?:
    | readonly {
        readonly id?: string;
        readonly unit: 'usd' | 'requests' | 'tokens';
        readonly limit: string | number;
        readonly period: 'total' | 'day' | 'week' | 'month';
        readonly models?: readonly string[] | null;
        readonly raise?: {
          readonly limit: string | number;
          readonly until?: string | null;
        } | null;
      }[]
    | null;
  /** Requests per minute; null for no limit. */
  readonly rpm?: number | null;
  /** Tokens per minute; null for no limit. */
  readonly tpm?: number | null;
  /** Requests at a time; null for no limit. */
  readonly concurrency?: number | null;
  /** Names or patterns such as `gpt-*`; null for all. */
  readonly models?: readonly string[] | null;
  /** Names of endpoints, such as `chat`; null for all. */
  readonly endpoints?: readonly string[] | null;
  /** Tools that providers run and bill, by names or patterns such as `web_*`; empty for none. Null: all, or with a budget in money those whose price is known. */
  readonly tools?: readonly string[] | null;
  /** Added to those of the tokens. */
  readonly labels?: readonly string[] | null;
  /** Refuse every request. */
  readonly disabled?: boolean;
  /** What limits each end user of the tokens below; null for nothing. */
  readonly endUsers?: {
    readonly budgets?:
      | readonly {
          readonly id?: string;
          readonly unit: 'usd' | 'requests' | 'tokens';
          readonly limit: string | number;
          readonly period: 'total' | 'day' | 'week' | 'month';
          readonly models?: readonly string[] | null;
          readonly raise?: {
            readonly limit: string | number;
            readonly until?: string | null;
          } | null;
        }[]
      | null;
    readonly rpm?: number | null;
    readonly max?: number | null;
  } | null;
}

export interface NewUnit {
  readonly name: string;
  /** Limits of everything in it together. */
  readonly terms?: Limits;
}

export interface UnitChanges {
  readonly name?: string;
  /** What is absent stays as it is; null removes a limit. */
  readonly terms?: Limits;
}

export interface PersonTermsChanges {
  /** What is absent stays as it is; null removes a limit. */
  readonly terms: Limits;
}

export interface Membership {
  readonly role: 'viewer' | 'member' | 'admin';
}

export interface NewAccount {
  readonly name: string;
  readonly role: 'owner' | 'admin' | 'member' | 'viewer';
  /** Without one Weir makes one and returns it once. It must be changed at the first sign-in. */
  readonly password?: string;
}

export interface AccountChanges {
  readonly name?: string;
  readonly role?: 'owner' | 'admin' | 'member' | 'viewer';
  readonly disabled?: boolean;
  /** With `disabled`: the tokens of the account are revoked too. */
  readonly revokeTokens?: boolean;
}

export interface PasswordReset {
  /** Without one Weir makes one and returns it once. */
  readonly password?: string;
}

export interface NewInvitation {
  readonly role: 'owner' | 'admin' | 'member' | 'viewer';
  /** The team that the person joins. */
  readonly teamId?: string;
  readonly teamRole?: 'viewer' | 'member' | 'admin';
  /** For administrators; the invited person does not see it. */
  readonly note?: string;
  /** How long the link works; 7 days by default. */
  readonly expiresInMs?: number;
}

export interface NewProviderEntry {
  /** The name of a preset or of a wire format; the name of the provider by default. */
  readonly kind?: string;
  /** A full URL with its version path; the preset’s by default. */
  readonly base_url?: string;
  /** The models to serve, for a provider that cannot list them. */
  readonly models?: readonly string[];
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Values for the placeholders of the preset’s URL. */
  readonly settings?: Readonly<Record<string, string | number>>;
  readonly region?: string;
  /** The URL of a proxy, or `none`. */
  readonly proxy?: 'none' | string;
  /** What models accept there, by patterns of their names. */
  readonly profiles?: Readonly<
    Record<
      string,
      {
        readonly context_tokens?: number;
        readonly output_tokens_max?: number;
        readonly cache_tokens_min?: number;
        readonly image_tokens_max?: number;
        readonly temperature_max?: number;
        readonly stops_max?: number;
        readonly refuses?: readonly (
          | 'temperature'
          | 'top_p'
          | 'top_k'
          | 'max_output_tokens'
          | 'stop'
          | 'seed'
          | 'presence_penalty'
          | 'frequency_penalty'
          | 'logit_bias'
          | 'logprobs'
          | 'tools'
          | 'tool_choice'
          | 'parallel_tool_calls'
          | 'json_output'
          | 'schema_output'
          | 'thinking'
          | 'verbosity'
        )[];
        readonly refuses_while_thinking?: readonly (
          | 'temperature'
          | 'top_p'
          | 'top_k'
          | 'max_output_tokens'
          | 'stop'
          | 'seed'
          | 'presence_penalty'
          | 'frequency_penalty'
          | 'logit_bias'
          | 'logprobs'
          | 'tools'
          | 'tool_choice'
          | 'parallel_tool_calls'
          | 'json_output'
          | 'schema_output'
          | 'thinking'
          | 'verbosity'
        )[];
        readonly thinking?: {
          readonly kind: 'never' | 'always' | 'switch' | 'budget' | 'adaptive' | 'effort';
          readonly tokens_min?: number;
          readonly tokens_max?: number;
          readonly can_be_off?: boolean;
          readonly dynamic?: boolean;
          readonly efforts?: readonly ('none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max')[];
          readonly by_default?: 'on' | 'off' | 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';
        };
        readonly input?: readonly ('text' | 'image' | 'pdf' | 'audio' | 'video')[];
        readonly output?: readonly ('text' | 'image' | 'pdf' | 'audio' | 'video')[];
        readonly tools_format?: string;
        readonly later_instructions?: 'taken' | 'refused';
        readonly developer_role?: 'taken' | 'refused';
        readonly text_lists?: 'taken' | 'refused';
        readonly allowed_tools?: 'taken' | 'refused';
        readonly forced_tools?: 'taken' | 'refused';
        readonly freeform_tools?: 'taken' | 'refused';
        readonly result_media?: 'taken' | 'refused';
        readonly older_limit?: 'taken' | 'refused';
        readonly search_option?: 'taken' | 'refused';
        readonly temperature_with_top_p?: 'taken' | 'refused';
        readonly user_id?: {
          readonly characters_min?: number;
          readonly characters_max?: number;
          readonly pattern?: string;
        };
      }
    >
  >;
  /** Whether results are downloaded and kept, or fetched from the provider on request. */
  readonly results?: 'keep' | 'proxy';
  /** Whether it passes requests on to other providers, so that undocumented fields are left out for limited tokens. */
  readonly routes_elsewhere?: boolean;
  /** Whether its replies state their cost in USD, which is charged then. */
  readonly reports_cost?: boolean;
  readonly enabled?: boolean;
}

export interface NewProvider {
  readonly name: string;
  /** As in `providers` of `weir.yaml`, without keys. */
  readonly entry: NewProviderEntry;
  /** Stored encrypted and never shown again. */
  readonly keys?: readonly {
    readonly id?: string;
    readonly value: string;
  }[];
}

export interface ProviderChanges {
  /** The whole new entry. Where it leads elsewhere, keys and hidden headers are removed. */
  readonly entry?: NewProviderEntry;
  /** Take no new requests; those in flight continue. */
  readonly draining?: boolean;
  readonly addKeys?: readonly {
    readonly id?: string;
    readonly value: string;
  }[];
  /** IDs of keys. */
  readonly removeKeys?: readonly string[];
}

export interface ProviderPause {
  readonly paused: boolean;
}

export interface NewToken {
  readonly name: string;
  readonly disabled?: boolean;
  /** A date such as `2030-01-31` or `2030-01-31T12:00:00Z`; null for never. */
  readonly expiresAt?: string | null;
  /** Names or patterns such as `gpt-*`; null for all. */
  readonly models?: readonly string[] | null;
  /** Names of endpoints, such as `chat`; null for all. */
  readonly endpoints?: readonly string[] | null;
  /** Networks such as `10.0.0.0/8`; null for all. */
  readonly addresses?: readonly string[] | null;
  /** Tools that providers run and bill, by names or patterns such as `web_*`; empty for none. Null: all, or with a budget in money those whose price is known. */
  readonly tools?: readonly string[] | null;
  /** Requests per minute; null for no limit. */
  readonly rpm?: number | null;
  /** Tokens per minute; null for no limit. */
  readonly tpm?: number | null;
  /** Requests at a time; null for no limit. */
  readonly concurrency?: number | null;
  /** Dollars such as `"0.25"`; null for no budget. */
  readonly budgetUsd?: string | number | null;
  readonly budgetPeriod?: 'total' | 'day' | 'week' | 'month';
  /** Refuse requests with fields that the provider does not support. */
  readonly strict?: boolean;
  /** What must pass moderation: the request, the reply, or both. */
  readonly moderate?: 'before' | 'after' | 'both' | null;
  readonly moderationModel?: string | null;
  /** Routes can match groups of tokens by these. */
  readonly labels?: readonly string[] | null;
  /** How many smaller tokens it may have at a time; null for none. */
  readonly subTokensMax?: number | null;
  /** Further budgets, the whole new list; one with the `id` of a former one keeps what it has spent. */
  readonly budgets?:
    | readonly {
        readonly id?: string;
        readonly unit: 'usd' | 'requests' | 'tokens';
        readonly limit: string | number;
        readonly period: 'total' | 'day' | 'week' | 'month';
        readonly models?: readonly string[] | null;
        readonly raise?: {
          readonly limit: string | number;
          readonly until?: string | null;
        } | null;
      }[]
    | null;
  /** What limits each end user whom it names; null for nothing. */
  readonly endUsers?: {
    readonly budgets?:
      | readonly {
          readonly id?: string;
          readonly unit: 'usd' | 'requests' | 'tokens';
          readonly limit: string | number;
          readonly period: 'total' | 'day' | 'week' | 'month';
          readonly models?: readonly string[] | null;
          readonly raise?: {
            readonly limit: string | number;
            readonly until?: string | null;
          } | null;
        }[]
      | null;
    readonly rpm?: number | null;
    readonly max?: number | null;
  } | null;
  /** May set routing options. */
  readonly maySteer?: boolean;
  /** May ask where its request would be routed. */
  readonly mayExplain?: boolean;
  /** The account it belongs to; null for none. The account of the key by default. */
  readonly ownerId?: string | null;
  /** The team or project it counts against; null for none. */
  readonly unitId?: string | null;
}

export interface TokenChanges {
  readonly name?: string;
  readonly disabled?: boolean;
  /** A date such as `2030-01-31` or `2030-01-31T12:00:00Z`; null for never. */
  readonly expiresAt?: string | null;
  /** Names or patterns such as `gpt-*`; null for all. */
  readonly models?: readonly string[] | null;
  /** Names of endpoints, such as `chat`; null for all. */
  readonly endpoints?: readonly string[] | null;
  /** Networks such as `10.0.0.0/8`; null for all. */
  readonly addresses?: readonly string[] | null;
  /** Tools that providers run and bill, by names or patterns such as `web_*`; empty for none. Null: all, or with a budget in money those whose price is known. */
  readonly tools?: readonly string[] | null;
  /** Requests per minute; null for no limit. */
  readonly rpm?: number | null;
  /** Tokens per minute; null for no limit. */
  readonly tpm?: number | null;
  /** Requests at a time; null for no limit. */
  readonly concurrency?: number | null;
  /** Dollars such as `"0.25"`; null for no budget. */
  readonly budgetUsd?: string | number | null;
  readonly budgetPeriod?: 'total' | 'day' | 'week' | 'month';
  /** Refuse requests with fields that the provider does not support. */
  readonly strict?: boolean;
  /** What must pass moderation: the request, the reply, or both. */
  readonly moderate?: 'before' | 'after' | 'both' | null;
  readonly moderationModel?: string | null;
  /** Routes can match groups of tokens by these. */
  readonly labels?: readonly string[] | null;
  /** How many smaller tokens it may have at a time; null for none. */
  readonly subTokensMax?: number | null;
  /** Further budgets, the whole new list; one with the `id` of a former one keeps what it has spent. */
  readonly budgets?:
    | readonly {
        readonly id?: string;
        readonly unit: 'usd' | 'requests' | 'tokens';
        readonly limit: string | number;
        readonly period: 'total' | 'day' | 'week' | 'month';
        readonly models?: readonly string[] | null;
        readonly raise?: {
          readonly limit: string | number;
          readonly until?: string | null;
        } | null;
      }[]
    | null;
  /** What limits each end user whom it names; null for nothing. */
  readonly endUsers?: {
    readonly budgets?:
      | readonly {
          readonly id?: string;
          readonly unit: 'usd' | 'requests' | 'tokens';
          readonly limit: string | number;
          readonly period: 'total' | 'day' | 'week' | 'month';
          readonly models?: readonly string[] | null;
          readonly raise?: {
            readonly limit: string | number;
            readonly until?: string | null;
          } | null;
        }[]
      | null;
    readonly rpm?: number | null;
    readonly max?: number | null;
  } | null;
  /** May set routing options. */
  readonly maySteer?: boolean;
  /** May ask where its request would be routed. */
  readonly mayExplain?: boolean;
  /** The account it belongs to; null for none. */
  readonly ownerId?: string | null;
  /** The team or project it counts against; null for none. */
  readonly unitId?: string | null;
}

export interface TokenRotation {
  /** How long the old secret works on. */
  readonly overlapMs?: number;
}

export interface AlertChannel {
  readonly id: string;
  readonly kind: 'webhook' | 'slack' | 'discord' | 'teams' | 'feishu' | 'mail';
  readonly name: string;
  /** The host of its URL; the rest is never shown. */
  readonly host?: string;
  readonly to?: readonly string[];
  readonly disabled: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** What came of the newest delivery that was tried. */
  readonly last?: {
    readonly state: 'pending' | 'delivered' | 'failed';
    readonly at: string;
    readonly error?: string;
  };
}

export interface IssuedAlertChannel {
  readonly channel: AlertChannel;
  /** Only where Weir made it, and only this once. */
  readonly secret?: string;
}

export interface AlertChannelTest {
  readonly ok: boolean;
  readonly status?: number;
  readonly answer: string;
}

export interface QuietHours {
  readonly timeZone: string;
  readonly from: string;
  readonly to: string;
  /** Critical alerts are sent at once. */
  readonly criticalPasses: boolean;
}

export interface AlertRule {
  readonly kinds: readonly (
    | 'budget'
    | 'unusual-spend'
    | 'error-rate'
    | 'provider-down'
    | 'key-refused'
    | 'token-expiry'
    | 'unpriced-use'
    | 'model-shutdown'
    | 'replica-fault'
  )[];
  readonly channels: readonly string[];
  readonly severityMin: 'info' | 'warning' | 'critical';
  readonly budgetPercents: readonly number[];
  /** How many times the usual spend is unusual. */
  readonly spendFactor: number;
  /** Less in an hour is never unusual; USD as a decimal text. */
  readonly spendUsdMin: string;
  readonly errorPercent: number;
  readonly errorAttemptsMin: number;
  readonly expiryDays: readonly number[];
  readonly shutdownDays: readonly number[];
  readonly quiet?: QuietHours;
  readonly repeatMinutes?: number;
  readonly id: string;
  readonly name: string;
  readonly disabled: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface AlertDelivery {
  readonly channelId: string;
  /** Absent where the channel is gone. */
  readonly channelName?: string;
  readonly notice: 'raised' | 'repeated' | 'resolved';
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly tries: number;
  /** When it was delivered or given up, or when it is tried next. */
  readonly at: string;
  readonly error?: string;
}

export interface Alert {
  readonly id: string;
  readonly kind:
    | 'budget'
    | 'unusual-spend'
    | 'error-rate'
    | 'provider-down'
    | 'key-refused'
    | 'token-expiry'
    | 'unpriced-use'
    | 'model-shutdown'
    | 'replica-fault';
  readonly severity: 'info' | 'warning' | 'critical';
  readonly state: 'open' | 'resolved' | 'noted';
  readonly subject: string;
  readonly subjectName: string;
  readonly threshold: string;
  readonly title: string;
  readonly detail: string;
  readonly facts: Readonly<Record<string, string | number>>;
  readonly raisedAt: string;
  readonly seenAt: string;
  readonly resolvedAt?: string;
  readonly deliveries: readonly AlertDelivery[];
}

export interface AlertPage {
  readonly items: readonly Alert[];
  /** The `after` of the next page; absent on the last one. */
  readonly next?: string;
}

export interface AlertChannelList {
  readonly items: readonly AlertChannel[];
}

export interface AlertRuleList {
  readonly items: readonly AlertRule[];
}

export interface BudgetTerms {
  readonly id: string;
  readonly unit: 'usd' | 'requests' | 'tokens';
  /** Dollars as decimals, requests and tokens as digits. */
  readonly limit: string;
  readonly period: 'total' | 'day' | 'week' | 'month';
  readonly models?: readonly string[];
  readonly raise?: {
    readonly limit: string;
    readonly until: string;
  };
}

export interface LevelBudget {
  readonly id: string;
  readonly unit: 'usd' | 'requests' | 'tokens';
  /** Dollars as decimals, requests and tokens as digits. */
  readonly limit: string;
  readonly period: 'total' | 'day' | 'week' | 'month';
  readonly models?: readonly string[];
  readonly raise?: {
    readonly limit: string;
    readonly until: string;
  };
  /** Of the current period. `left` counts a raise that has not ended. */
  readonly spent: string;
  readonly held: string;
  readonly left: string;
  /** The spent part, 0 to 1, and above where the limit was lowered. */
  readonly share: number;
  /** Absent where the budget never resets. */
  readonly resetsAt?: string;
}

export interface EndUserTerms {
  /** Each end user has them for themselves. */
  readonly budgets?: readonly BudgetTerms[];
  readonly rpm?: number;
  /** How many end users one token may have; absent: 10,000. */
  readonly max?: number;
}

export interface LeastReservation {
  readonly usd: string;
  readonly model: string;
}

export interface Budget {
  readonly limitUsd: string;
  readonly limitNano: string;
  readonly period: 'total' | 'day' | 'week' | 'month';
  /** Of the current period; present where one token is shown. */
  readonly spentUsd?: string;
  readonly heldUsd?: string;
  readonly leftUsd?: string;
  /** When the period ends; absent where the budget never resets. */
  readonly resetsAt?: string;
  /** Present where less is left than any request without an output limit reserves. */
  readonly least?: LeastReservation;
}

export interface TokenSpend {
  /** Of this month in UTC. */
  readonly monthNano: string;
  readonly totalNano: string;
  /** How many requests both leave out because their price is unknown. */
  readonly unpriced: number;
}

export interface Token {
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly state: 'active' | 'disabled' | 'expired' | 'revoked';
  /** Also where it expired or was revoked since. */
  readonly disabled?: boolean;
  readonly createdAt: string;
  readonly expiresAt?: string;
  readonly revokedAt?: string;
  /** The account it belongs to; absent where it has none. */
  readonly ownerId?: string;
  /** The team or project it counts against; absent where it counts against the organization alone. */
  readonly unitId?: string;
  readonly models?: readonly string[];
  readonly endpoints?: readonly string[];
  readonly addresses?: readonly string[];
  /** Tools that providers run. Empty: none; absent: those that the budget allows. */
  readonly tools?: readonly string[];
  readonly rpm?: number;
  readonly tpm?: number;
  readonly concurrency?: number;
  readonly budget?: Budget;
  readonly strict: boolean;
  /** What must pass moderation, and the moderation model where the operator set one. */
  readonly moderate?: 'before' | 'after' | 'both';
  readonly moderationModel?: string;
  /** The operator’s routes match groups of tokens by these. */
  readonly labels?: readonly string[];
  /** How many smaller tokens it may have at a time; absent: it may create none. */
  readonly subTokensMax?: number;
  /** With what was spent of them; they count beside `budget`. */
  readonly budgets?: readonly LevelBudget[];
  /** What limits each end user whom it names. */
  readonly endUsers?: EndUserTerms;
  /** May set routing options. */
  readonly maySteer: boolean;
  /** May ask where its request would be routed instead of having it answered. */
  readonly mayExplain: boolean;
  /** Absent where the token belongs to no account: the first one, and those of the command line. */
  readonly ownerName?: string;
  /** Of the unit that it counts against; a project has its team too. */
  readonly teamId?: string;
  readonly teamName?: string;
  readonly projectName?: string;
  /** What the reader may change: everything, its name and end, or nothing. */
  readonly access: 'full' | 'own' | 'read';
  /** Its newest request that is still kept; absent where there is none. */
  readonly lastUsedAt?: string;
  readonly spend: TokenSpend;
}

export interface IssuedToken {
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly state: 'active' | 'disabled' | 'expired' | 'revoked';
  /** Also where it expired or was revoked since. */
  readonly disabled?: boolean;
  readonly createdAt: string;
  readonly expiresAt?: string;
  readonly revokedAt?: string;
  /** The account it belongs to; absent where it has none. */
  readonly ownerId?: string;
  /** The team or project it counts against; absent where it counts against the organization alone. */
  readonly unitId?: string;
  readonly models?: readonly string[];
  readonly endpoints?: readonly string[];
  readonly addresses?: readonly string[];
  /** Tools that providers run. Empty: none; absent: those that the budget allows. */
  readonly tools?: readonly string[];
  readonly rpm?: number;
  readonly tpm?: number;
  readonly concurrency?: number;
  readonly budget?: Budget;
  readonly strict: boolean;
  /** What must pass moderation, and the moderation model where the operator set one. */
  readonly moderate?: 'before' | 'after' | 'both';
  readonly moderationModel?: string;
  /** The operator’s routes match groups of tokens by these. */
  readonly labels?: readonly string[];
  /** How many smaller tokens it may have at a time; absent: it may create none. */
  readonly subTokensMax?: number;
  /** With what was spent of them; they count beside `budget`. */
  readonly budgets?: readonly LevelBudget[];
  /** What limits each end user whom it names. */
  readonly endUsers?: EndUserTerms;
  /** May set routing options. */
  readonly maySteer: boolean;
  /** May ask where its request would be routed instead of having it answered. */
  readonly mayExplain: boolean;
  /** Absent where the token belongs to no account: the first one, and those of the command line. */
  readonly ownerName?: string;
  /** Of the unit that it counts against; a project has its team too. */
  readonly teamId?: string;
  readonly teamName?: string;
  readonly projectName?: string;
  /** What the reader may change: everything, its name and end, or nothing. */
  readonly access: 'full' | 'own' | 'read';
  /** Its newest request that is still kept; absent where there is none. */
  readonly lastUsedAt?: string;
  readonly spend: TokenSpend;
  /** The secret; it is in this reply and nowhere else. */
  readonly token: string;
}

export interface EndUser {
  /** The level and a digest of the name. */
  readonly id: string;
  /** As requests name them; cut at 128 characters. */
  readonly name: string;
  /** The level that has the terms for end users. The name is absent where the reader may not see it. */
  readonly scope: {
    readonly kind: 'organization' | 'team' | 'project' | 'token';
    readonly id: string;
    readonly name?: string;
  };
  /** The token that named them first; absent where the reader may not see it. */
  readonly token?: {
    readonly id: string;
    readonly name: string;
  };
  readonly firstSeenAt: string;
  /** Within an hour. */
  readonly lastSeenAt: string;
  readonly blocked: boolean;
  readonly note: string;
  /** Their own terms, and where they have none the defaults of the level. */
  readonly terms: {
    readonly budgets?: readonly LevelBudget[];
    readonly rpm?: number;
    readonly concurrency?: number;
    readonly models?: readonly string[];
  };
  /** Which of the terms are their own. */
  readonly own: readonly ('budgets' | 'rpm' | 'concurrency' | 'models')[];
  /** False: the level has no terms for end users any more, and nothing here limits them. */
  readonly limited: boolean;
  /** Of requests that name them, of the level’s tokens. */
  readonly spend: TokenSpend;
  /** What the reader may change: everything, whether they are blocked, or nothing. */
  readonly access: 'full' | 'block' | 'read';
}

export interface EndUserPage {
  readonly items: readonly EndUser[];
  /** The `after` of the next page; absent on the last one. */
  readonly next?: string;
}

export interface LastError {
  readonly at: string;
  /** The provider’s HTTP status, where it sent one. */
  readonly status?: number;
  readonly code: string;
  readonly message: string;
  readonly model: string;
  readonly keyId: string;
  /** Absent where no request of its own led to it. */
  readonly requestId?: string;
}

export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
}

export interface TargetHealth {
  readonly attempts: number;
  /** Those that failed by the provider’s fault. */
  readonly failed: number;
  /** From 0 to 1; absent without attempts. */
  readonly errorRate?: number;
  /** Of streamed replies, from the start of the attempt. */
  readonly firstTokenMs?: Percentiles;
  readonly totalMs?: Percentiles;
  /** Of streamed replies, after the first token. */
  readonly tokensPerSecond?: number;
  /** Also from before the last hour. */
  readonly lastError?: LastError;
  readonly state:
    | 'key-rejected'
    | 'model-missing'
    | 'circuit-open'
    | 'probing'
    | 'rate-limited'
    | 'degraded'
    | 'healthy'
    | 'no-data'
    | 'disabled';
  /** When it may be called again; absent where it may be now, and where that is not known. */
  readonly readyInMs?: number;
  readonly provider: string;
  readonly model: string;
  readonly inFlight: number;
  /** Parameters that the provider refused recently, and when; absent where there are none. */
  readonly learned?: readonly {
    readonly what: string;
    readonly atMs: number;
  }[];
}

export interface KeyHealth {
  readonly attempts: number;
  /** Those that failed by the provider’s fault. */
  readonly failed: number;
  /** From 0 to 1; absent without attempts. */
  readonly errorRate?: number;
  /** Of streamed replies, from the start of the attempt. */
  readonly firstTokenMs?: Percentiles;
  readonly totalMs?: Percentiles;
  /** Of streamed replies, after the first token. */
  readonly tokensPerSecond?: number;
  /** Also from before the last hour. */
  readonly lastError?: LastError;
  readonly state:
    | 'key-rejected'
    | 'model-missing'
    | 'circuit-open'
    | 'probing'
    | 'rate-limited'
    | 'degraded'
    | 'healthy'
    | 'no-data'
    | 'disabled';
  /** When it may be called again; absent where it may be now, and where that is not known. */
  readonly readyInMs?: number;
  readonly provider: string;
  readonly keyId: string;
  /** Those it cools down for, where it may still be used for others. */
  readonly models?: readonly string[];
}

export interface ProviderHealth {
  readonly attempts: number;
  /** Those that failed by the provider’s fault. */
  readonly failed: number;
  /** From 0 to 1; absent without attempts. */
  readonly errorRate?: number;
  /** Of streamed replies, from the start of the attempt. */
  readonly firstTokenMs?: Percentiles;
  readonly totalMs?: Percentiles;
  /** Of streamed replies, after the first token. */
  readonly tokensPerSecond?: number;
  /** Also from before the last hour. */
  readonly lastError?: LastError;
  readonly provider: string;
  /** The worst of its keys and targets. */
  readonly state:
    | 'key-rejected'
    | 'model-missing'
    | 'circuit-open'
    | 'probing'
    | 'rate-limited'
    | 'degraded'
    | 'healthy'
    | 'no-data'
    | 'disabled';
  readonly inFlight: number;
  /** The last hour by minutes, oldest first. */
  readonly minutes: readonly {
    readonly attempts: number;
    readonly failed: number;
  }[];
}

export interface Health {
  readonly providers: readonly ProviderHealth[];
  /** Those that were called, or cannot be. */
  readonly targets: readonly TargetHealth[];
  readonly keys: readonly KeyHealth[];
}

export interface Setting {
  readonly key: string;
  readonly variable?: string;
  readonly origin: 'default' | 'file' | 'environment' | 'console';
  /** Printable; a secret shows as `set` or `not set`. */
  readonly shown: string;
  readonly value?: unknown;
  readonly defaultShown: string;
  readonly unit: string;
  readonly meaning: string;
  readonly allowed: string;
  readonly control:
    | {
        readonly kind: 'switch';
      }
    | {
        readonly kind: 'number';
        readonly min: number;
        readonly max: number;
      }
    | {
        readonly kind: 'choice';
        readonly choices: readonly string[];
      }
    | {
        readonly kind: 'text';
      }
    | {
        readonly kind: 'list';
      };
  /** `live`: changed here, in effect at once. `start`: changed in file or environment, in effect at the next start. `locked`: set by file or environment. */
  readonly change: 'live' | 'start' | 'locked';
}

export interface HomeText {
  readonly shown: boolean;
  /** Plain text, one paragraph a line; absent means Weir’s own. */
  readonly title?: string;
  readonly text?: string;
  readonly locked: boolean;
}

export interface ConfigurationFile {
  readonly yaml: string;
  /** Variables that must be set where the file is used, since keys are not written into it. */
  readonly variables: readonly string[];
}

export interface SettingList {
  readonly items: readonly Setting[];
}

export interface JwtRevocation {
  /** Its name in `jwt.issuers`. */
  readonly issuer: string;
  readonly jti: string;
  readonly createdAt: string;
  /** From then on the JWT has expired by itself. */
  readonly expiresAt: string;
}

export interface JwtRevoked {
  readonly issuer: string;
  readonly jti?: string;
  readonly subject?: string;
  /** The token of the subject, which is disabled. */
  readonly tokenId?: string;
}

export interface JwtRevocationList {
  readonly items: readonly JwtRevocation[];
}

export interface ExplainedFact {
  /** As `profiles` in `weir.yaml` spell it. */
  readonly field: string;
  readonly value: unknown;
  /** The family, the preset, the provider’s list, the price table, the operator, or a refusal and its time. */
  readonly from: string;
}

export interface ExplainedCandidate {
  readonly provider: string;
  /** The name that the model has there. */
  readonly model: string;
  readonly tier: number;
  readonly weight: number;
  readonly region: string | null;
  readonly state: 'ready' | 'cooling' | 'open' | 'probing';
  /** Null where it is unknown: a probe is running, or there is no key. */
  readonly ready_in_ms: number | null;
  readonly keys_ready: number;
  readonly keys: number;
  readonly in_flight: number;
  readonly lane: 'forward' | 'patch' | 'translate';
  /** The provider’s format or wire. */
  readonly format: string;
  readonly losses: readonly {
    readonly what: string;
    readonly why: string;
  }[];
  /** Parameters that the provider refused recently; requests are written without them. Absent where there are none. */
  readonly learned?: readonly {
    readonly what: string;
    readonly at: string;
  }[];
  /** The most that the request can cost there; null where no price says it. */
  readonly price_bound_usd: string | null;
  readonly price_version: string | null;
  /** Where the price comes from; `guess` is another provider’s price of the same model, or an incomplete one. */
  readonly price_source: 'operator' | 'provider' | 'table' | 'guess' | 'unknown' | 'free';
  /** What is known of the model there; it decides what is sent. Of conversations only. */
  readonly profile: readonly ExplainedFact[];
}

export interface ExplainedExclusion {
  readonly provider: string;
  readonly model: string;
  readonly why: string;
  /** Present where it was found out while the request was written for it: the error that the attempt would give. */
  readonly code?: string;
}

export interface ExplainedBudget {
  readonly level: string;
  readonly name: string;
  readonly id: string;
  readonly unit: string;
  readonly limit: string;
  readonly spent: string;
  readonly held: string;
  readonly period: string;
  readonly models?: readonly string[];
}

export interface ExplainedLimits {
  readonly requests_per_minute?: {
    readonly limit: number;
    readonly left: number;
  };
  readonly tokens_per_minute?: {
    readonly limit: number;
    readonly left: number;
  };
  readonly concurrency?: {
    readonly limit: number;
    readonly left: number;
  };
  readonly budget?: {
    readonly limit_usd: string;
    readonly spent_usd: string;
    readonly held_usd: string;
    readonly period: string;
  };
  /** Of all levels but the token’s own budget. */
  readonly budgets?: readonly ExplainedBudget[];
}

export interface Explanation {
  readonly object: 'weir.explanation';
  /** As the caller named it, or as Weir chose it where the caller named none. */
  readonly model: string;
  readonly operation: string;
  readonly strategy: 'weighted' | 'least_busy' | 'fastest' | 'cheapest';
  /** Equal candidates were ordered at random; another request may get another order. */
  readonly drawn: boolean;
  /** What keeps the request with one target, where anything decided that. */
  readonly affinity: {
    readonly kind: 'session' | 'prefix' | null;
    readonly key: string | null;
  };
  /** In the order in which they are tried; those that are not ready are skipped until they are. */
  readonly candidates: readonly ExplainedCandidate[];
  readonly excluded: readonly ExplainedExclusion[];
  /** Only those that the token has. */
  readonly limits: ExplainedLimits;
}

export interface TargetEntry {
  readonly provider: string;
  readonly model: string;
  readonly weight?: number;
  readonly tier?: number;
  readonly first_event_timeout_ms?: number;
  readonly only?: {
    readonly operations?: readonly string[];
    readonly input?: readonly string[];
    readonly input_tokens_max?: number;
    readonly region?: string;
    readonly labels?: readonly string[];
  };
}

export interface RouteEntry {
  readonly targets: readonly TargetEntry[];
  readonly choose?: 'weighted' | 'least_busy' | 'fastest' | 'cheapest';
  readonly affinity?: boolean;
  readonly moderation?: 'before' | 'after' | 'both';
}

export interface Route {
  readonly alias: string;
  readonly origin: 'file' | 'environment' | 'local' | 'built-in' | 'console';
  readonly originText: string;
  readonly locked: boolean;
  readonly problem?: string;
  readonly entry: RouteEntry;
}

export interface TargetPrice {
  readonly provider: string;
  readonly model: string;
  readonly source: 'operator' | 'provider' | 'table' | 'guess' | 'unknown' | 'free';
  readonly version: string;
  /** One line for each class that is charged. */
  readonly lines: readonly {
    readonly class: string;
    readonly usd: string;
    readonly per: string;
  }[];
}

export interface ModelDetail {
  readonly id: string;
  readonly alias: boolean;
  /** The route that leads to it; absent where it is simply a provider’s model. */
  readonly route?: Route;
  readonly choose: string;
  readonly affinity: boolean;
  readonly targets: readonly {
    readonly attempts?: number;
    readonly failed?: number;
    /** From 0 to 1; absent without attempts. */
    readonly errorRate?: number;
    readonly firstTokenMs?: {
      readonly p50: number;
      readonly p95?: number;
    };
    readonly totalMs?: Percentiles;
    /** Of streamed replies, after the first token. */
    readonly tokensPerSecond?: number;
    /** Also from before the last hour. */
    readonly lastError?: LastError;
    readonly state:
      | 'key-rejected'
      | 'model-missing'
      | 'circuit-open'
      | 'probing'
      | 'rate-limited'
      | 'degraded'
      | 'healthy'
      | 'no-data'
      | 'disabled';
    /** When it may be called again; absent where it may be now, and where that is not known. */
    readonly readyInMs?: number;
    readonly provider: string;
    readonly model: string;
    readonly tier: number;
    readonly weight: number;
    readonly inFlight: number;
    readonly formats: readonly string[];
  }[];
  readonly prices: readonly TargetPrice[];
  readonly operations: readonly string[];
  /** What a conversation with it can use; empty where that is not known. */
  readonly capabilities: readonly (
    | 'tools'
    | 'parallel-tools'
    | 'vision'
    | 'files'
    | 'audio-input'
    | 'video-input'
    | 'json'
    | 'structured-output'
    | 'reasoning'
    | 'image-output'
    | 'audio-output'
  )[];
  readonly contextTokens?: number;
  /** The most that one reply can have. */
  readonly outputTokensMax?: number;
  /** Days in UTC, as `2026-11-16`: since when its provider advises against it, and when it stops serving it. */
  readonly deprecatedAt?: string;
  readonly shutdownAt?: string;
  readonly inputModalities?: readonly string[];
  readonly outputModalities?: readonly string[];
  readonly description?: string;
}

export interface Model {
  readonly id: string;
  /** A name that the operator made up, rather than a provider’s. */
  readonly alias: boolean;
  readonly providers: readonly string[];
  readonly targets: readonly {
    readonly provider: string;
    readonly model: string;
    readonly tier: number;
    readonly weight: number;
    readonly state:
      | 'key-rejected'
      | 'model-missing'
      | 'circuit-open'
      | 'probing'
      | 'rate-limited'
      | 'degraded'
      | 'healthy'
      | 'no-data'
      | 'disabled';
  }[];
  /** The worst state of its targets, and the figures of all of them. */
  readonly health: {
    readonly attempts?: number;
    readonly failed?: number;
    /** From 0 to 1; absent without attempts. */
    readonly errorRate?: number;
    readonly firstTokenMs?: {
      readonly p50: number;
      readonly p95?: number;
    };
    readonly totalMs?: Percentiles;
    /** Of streamed replies, after the first token. */
    readonly tokensPerSecond?: number;
    /** Also from before the last hour. */
    readonly lastError?: LastError;
    readonly state:
      | 'key-rejected'
      | 'model-missing'
      | 'circuit-open'
      | 'probing'
      | 'rate-limited'
      | 'degraded'
      | 'healthy'
      | 'no-data'
      | 'disabled';
    /** When it may be called again; absent where it may be now, and where that is not known. */
    readonly readyInMs?: number;
  };
  readonly operations: readonly string[];
  readonly contextTokens?: number;
  readonly inputModalities?: readonly string[];
  readonly outputModalities?: readonly string[];
  readonly description?: string;
  /** Days in UTC, as `2026-11-16`: since when its provider advises against it, and when it stops serving it. */
  readonly deprecatedAt?: string;
  readonly shutdownAt?: string;
  /** USD per token as decimal texts, absent where no price is known; who says so; and in which version. */
  readonly pricing?: {
    readonly prompt?: string;
    readonly completion?: string;
    readonly source: 'operator' | 'provider' | 'table' | 'guess' | 'unknown' | 'free';
    readonly version?: string;
  };
}

export interface TokenPrices {
  readonly input?: number;
  readonly output?: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
  readonly cache_write_1h?: number;
  readonly input_audio?: number;
  readonly input_image?: number;
  readonly input_video?: number;
  readonly cached_audio?: number;
  readonly cached_image?: number;
  readonly cached_video?: number;
  readonly thinking?: number;
  readonly output_audio?: number;
  readonly output_image?: number;
  readonly output_video?: number;
}

export interface PriceEntry {
  readonly input?: number;
  readonly output?: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
  readonly cache_write_1h?: number;
  readonly input_audio?: number;
  readonly input_image?: number;
  readonly input_video?: number;
  readonly cached_audio?: number;
  readonly cached_image?: number;
  readonly cached_video?: number;
  readonly thinking?: number;
  readonly output_audio?: number;
  readonly output_image?: number;
  readonly output_video?: number;
  readonly image?: number;
  /** By `quality/size`, size or quality. */
  readonly images?: Readonly<Record<string, number>>;
  readonly minute?: number;
  readonly characters?: number;
  readonly searches?: number;
  readonly video_second?: number;
  /** By resolution. */
  readonly video_seconds?: Readonly<Record<string, number>>;
  readonly video?: number;
  readonly page?: number;
  /** For a thousand. */
  readonly web_searches?: number;
  /** For a call of a tool that the provider runs, by the tool’s name. */
  readonly tools?: Readonly<Record<string, number>>;
  readonly request?: number;
  readonly currency?: 'USD';
  /** By the number of input tokens above which they hold. */
  readonly above?: Readonly<Record<string, TokenPrices>>;
  /** By tier: `flex`, `priority`, `batch`, `fast`. */
  readonly service_tiers?: Readonly<
    Record<
      string,
      {
        readonly input?: number;
        readonly output?: number;
        readonly cache_read?: number;
        readonly cache_write?: number;
        readonly cache_write_1h?: number;
        readonly input_audio?: number;
        readonly input_image?: number;
        readonly input_video?: number;
        readonly cached_audio?: number;
        readonly cached_image?: number;
        readonly cached_video?: number;
        readonly thinking?: number;
        readonly output_audio?: number;
        readonly output_image?: number;
        readonly output_video?: number;
        readonly above?: Readonly<Record<string, TokenPrices>>;
      }
    >
  >;
  readonly context_tokens?: number;
}

export interface Price {
  readonly pattern: string;
  readonly origin: 'file' | 'environment' | 'local' | 'built-in' | 'console';
  readonly originText: string;
  readonly locked: boolean;
  readonly entry: PriceEntry;
}

export interface HeldPrice {
  readonly host: string;
  readonly model: string;
  readonly rates: readonly {
    readonly rate: string;
    readonly before?: string;
    readonly after?: string;
    readonly unit: string;
  }[];
}

export interface PriceLeftOut {
  readonly what: 'model' | 'key';
  /** Line and key, as in `line 12, gpt-5/input_cost_per_token`. */
  readonly place: string;
  readonly says: string;
}

export interface PriceTable {
  readonly source: string;
  readonly version: string;
  /** The date of its data, or else (`dated` is false) the date on which it was fetched. */
  readonly day: string;
  readonly ageDays: number;
  readonly dated: boolean;
  /** Where it came from; absent for the one that is bundled with this version. */
  readonly origin?: string;
  /** Models that it has a price for. */
  readonly models?: number;
  readonly held: readonly HeldPrice[];
  /** Of a downloaded table, what is not understood; `named` are the first of it. */
  readonly leftOut?: {
    /** Models that cannot be read. */
    readonly models: number;
    /** Keys of models that are read without them: these prices count as guesses. */
    readonly keys: number;
    /** Models that keep their previous price because of it. */
    readonly kept: number;
    readonly named: readonly PriceLeftOut[];
  };
}

export interface PriceTables {
  readonly tables: readonly PriceTable[];
  /** The newest is so old that some prices are wrong. */
  readonly old: boolean;
  /** Why the last fetch failed. */
  readonly fault?: string;
}

export interface ModelList {
  readonly items: readonly Model[];
}

export interface RouteList {
  readonly items: readonly Route[];
}

export interface PriceList {
  readonly items: readonly Price[];
}

export interface LevelTerms {
  readonly budgets?: readonly LevelBudget[];
  readonly rpm?: number;
  readonly tpm?: number;
  readonly concurrency?: number;
  readonly models?: readonly string[];
  readonly endpoints?: readonly string[];
  readonly tools?: readonly string[];
  readonly labels?: readonly string[];
  readonly disabled?: boolean;
  /** What limits each end user of the tokens below. */
  readonly endUsers?: EndUserTerms;
}

export interface Project {
  readonly id: string;
  readonly teamId: string;
  readonly name: string;
  readonly createdAt: string;
  readonly terms: LevelTerms;
  /** Tokens of the project that were not revoked. */
  readonly tokens: number;
}

export interface Team {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly terms: LevelTerms;
  /** Tokens of the team itself that were not revoked; those of its projects are counted there. */
  readonly tokens: number;
  readonly members: number;
  readonly projects: readonly Project[];
  /** The reader’s role in it; absent where they have none. */
  readonly role?: 'viewer' | 'member' | 'admin';
  /** May change its name, projects, members and tokens. */
  readonly mayManage: boolean;
}

export interface Organization {
  readonly name: string;
  /** Only for those who see all teams. */
  readonly terms?: LevelTerms;
  /** May change the organization, make teams, and set the terms of teams. */
  readonly mayManage: boolean;
  readonly teams: readonly Team[];
}

export interface Member {
  readonly accountId: string;
  readonly name: string;
  readonly role: 'viewer' | 'member' | 'admin';
  /** `manual`, or the name of the issuer or directory that made it. */
  readonly source: string;
  readonly since: string;
  readonly state: 'active' | 'disabled';
}

export interface PersonTerms {
  readonly accountId: string;
  readonly name: string;
  readonly terms: LevelTerms;
  readonly memberships: readonly {
    readonly teamId: string;
    readonly teamName: string;
    readonly role: 'viewer' | 'member' | 'admin';
    readonly source: string;
  }[];
}

export interface MemberList {
  readonly items: readonly Member[];
}

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly role: 'owner' | 'admin' | 'member' | 'viewer';
  readonly state: 'active' | 'disabled';
  readonly createdAt: string;
  readonly passwordChangedAt: string;
  readonly lastSignInAt?: string;
  readonly disabledAt?: string;
  /** The password was given out by an administrator and is still in use. */
  readonly mustChangePassword?: true;
  /** Since when the account has a second factor. */
  readonly secondFactorAt?: string;
}

export interface IssuedAccount {
  readonly account: Account;
  /** Only where Weir made it, and only this once. */
  readonly password?: string;
}

export interface Session {
  readonly id: string;
  /** The session of this request. */
  readonly current: boolean;
  readonly createdAt: string;
  readonly lastSeenAt: string;
  readonly expiresAt: string;
  readonly address: string;
  /** What the browser says it is. */
  readonly agent: string;
}

export interface Invitation {
  readonly id: string;
  readonly role: 'owner' | 'admin' | 'member' | 'viewer';
  readonly teamId?: string;
  readonly teamName?: string;
  readonly teamRole?: 'viewer' | 'member' | 'admin';
  /** For administrators; the invited person does not see it. */
  readonly note?: string;
  readonly state: 'open' | 'accepted' | 'expired' | 'revoked';
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly invitedBy: string;
  /** The name of the account that it made. */
  readonly acceptedBy?: string;
}

export interface IssuedInvitation {
  readonly invitation: Invitation;
  /** The link; it is in this reply and nowhere else. */
  readonly url: string;
}

export type AuditAction =
  | 'set-up'
  | 'sign-in'
  | 'sign-in-refused'
  | 'sign-out'
  | 'password-change'
  | 'password-reset'
  | 'session-revoke'
  | 'program-sign-in'
  | 'program-deny'
  | 'program-sign-out'
  | 'account-create'
  | 'account-change'
  | 'account-terms'
  | 'organization-change'
  | 'team-create'
  | 'team-change'
  | 'team-delete'
  | 'project-create'
  | 'project-change'
  | 'project-delete'
  | 'member-change'
  | 'member-remove'
  | 'end-user-change'
  | 'end-user-forget'
  | 'invitation-create'
  | 'invitation-revoke'
  | 'invitation-accept'
  | 'factor-add'
  | 'factor-remove'
  | 'recovery-codes-create'
  | 'second-factor-refused'
  | 'identity-link'
  | 'issuer-test'
  | 'jwt-revoke'
  | 'group-create'
  | 'group-change'
  | 'group-delete'
  | 'token-create'
  | 'token-change'
  | 'token-rotate'
  | 'token-revoke'
  | 'playground-token'
  | 'settings-change'
  | 'provider-create'
  | 'provider-change'
  | 'provider-delete'
  | 'provider-trial'
  | 'provider-pause'
  | 'provider-resume'
  | 'route-change'
  | 'route-delete'
  | 'price-change'
  | 'price-delete'
  | 'price-confirm'
  | 'alert-channel-create'
  | 'alert-channel-change'
  | 'alert-channel-delete'
  | 'alert-channel-test'
  | 'alert-rule-create'
  | 'alert-rule-change'
  | 'alert-rule-delete'
  | 'admin-key-create'
  | 'admin-key-change'
  | 'admin-key-revoke';

export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  /** Absent where no account was signed in. */
  readonly accountId?: string;
  readonly accountName: string;
  readonly action: AuditAction;
  readonly subject: string;
  readonly detail: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly address: string;
}

export type SignInRefusal =
  | 'issuer_unknown'
  | 'provider_unreachable'
  | 'provider_invalid'
  | 'access_denied'
  | 'provider_refused'
  | 'client_refused'
  | 'state_invalid'
  | 'state_used'
  | 'code_refused'
  | 'token_expired'
  | 'token_time'
  | 'token_nonce'
  | 'token_audience'
  | 'token_issuer'
  | 'token_algorithm'
  | 'token_key'
  | 'token_signature'
  | 'token_invalid'
  | 'domain_not_allowed'
  | 'group_missing'
  | 'account_missing'
  | 'account_disabled'
  | 'name_taken'
  | 'name_missing'
  | 'too_many_tries'
  | 'failed';

export interface IssuerRule {
  readonly group: string;
  readonly team?: string;
  /** False where there is no such team: the rule does nothing. */
  readonly teamFound?: boolean;
  readonly teamRole?: string;
  readonly role?: string;
}

export interface Issuer {
  readonly name: string;
  readonly label: string;
  readonly issuer: string;
  readonly clientId: string;
  /** `secret`: the client authenticates; `public`: PKCE alone protects it. */
  readonly client: 'secret' | 'public';
  /** To be registered at the issuer. */
  readonly redirectUri: string;
  readonly postLogoutRedirectUri: string;
  readonly backChannelLogoutUri: string;
  readonly scopes: readonly string[];
  readonly groupsClaim: string;
  readonly nameClaims: readonly string[];
  readonly rules: readonly IssuerRule[];
  readonly defaultRole: string;
  readonly createAccounts: boolean;
  readonly linkAccounts: boolean;
  readonly allowedDomains?: readonly string[];
  /** An address counts although the issuer does not say that it is verified. */
  readonly trustUnverifiedEmail: boolean;
  readonly allowedGroups?: readonly string[];
  /** Since this process began: absent where it was not asked yet. */
  readonly lastContact?: {
    readonly at: string;
    readonly ok: boolean;
    readonly refusal?: SignInRefusal;
  };
}

export interface SignInSettings {
  readonly items: readonly Issuer[];
  readonly passwords: 'all' | 'owners';
  /** False where redirect URIs follow the host of each request, because no public URL is set. */
  readonly publicUrlSet: boolean;
}

export interface IssuerCheck {
  readonly name: 'discovery' | 'keys' | 'code_flow' | 'pkce' | 'logout' | 'teams';
  /** `warn`: sign-in works, something else does not. */
  readonly state: 'ok' | 'warn' | 'failed';
  readonly finding:
    | 'refused'
    | 'issuer_matches'
    | 'keys_read'
    | 'no_keys'
    | 'supported'
    | 'unlisted'
    | 'missing'
    | 'logout_both'
    | 'logout_here_only'
    | 'logout_none'
    | 'teams_found'
    | 'teams_missing';
  /** A number, names, or what went wrong in the words of the connection. */
  readonly value: string;
  /** With `refused`. */
  readonly refusal?: SignInRefusal;
}

export interface IssuerTest {
  readonly ok: boolean;
  readonly checks: readonly IssuerCheck[];
}

export interface AccountList {
  readonly items: readonly Account[];
}

export interface SessionList {
  readonly items: readonly Session[];
}

export interface SessionsRevoked {
  readonly sessionsRevoked: number;
}

export interface FactorsRemoved {
  readonly factorsRemoved: number;
}

export interface InvitationList {
  readonly items: readonly Invitation[];
}

export interface AuditPage {
  readonly items: readonly AuditEntry[];
  /** The `after` of the next page; absent on the last one. */
  readonly next?: string;
}

export interface ProviderEntry {
  readonly kind?: string;
  readonly base_url?: string;
  readonly models?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, string>>;
  readonly region?: string;
  readonly proxy?: string;
  readonly results?: 'keep' | 'proxy';
  readonly routes_elsewhere?: boolean;
  readonly reports_cost?: boolean;
  /** What models take there, by patterns of their names. */
  readonly profiles?: Readonly<Record<string, unknown>>;
  readonly enabled?: boolean;
}

export interface ProviderKey {
  readonly attempts: number;
  /** Those that failed by the provider’s fault. */
  readonly failed: number;
  /** From 0 to 1; absent without attempts. */
  readonly errorRate?: number;
  /** Of streamed replies, from the start of the attempt. */
  readonly firstTokenMs?: Percentiles;
  readonly totalMs?: Percentiles;
  /** Of streamed replies, after the first token. */
  readonly tokensPerSecond?: number;
  /** Also from before the last hour. */
  readonly lastError?: LastError;
  readonly state:
    | 'key-rejected'
    | 'model-missing'
    | 'circuit-open'
    | 'probing'
    | 'rate-limited'
    | 'degraded'
    | 'healthy'
    | 'no-data'
    | 'disabled';
  /** When it may be called again; absent where it may be now, and where that is not known. */
  readonly readyInMs?: number;
  /** Those it cools down for, where it may still be used for others. */
  readonly models?: readonly string[];
  readonly id: string;
  /** The last four characters, to tell several keys apart; absent where the key is short. */
  readonly ending?: string;
  /** Configured in a file or variable, and changed only there. */
  readonly locked: boolean;
}

export interface Provider {
  readonly name: string;
  readonly kind: string;
  readonly origin: 'file' | 'environment' | 'local' | 'built-in' | 'console';
  /** In words, such as `weir.yaml, line 12`. */
  readonly originText: string;
  readonly locked: boolean;
  /** `paused`: configured in a file or variable, and paused here. */
  readonly state: 'serving' | 'draining' | 'paused' | 'disabled';
  /** Present where it is paused. */
  readonly pausedAt?: string;
  /** Where a console entry became wrong, for example because the file now has the same name. */
  readonly problem?: string;
  /** As it is in effect, without credentials. */
  readonly baseUrl: string;
  readonly entry: ProviderEntry;
  readonly keys: readonly ProviderKey[];
  readonly free: boolean;
  /** Absent until the provider has listed them. */
  readonly models?: readonly string[];
  readonly health: ProviderHealth;
  /** Those that were called, or cannot be. */
  readonly targets: readonly TargetHealth[];
  /** Names of routes that lead here. */
  readonly routes: readonly string[];
}

export interface RemovedSecrets {
  /** The fields that changed, as `weir.yaml` spells them: `base_url`, `proxy`, `headers.host`. */
  readonly because: readonly string[];
  /** IDs. */
  readonly keys: readonly string[];
  readonly headers: readonly string[];
}

export interface ChangedProvider {
  readonly name: string;
  readonly kind: string;
  readonly origin: 'file' | 'environment' | 'local' | 'built-in' | 'console';
  /** In words, such as `weir.yaml, line 12`. */
  readonly originText: string;
  readonly locked: boolean;
  /** `paused`: configured in a file or variable, and paused here. */
  readonly state: 'serving' | 'draining' | 'paused' | 'disabled';
  /** Present where it is paused. */
  readonly pausedAt?: string;
  /** Where a console entry became wrong, for example because the file now has the same name. */
  readonly problem?: string;
  /** As it is in effect, without credentials. */
  readonly baseUrl: string;
  readonly entry: ProviderEntry;
  readonly keys: readonly ProviderKey[];
  readonly free: boolean;
  /** Absent until the provider has listed them. */
  readonly models?: readonly string[];
  readonly health: ProviderHealth;
  /** Those that were called, or cannot be. */
  readonly targets: readonly TargetHealth[];
  /** Names of routes that lead here. */
  readonly routes: readonly string[];
  readonly removed?: RemovedSecrets;
}

export interface ProviderTrial {
  readonly ok: boolean;
  readonly latencyMs: number;
  readonly models: readonly string[];
  /** The exact refusal, with every key taken out. */
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly status?: number;
    readonly body?: string;
    readonly hint: string;
  };
}

export interface Preset {
  readonly kind: string;
  readonly title: string;
  readonly group: 'maker' | 'host' | 'cloud' | 'plan' | 'media' | 'local' | 'format';
  /** May have placeholders such as `{region}`, which the settings fill. */
  readonly baseUrl: string;
  readonly needsKey: boolean;
  readonly needsBaseUrl: boolean;
  readonly settings: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly example: string;
  }[];
  readonly keyVariable?: string;
  /** It can be asked for its models. */
  readonly listsModels: boolean;
  readonly operations: readonly string[];
  /** Other words by which people look for it. */
  readonly synonyms: readonly string[];
  /** A provider of this kind is there already. */
  readonly configured: boolean;
}

export interface PresetList {
  readonly items: readonly Preset[];
}

export interface ProviderList {
  readonly items: readonly Provider[];
}

export interface TokenPage {
  readonly items: readonly Token[];
  /** The `after` of the next page; absent on the last one. */
  readonly next?: string;
}

export interface RequestRow {
  readonly requestId: string;
  readonly at: string;
  readonly tokenId: string;
  readonly endpoint: string;
  readonly model: string;
  readonly provider: string;
  readonly upstreamModel: string;
  readonly stream: boolean;
  readonly attempts: number;
  readonly status: number;
  /** The error code; empty where it succeeded. */
  readonly code: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Part of the input tokens. */
  readonly cacheReadTokens?: number;
  /** Null where no price is known for what was used. */
  readonly costUsd: string | null;
  readonly costNano: string | null;
  readonly estimated: boolean;
  /** The end user whom the request named. */
  readonly endUser?: string;
  readonly tags?: readonly string[];
  /** The provider’s key that it was made with. */
  readonly keyId?: string;
  /** The price that it was charged by; absent where none is known. */
  readonly priceVersion?: string;
  /** It was charged by another provider’s price of the same model or an incomplete one, which `priceVersion` names. */
  readonly guess?: true;
  readonly firstEventMs?: number;
  readonly totalMs: number;
  /** How many refused requests the row counts, where there were too many for rows of their own. */
  readonly requests?: number;
}

export interface UsageRequest {
  readonly requestId: string;
  readonly at: string;
  readonly tokenId: string;
  readonly endpoint: string;
  readonly model: string;
  readonly provider: string;
  readonly upstreamModel: string;
  readonly stream: boolean;
  readonly attempts: number;
  readonly status: number;
  /** The error code; empty where it succeeded. */
  readonly code: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Part of the input tokens. */
  readonly cacheReadTokens?: number;
  /** Null where no price is known for what was used. */
  readonly costUsd: string | null;
  readonly costNano: string | null;
  readonly estimated: boolean;
  /** The end user whom the request named. */
  readonly endUser?: string;
  readonly tags?: readonly string[];
  /** The provider’s key that it was made with. */
  readonly keyId?: string;
  /** The price that it was charged by; absent where none is known. */
  readonly priceVersion?: string;
  /** It was charged by another provider’s price of the same model or an incomplete one, which `priceVersion` names. */
  readonly guess?: true;
  readonly firstEventMs?: number;
  readonly totalMs: number;
  /** How many refused requests the row counts, where there were too many for rows of their own. */
  readonly requests?: number;
  readonly tokenName?: string;
}

export interface ExportedRequest {
  readonly requestId: string;
  readonly at: string;
  readonly tokenId: string;
  readonly endpoint: string;
  readonly model: string;
  readonly provider: string;
  readonly upstreamModel: string;
  readonly stream: boolean;
  readonly attempts: number;
  readonly status: number;
  /** The error code; empty where it succeeded. */
  readonly code: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Part of the input tokens. */
  readonly cacheReadTokens?: number;
  /** Null where no price is known for what was used. */
  readonly costUsd: string | null;
  readonly costNano: string | null;
  readonly estimated: boolean;
  /** The end user whom the request named. */
  readonly endUser?: string;
  readonly tags?: readonly string[];
  /** The provider’s key that it was made with. */
  readonly keyId?: string;
  /** The price that it was charged by; absent where none is known. */
  readonly priceVersion?: string;
  /** It was charged by another provider’s price of the same model or an incomplete one, which `priceVersion` names. */
  readonly guess?: true;
  readonly firstEventMs?: number;
  readonly totalMs: number;
  /** How many refused requests the row counts, where there were too many for rows of their own. */
  readonly requests?: number;
  readonly tokenName?: string;
  readonly labels?: readonly string[];
  readonly ownerId?: string;
  readonly ownerName?: string;
  /** Of the token, now. */
  readonly teamId?: string;
  readonly teamName?: string;
  readonly projectId?: string;
  readonly projectName?: string;
  /** The error message that the client was sent; absent where the request succeeded. */
  readonly error?: string;
}

export interface UsageRequestPage {
  readonly items: readonly UsageRequest[];
  /** Comes back as the cursor of a page in that direction; absent where there are no older ones. */
  readonly older?: string;
  readonly newer?: string;
  /** False where the search continues with the next page, because what is looked for is rare. */
  readonly isComplete: boolean;
}

export interface CostLine {
  readonly class:
    | 'input'
    | 'cache read'
    | 'cache write'
    | 'cache write 1 h'
    | 'input audio'
    | 'input image'
    | 'input video'
    | 'cached audio'
    | 'cached image'
    | 'cached video'
    | 'output'
    | 'thinking'
    | 'output audio'
    | 'output image'
    | 'output video'
    | 'images'
    | 'seconds'
    | 'characters'
    | 'searches'
    | 'video seconds'
    | 'videos'
    | 'pages'
    | 'web searches'
    | 'requests'
    | 'estimate'
    | 'difference';
  readonly quantity: number;
  /** USD for `perUnits` of it. */
  readonly usd: string;
  readonly perUnits: number;
  readonly costUsd: string;
}

export interface RequestError {
  readonly at: string;
  /** The provider’s HTTP status, where it sent one. */
  readonly status?: number;
  readonly code: string;
  /** What the provider said; where it said nothing, what happened. */
  readonly message: string;
}

export interface Attempt {
  readonly id: string;
  readonly at: string;
  readonly provider: string;
  readonly model: string;
  /** Absent where it was made before keys were written down. */
  readonly keyId?: string;
  /** Empty where it served, else why it did not; absent while it is open, and where it was not recorded. */
  readonly verdict?: string;
  /** Absent where it served, and where it was not recorded. */
  readonly error?: RequestError;
  /** These are absent while it is open. */
  readonly settledAt?: string;
  readonly totalMs?: number;
  /** Null where no price is known for what it used. */
  readonly costUsd?: string | null;
  readonly costNano?: string | null;
  readonly estimated: boolean;
  /** A failover of the database had lost it, and it was written again; its budgets were not checked then. */
  readonly recovered?: true;
}

export interface RequestDetail {
  readonly requestId: string;
  /** Absent while the request runs. */
  readonly row?: RequestRow;
  /** In the order in which they were made. */
  readonly attempts: readonly Attempt[];
  /** The error that the client was sent, where the request was refused. */
  readonly error?: RequestError;
  /** How the request was carried; absent where nothing was sent, and where it was not recorded. */
  readonly way?: {
    readonly lane: 'forward' | 'patch' | 'translate';
    readonly from: string;
    readonly to: string;
    /** Fields of the request that the provider did not get. */
    readonly losses: readonly string[];
    /** Fields of the reply that the client did not get. */
    readonly replyLosses: readonly string[];
  };
  readonly tokenName?: string;
  /** Empty where nothing was used; absent where its price is not known (any more). */
  readonly costLines?: readonly CostLine[];
  /** Which list of prices they come from. */
  readonly priceVersion?: string;
  readonly bytesIn?: number;
  readonly bytesOut?: number;
  /** Its content is stored and may be read with `/content`. */
  readonly hasContent: boolean;
}

export interface RequestContent {
  readonly requestId: string;
  readonly at: string;
  readonly expiresAt: string;
  /** As the caller sent it, cut to the stored bound. */
  readonly request: string;
  readonly requestIsCut: boolean;
  /** As the caller received it; the events of a stream one after the other. */
  readonly reply: string;
  readonly replyIsCut: boolean;
}

export interface Task {
  readonly id: string;
  readonly requestId: string;
  readonly tokenId: string;
  readonly tokenName?: string;
  readonly model: string;
  readonly provider: string;
  readonly state: 'queued' | 'in_progress' | 'completed' | 'failed';
  readonly percent: number;
  readonly seconds?: number;
  readonly size?: string;
  readonly createdAt: string;
  readonly endedAt?: string;
  readonly expiresAt?: string;
  /** Null where no price is known for it. */
  readonly costUsd?: string | null;
  readonly error?: {
    readonly code: number;
    readonly message: string;
  };
  readonly isDeleted: boolean;
  /** Paths below `/console/api` that give out the videos while they last; the same paths work below `/admin/v1`. */
  readonly videos: readonly {
    readonly path: string;
    readonly mediaType: string;
  }[];
}

export interface TaskPage {
  readonly items: readonly Task[];
  readonly next?: string;
}

export interface Figures {
  readonly requests: number;
  readonly failures: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  /** Of what has a price; null where nothing of it has. */
  readonly costUsd: string | null;
  /** The same in billionths of a dollar. */
  readonly costNano: string | null;
  /** How many of the requests the cost leaves out, because what they used has no known price. 0 in sums from before that was counted. */
  readonly unpriced: number;
  /** Within 3.2 percent of the exact ones. */
  readonly firstEventP50Ms?: number;
  readonly firstEventP95Ms?: number;
  readonly totalP50Ms?: number;
  readonly totalP95Ms?: number;
}

export interface Bucket {
  readonly requests: number;
  readonly failures: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  /** Of what has a price; null where nothing of it has. */
  readonly costUsd: string | null;
  /** The same in billionths of a dollar. */
  readonly costNano: string | null;
  /** How many of the requests the cost leaves out, because what they used has no known price. 0 in sums from before that was counted. */
  readonly unpriced: number;
  /** Within 3.2 percent of the exact ones. */
  readonly firstEventP50Ms?: number;
  readonly firstEventP95Ms?: number;
  readonly totalP50Ms?: number;
  readonly totalP95Ms?: number;
  /** Where the bucket begins; the first and the last one are cut by the range. */
  readonly at: string;
}

export interface Group {
  /** The model, provider, token id, error code, or whatever it is grouped by. Empty: requests that have none. */
  readonly key: string;
  /** What people call it, where that differs: the name of a token, an owner or a key. */
  readonly label: string;
  readonly requests: number;
  readonly failures: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  readonly costUsd: string | null;
  readonly costNano: string | null;
  readonly unpriced: number;
}

export interface Overview {
  readonly from: string;
  readonly to: string;
  readonly bucket: 'minute' | 'hour' | 'day' | 'week';
  /** Every bucket of the range, oldest first, also those in which nothing happened. */
  readonly buckets: readonly Bucket[];
  readonly total: Figures;
  /** The period of the same length before. */
  readonly before: Figures;
  /** The most expensive first. */
  readonly models: readonly Group[];
  readonly providers: readonly Group[];
  readonly tokens: readonly Group[];
  /** The most frequent first. */
  readonly codes: readonly Group[];
  /** Single requests from before this are gone; their sums are not. Absent where none were removed. */
  readonly rowsFrom?: string;
}

export interface SeriesPoint {
  readonly requests: number;
  readonly failures: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  /** Null where nothing of it has a price. */
  readonly costNano: string | null;
}

export interface BreakdownItem {
  /** The model, provider, token id, error code, or whatever it is grouped by. Empty: requests that have none. */
  readonly key: string;
  /** What people call it, where that differs: the name of a token, an owner or a key. */
  readonly label: string;
  readonly requests: number;
  readonly failures: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  readonly costUsd: string | null;
  readonly costNano: string | null;
  readonly unpriced: number;
  /** One for each start. */
  readonly series: readonly SeriesPoint[];
}

export interface Breakdown {
  readonly from: string;
  readonly to: string;
  readonly by:
    | 'model'
    | 'provider'
    | 'token'
    | 'label'
    | 'owner'
    | 'team'
    | 'project'
    | 'user'
    | 'tag'
    | 'endpoint'
    | 'key'
    | 'code';
  readonly bucket: 'minute' | 'hour' | 'day' | 'week';
  /** One request may count in several groups: a token may have several labels. */
  readonly overlapping: boolean;
  /** Where the buckets begin: all of the range, the same as the overview’s. */
  readonly starts: readonly string[];
  /** The largest first. */
  readonly items: readonly BreakdownItem[];
  /** All other groups together, under an empty key; absent where there are none. */
  readonly rest?: BreakdownItem;
  readonly total: Figures;
}

export interface Count {
  readonly requests: number;
  /** False: there are no more than these. */
  readonly exact: boolean;
}

export interface UnpricedModel {
  readonly provider: string;
  readonly model: string;
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly lastAt: string;
  /** What was used beside tokens, by the names that cost lines are made of; absent where nothing was. */
  readonly units?: readonly string[];
}

export interface UnpricedModels {
  readonly from: string;
  readonly items: readonly UnpricedModel[];
}

export interface BudgetAlarm {
  readonly tokenId: string;
  readonly tokenName: string;
  readonly limitUsd: string;
  readonly spentUsd: string;
  /** Reserved by requests in flight. */
  readonly heldUsd: string;
  readonly leftUsd: string;
  readonly period: string;
  /** Absent where the budget never resets. */
  readonly resetsAt?: string;
  /** Present where less is left than any request without an output limit reserves. */
  readonly least?: LeastReservation;
  /** 0 to 1, and above where a budget was lowered. */
  readonly share: number;
}

export interface EndingModel {
  readonly provider: string;
  /** As the provider names it. */
  readonly model: string;
  /** Under which it was asked for. */
  readonly names: readonly string[];
  /** Days in UTC, as `2026-11-16`. */
  readonly deprecatedAt?: string;
  readonly shutdownAt?: string;
  /** The 20 that asked for it most. */
  readonly tokens: readonly {
    readonly id: string;
    readonly name: string;
    readonly requests: number;
  }[];
  /** Some of the names lead to other models of the same provider too: the counts are the most that they can be. */
  readonly isMost?: boolean;
}

export type Sums = Readonly<Record<string, string | number | null>>;

export interface BudgetAlarmList {
  readonly items: readonly BudgetAlarm[];
}

export interface EndingModelList {
  readonly items: readonly EndingModel[];
}
