/** A real OpenID Connect provider on loopback: npm's `oidc-provider` with its own pages for login and consent. */

import type { Server } from 'node:http';
import { type Configuration, Provider } from 'oidc-provider';
import { freePort } from './ports.ts';

export const oidcClient = { id: 'weir', secret: 'a secret of the client' } as const;

export interface RunningProvider {
  readonly issuer: string;
  /** What the claim `groups` of each login has; a change shows at the next sign-in. */
  readonly groups: Map<string, readonly string[]>;
  stop(): Promise<void>;
}

export async function startOidcProvider(weirPort: number): Promise<RunningProvider> {
  const port = await freePort();
  // Another site than the Weir at 127.0.0.1, as providers are: cookies with SameSite are tried as they are used.
  const issuer = `http://localhost:${port}`;
  const groups = new Map<string, readonly string[]>();
  const weirUrl = `http://127.0.0.1:${weirPort}`;
  const configuration: Configuration = {
    clients: [
      {
        client_id: oidcClient.id,
        client_secret: oidcClient.secret,
        grant_types: ['authorization_code'],
        response_types: ['code'],
        redirect_uris: [`${weirUrl}/console/sign-in/company/callback`],
        post_logout_redirect_uris: [`${weirUrl}/console/sign-in`],
        backchannel_logout_uri: `${weirUrl}/console/sign-in/company/back-channel-logout`,
        backchannel_logout_session_required: true,
      },
      {
        client_id: 'ci',
        client_secret: oidcClient.secret,
        grant_types: ['client_credentials'],
        response_types: [],
        redirect_uris: [],
      },
    ],
    claims: { openid: ['sub'], profile: ['preferred_username', 'groups'], email: ['email', 'email_verified'] },
    features: {
      devInteractions: { enabled: true },
      clientCredentials: { enabled: true },
      // Access tokens for an audience are JSON Web Tokens.
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, audience) => ({ audience, scope: '', accessTokenFormat: 'jwt' }),
      },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
    cookies: { keys: ['a key of this test'] },
    findAccount: (_context, login) => ({
      accountId: login,
      claims: () => ({
        sub: login,
        preferred_username: login,
        email: `${login}@company.example`,
        email_verified: true,
        groups: [...(groups.get(login) ?? [])],
      }),
    }),
  };
  const provider = new Provider(issuer, configuration);
  const server: Server = await new Promise((resolve) => {
    const opened = provider.listen(port, '127.0.0.1', () => resolve(opened));
  });
  return {
    issuer,
    groups,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
