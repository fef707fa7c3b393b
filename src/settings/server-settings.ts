/** Settings of the process itself: where it listens, what it connects to, its secrets, its log and its front page. */

import { optional, row } from './setting-row.ts';
import { boolean, choice, httpAddress, integer, lines, names, networks, proxyAddress, text, url } from './values.ts';

const publicUrl = httpAddress(
  'an http or https address without credentials, query or /v1',
  (address) => !/\/v1(beta)?$/.test(address.pathname),
);
const secretText = { secret: true, variableOnly: true } as const;

export const serverRows = {
  config: optional(text(1, 'the path of a file'), {
    variableOnly: true,
    meaning: 'The configuration file; default `weir.yaml` in the working folder, if it exists.',
  }),
  'server.host': row(text(1, 'a host name or address'), '127.0.0.1', {
    variable: 'WEIR_HOST',
    meaning: 'The address to listen on; `0.0.0.0` opens Weir to the network.',
  }),
  'server.port': row(integer(0, 65_535), 8787, {
    variable: 'WEIR_PORT',
    meaning: 'The port to listen on; 0 selects a free one.',
  }),
  'server.data': row(text(1, 'the path of a folder'), './data', {
    variable: 'WEIR_DATA',
    place: 'server.dataFolder',
    meaning: 'The folder for database, key file and results.',
  }),
  'server.public_url': optional(publicUrl, {
    example: 'https://models.example.com',
    meaning: 'The base URL that people use, without `/v1`, where a proxy makes it differ from host and port.',
  }),
  'server.trusted_proxies': row(networks(), [], {
    example: ['10.0.0.0/8'],
    meaning: 'Networks of the proxies whose `x-forwarded-for` and `x-forwarded-proto` are trusted.',
  }),
  'server.allowed_hosts': row(names('a list of host names'), [], {
    example: ['weir.internal'],
    meaning: 'Further host names under which the console may be opened on the machine itself.',
  }),
  'egress.allowed_networks': row(networks(), [], {
    example: ['10.20.0.0/16'],
    meaning:
      'Private networks that images may be fetched from when a request names them by URL; public ones always may.',
  }),
  'egress.proxy': optional(proxyAddress(), {
    hasPassword: true,
    example: 'http://proxy.example:3128',
    meaning: 'The HTTP proxy for requests to providers; absent means `HTTPS_PROXY` and `HTTP_PROXY`.',
  }),
  'egress.https_proxy': optional(proxyAddress(), {
    variable: 'HTTPS_PROXY',
    hasPassword: true,
    variableOnly: true,
    meaning: 'The proxy for providers with an `https` base URL.',
  }),
  'egress.http_proxy': optional(proxyAddress(), {
    variable: 'HTTP_PROXY',
    hasPassword: true,
    variableOnly: true,
    meaning: 'The proxy for providers with an `http` base URL.',
  }),
  'egress.no_proxy': row(names('a list of hosts such as internal.example, 10.0.0.0/8 or *'), [], {
    variable: 'NO_PROXY',
    example: ['internal.example', '10.0.0.0/8'],
    meaning: 'Hosts, with their subdomains, and networks that are reached without a proxy; loopback always is.',
  }),
  'egress.ca_file': optional(text(1, 'the path of a file'), {
    example: '/etc/ssl/company.pem',
    meaning: 'Certificates in PEM that are trusted besides the usual ones, for providers and for URLs in requests.',
  }),
  'egress.mcp_hosts': optional(
    names('a list of hosts such as mcp.example.com, *.example.com or *, and of connectors'),
    {
      live: true,
      place: 'ids.mcpHosts',
      example: ['mcp.example.com'],
      meaning:
        'MCP servers and connectors that a request may ask a provider to call; absent allows all while one person holds all tokens, else none.',
    },
  ),
  'database.url': optional(url(['postgres', 'postgresql'], 'an address that begins with postgres://'), {
    variable: 'DATABASE_URL',
    hasPassword: true,
    example: 'postgres://weir@db.example.com/weir',
    meaning: 'The PostgreSQL database; absent means SQLite in the data folder.',
  }),
  'database.synchronous': row(choice(['normal', 'full']), 'normal', {
    meaning:
      'What SQLite survives: `normal` a crash of Weir, `full` a power failure too, at the cost of a disk flush per commit.',
  }),
  redis_url: optional(url(['redis', 'rediss'], 'an address that begins with redis:// or rediss://'), {
    variable: 'REDIS_URL',
    hasPassword: true,
    example: 'redis://cache.example.com:6379',
    meaning: 'The Redis in which several replicas share rate limits and circuit breakers.',
  }),
  secret_key: optional(text(16, 'a text of 16 characters or more'), {
    ...secretText,
    meaning: 'Encrypts provider keys in the database; absent means a key file in the data folder.',
  }),
  secret_key_old: optional(text(16, 'texts of 16 characters or more with commas between'), {
    ...secretText,
    meaning: 'Earlier secret keys that still decrypt what they encrypted, while keys are rotated.',
  }),
  admin_password: optional(text(1, 'a text'), {
    ...secretText,
    meaning:
      'The password of the console’s account `admin`, an owner; absent means a one-time set-up link at the first start.',
  }),
  first_token: optional(text(20, 'a text of 20 characters or more'), {
    ...secretText,
    meaning: 'The value of the token that the first start creates, for unattended set-up.',
  }),
  'discovery.environment': row(boolean(), true, {
    meaning: 'Use providers whose key variable is set.',
  }),
  'discovery.local': row(boolean(), true, {
    meaning: 'Look for inference servers on their usual loopback ports.',
  }),
  'sandbox.enabled': row(boolean(), true, {
    meaning: 'Serve the built-in sandbox models.',
  }),
  'sandbox.pace_ms': row(integer(0, 60_000), 0, {
    unit: 'ms',
    live: true,
    meaning: 'Pause between two words of a sandbox stream.',
  }),
  'home.shown': row(boolean(), true, {
    live: true,
    meaning: 'Show the page at `/`; otherwise that path returns 404.',
  }),
  'home.title': optional(lines(200, 1), {
    live: true,
    example: 'Models of Example Ltd',
    meaning: 'The headline of the page at `/`, as plain text.',
  }),
  'home.text': optional(lines(10_000), {
    live: true,
    example: 'Ask it@example.org for a token.',
    meaning: 'The text below the headline, as plain text; each line is a paragraph.',
  }),
  'log.level': row(choice(['debug', 'info', 'warn', 'error', 'silent']), 'info', {
    live: true,
    meaning: 'The lowest level that is logged.',
  }),
  'log.format': row(choice(['text', 'json']), 'text', {
    example: 'json',
    meaning: 'Text or JSON lines; `json` by default if the output is not a terminal.',
  }),
} as const;
