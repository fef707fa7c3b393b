/** The OAuth endpoints by which a program signs in for a person: RFC 8628, RFC 6749 section 6, RFC 7009, RFC 8414. */

import { shownUserCode } from '../../admin/contracts/device-contract.ts';
import type { IssuedTokens } from '../../admin/device/device-grants.ts';
import { OAuthError } from '../../admin/device/oauth-error.ts';
import type { Route } from '../../http/route-table.ts';
import { baseOf, needed, type OAuthParts, oauthError, oauthPost, oauthReply } from './oauth-route.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const grantTypes = [deviceGrant, 'refresh_token'] as const;

const seconds = (ms: number): number => Math.floor(ms / 1_000);

const tokenReply = ({ accessToken, refreshToken, expiresInMs }: IssuedTokens): Response =>
  oauthReply({
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: seconds(expiresInMs),
    refresh_token: refreshToken,
  });

export function oauthRoutes(parts: OAuthParts): readonly Route[] {
  // Looked up with each call: the table of routes is also built without anything behind it.
  const devices = (): OAuthParts['admin']['devices'] => parts.admin.devices;
  return [
    metadataRoute(parts),
    oauthPost('/oauth/device_authorization', parts, async ({ form, client, base }) => {
      const begun = await devices().begin(form.get('client_id'), client);
      const userCode = shownUserCode(begun.userCode);
      const page = `${base}/console/device`;
      return oauthReply({
        device_code: begun.deviceCode,
        user_code: userCode,
        verification_uri: page,
        verification_uri_complete: `${page}?user_code=${userCode}`,
        expires_in: seconds(begun.expiresInMs),
        interval: seconds(begun.intervalMs),
      });
    }),
    oauthPost('/oauth/token', parts, async ({ form, client }) => {
      const clientId = form.get('client_id');
      switch (needed(form, 'grant_type')) {
        case deviceGrant:
          return tokenReply(await devices().redeem(needed(form, 'device_code'), clientId, client));
        case 'refresh_token':
          return tokenReply(await devices().refresh(needed(form, 'refresh_token'), clientId, client));
        default:
          throw new OAuthError('unsupported_grant_type', `grant_type must be one of ${grantTypes.join(', ')}.`);
      }
    }),
    oauthPost('/oauth/revoke', parts, async ({ form, client }) => {
      await devices().revoke(needed(form, 'token'), form.get('client_id'), client);
      return oauthReply({});
    }),
  ];
}

function metadataRoute(parts: OAuthParts): Route {
  return {
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    unrecorded: true,
    writeError: (error) => oauthError(error, parts.report),
    handle(exchange) {
      const issuer = baseOf(exchange, parts);
      return oauthReply({
        issuer,
        device_authorization_endpoint: `${issuer}/oauth/device_authorization`,
        token_endpoint: `${issuer}/oauth/token`,
        revocation_endpoint: `${issuer}/oauth/revoke`,
        grant_types_supported: grantTypes,
        response_types_supported: [],
        token_endpoint_auth_methods_supported: ['none'],
        revocation_endpoint_auth_methods_supported: ['none'],
      });
    },
  };
}
