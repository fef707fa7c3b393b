/** Egress: which proxy is used for providers, which hosts are reached without one, and which certificates are trusted. */

import type { EgressConfig, Setting } from '../../settings/config.ts';
import type { SettingValues } from '../../settings/settings.ts';
import { type Problem, showFound } from '../problem.ts';
import type { Found, ProviderSources } from './read-keys.ts';
import { type Environment, variableValue } from './read-scalars.ts';

const proxyVariables = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'] as const;

/** These variables are often written in lower case; those take precedence, as they do elsewhere. */
export function withProxyVariables(environment: Environment): Environment {
  const named = proxyVariables.flatMap((name) => {
    const value = variableValue(environment, name.toLowerCase());
    return value === undefined ? [] : [[name, value] as const];
  });
  return named.length === 0 ? environment : { ...environment, ...Object.fromEntries(named) };
}

export function readEgress(
  values: SettingValues,
  settings: readonly Setting[],
  sources: ProviderSources,
): { readonly value: EgressConfig; readonly problems: readonly Problem[] } {
  const fromVariable = settings.find(({ key }) => key === 'egress.ca_file')?.origin === 'environment';
  const source = fromVariable ? 'WEIR_EGRESS_CA_FILE' : sources.source;
  const ca = readCertificates('egress.ca_file', values['egress.ca_file'], { ...sources, source });
  const forAll = values['egress.proxy'];
  const value: EgressConfig = {
    allowedNetworks: values['egress.allowed_networks'],
    proxy: { http: forAll ?? values['egress.http_proxy'], https: forAll ?? values['egress.https_proxy'] },
    noProxy: values['egress.no_proxy'],
    ca: ca.value,
  };
  return { value, problems: ca.problems };
}

/** The text of a file with certificates. A file without one would make every connection fail without a reason. */
export function readCertificates(key: string, path: string | undefined, sources: ProviderSources): Found<string> {
  if (path === undefined) return { problems: [] };
  const text = sources.readFile(path);
  if (text?.includes('-----BEGIN CERTIFICATE-----')) return { value: text, problems: [] };
  const state = text === undefined ? 'cannot be read' : 'holds no certificate';
  const found = `${showFound(path)}, which ${state}`;
  return { problems: [{ key, source: sources.source, found, allowed: 'a file with certificates in PEM' }] };
}

/** The password in a URL, encoded as it is written there and decoded; also where the scheme is left out. */
export function passwordsIn(address: string): string[] {
  const password = URL.parse(address.includes('://') ? address : `http://${address}`)?.password ?? '';
  if (password === '') return [];
  try {
    return [...new Set([password, decodeURIComponent(password)])];
  } catch {
    return [password];
  }
}
