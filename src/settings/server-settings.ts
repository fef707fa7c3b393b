/** Settings of the process itself: where it listens, what it connects to, its secrets, its log and its front page. */

import { count, largeBytes, optional, row } from './setting-row.ts';
import {
  boolean,
  choice,
  httpAddress,
  integer,
  integerOrAuto,
  lines,
  names,
  networks,
  proxyAddress,
  text,
  url,
} from './values.ts';

const publicUrl = httpAddress(
  'an http or https URL without credentials, query or /v1',
  (address) => !/\/v1(beta)?$/.test(address.pathname),
);
const secretText = { secret: true, sentTo: [], variableOnly: true } as const;

export const serverRows = {
  config: optional(text(1, 'the path of a file'), {
    variableOnly: true,
    meaning: 'Path of the configuration file. Default: `weir.yaml` in the working directory, if it exists.',
  }),
  'server.host': row(text(1, 'a host name or IP address'), '127.0.0.1', {
    variable: 'WEIR_HOST',
    meaning: 'IP address to listen on. `0.0.0.0` makes Weir reachable from the network.',
  }),
  'server.port': row(integer(0, 65_535), 8787, {
    variable: 'WEIR_PORT',
    meaning: 'Port to listen on. 0 picks a free port.',
  }),
  'server.workers': row(integerOrAuto(1, 256), 1, {
    meaning: 'Processes that serve the port together. `auto` starts one for each core.',
  }),
  'server.data': row(text(1, 'the path of a folder'), './data', {
    variable: 'WEIR_DATA',
    place: 'server.dataFolder',
    meaning: 'Folder for the database, key file and results.',
  }),
  'server.public_url': optional(publicUrl, {
    example: 'https://models.example.com',
    meaning: 'Public base URL without `/v1`, if a proxy makes it differ from host and port.',
  }),
  'server.trusted_proxies': row(networks(), [], {
    example: ['10.0.0.0/8'],
    meaning: 'Networks of proxies whose `x-forwarded-for` and `x-forwarded-proto` headers are trusted.',
  }),
  'server.allowed_hosts': row(names('a list of host names'), [], {
    example: ['weir.internal'],
    meaning: 'Additional host names under which the console can be opened on this machine.',
  }),
  'egress.allowed_networks': row(networks(), [], {
    example: ['10.20.0.0/16'],
    meaning: 'Private networks from which image URLs in requests can be fetched. Public networks are always allowed.',
  }),
  'egress.proxy': optional(proxyAddress(), {
    hasPassword: true,
    example: 'http://proxy.example:3128',
    meaning: 'HTTP proxy for requests to providers. Default: `HTTPS_PROXY` and `HTTP_PROXY`.',
  }),
  'egress.https_proxy': optional(proxyAddress(), {
    variable: 'HTTPS_PROXY',
    hasPassword: true,
    variableOnly: true,
    meaning: 'Proxy for providers with an `https` base URL.',
  }),
  'egress.http_proxy': optional(proxyAddress(), {
    variable: 'HTTP_PROXY',
    hasPassword: true,
    variableOnly: true,
    meaning: 'Proxy for providers with an `http` base URL.',
  }),
  'egress.no_proxy': row(names('a list of hosts such as internal.example, 10.0.0.0/8 or *'), [], {
    variable: 'NO_PROXY',
    example: ['internal.example', '10.0.0.0/8'],
    meaning: 'Hosts (including subdomains) and networks that bypass the proxy. Loopback always does.',
  }),
  'egress.ca_file': optional(text(1, 'the path of a file'), {
    example: '/etc/ssl/company.pem',
    meaning: 'PEM file with additional trusted CA certificates, for providers and for URLs in requests.',
  }),
  'egress.mcp_hosts': optional(
    names('a list of hosts such as mcp.example.com, *.example.com or *, and of connectors'),
    {
      live: true,
      place: 'ids.mcpHosts',
      example: ['mcp.example.com'],
      meaning:
        'MCP servers and connectors that requests can ask a provider to call. Default: all while one person owns all tokens, otherwise none.',
    },
  ),
  'database.url': optional(url(['postgres', 'postgresql'], 'a URL that starts with postgres://'), {
    variable: 'DATABASE_URL',
    hasPassword: true,
    example: 'postgres://weir@db.example.com/weir',
    meaning: 'PostgreSQL database URL. Default: SQLite in the data folder.',
  }),
  'database.connections': row(integer(1, 100), 4, {
    meaning: 'PostgreSQL connections of one replica. Requests share them in batches, so a few are enough.',
  }),
  'database.pgbouncer': row(boolean(), false, {
    meaning:
      'Whether the database URL leads to PgBouncer in transaction mode: no start-up parameters and no named statements are used.',
  }),
  'database.synchronous': row(choice(['normal', 'full']), 'normal', {
    meaning:
      'SQLite durability: `normal` survives a crash of Weir, `full` also a power failure, at the cost of a disk flush per commit.',
  }),
  redis_url: optional(url(['redis', 'rediss'], 'a URL that starts with redis:// or rediss://'), {
    variable: 'REDIS_URL',
    hasPassword: true,
    example: 'redis://cache.example.com:6379',
    meaning: 'Redis URL for rate limits and circuit state shared by replicas.',
  }),
  secret_key: optional(text(16, 'a text of 16 characters or more'), {
    ...secretText,
    meaning: 'Key that encrypts provider keys in the database. Default: a key file in the data folder.',
  }),
  secret_key_old: optional(text(16, 'comma-separated texts of 16 characters or more'), {
    ...secretText,
    meaning: 'Previous secret keys, still accepted for decryption during key rotation.',
  }),
  admin_password: optional(text(1, 'a text'), {
    ...secretText,
    meaning: 'Password of the console account `admin`, an owner. Default: a one-time setup link at first start.',
  }),
  first_token: optional(text(20, 'a text of 20 characters or more'), {
    ...secretText,
    meaning: 'Value of the token created at first start, for unattended setup.',
  }),
  'discovery.environment': row(boolean(), true, {
    meaning: 'Add providers whose API key environment variable is set.',
  }),
  'discovery.local': row(boolean(), true, {
    meaning: 'Discover inference servers on their default loopback ports.',
  }),
  'sandbox.enabled': row(boolean(), true, {
    meaning: 'Serve the built-in sandbox models.',
  }),
  'sandbox.pace_ms': row(integer(0, 60_000), 0, {
    unit: 'ms',
    live: true,
    meaning: 'Delay between words of a sandbox stream.',
  }),
  'home.shown': row(boolean(), true, {
    live: true,
    meaning: 'Show the home page. If off, `/` returns 404.',
  }),
  'home.title': optional(lines(200, 1), {
    live: true,
    example: 'Models of Example Ltd',
    meaning: 'Title of the home page, as plain text.',
  }),
  'home.text': optional(lines(10_000), {
    live: true,
    example: 'Ask it@example.org for a token.',
    meaning: 'Text below the title, as plain text. Each line is a paragraph.',
  }),
  'log.level': row(choice(['debug', 'info', 'warn', 'error', 'silent']), 'info', {
    live: true,
    meaning: 'Minimum log level.',
  }),
  'log.format': row(choice(['text', 'json']), 'text', {
    example: 'json',
    meaning: 'Human-readable or JSON logs. Default: `json` if the output is not a terminal.',
  }),
  'log.file': optional(text(1, 'the path of a file'), {
    example: '/var/log/weir/weir.log',
    meaning: 'File for log lines. Default: standard error.',
  }),
  'log.file_bytes_max': largeBytes(100_000_000, 'Size at which a log file is renamed and another one is begun.'),
  'log.files_max': count(5, 1_000, 'Number of older log files that are kept.'),
} as const;
