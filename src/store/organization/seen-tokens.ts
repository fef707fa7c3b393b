/** Which tokens a person sees, and which belong to a team or project, as parts of other queries. */

/**
 * The teams of an account in which its role shows every token, and their projects. An admin key of a team sees it by the
 * team's id in the place of the account's.
 */
export const unitsSeenSql = (account: string): string =>
  `SELECT team_id FROM memberships WHERE account_id = ${account} AND role IN ('admin', 'viewer')
   UNION SELECT units.id FROM units JOIN memberships ON memberships.team_id = units.parent_id
   WHERE memberships.account_id = ${account} AND memberships.role IN ('admin', 'viewer')
   UNION SELECT id FROM units WHERE id = ${account} UNION SELECT id FROM units WHERE parent_id = ${account}`;

/** The account's own tokens, and those of the teams whose admin or viewer it is, or of the team. `account` is the place of its id. */
export const tokensSeenSql = (account: string): string =>
  `SELECT id FROM tokens WHERE owner_id = ${account} UNION SELECT id FROM tokens WHERE unit_id IN (${unitsSeenSql(account)})`;

/** Tokens of these teams and of their projects, or of these projects. `places` are those of their ids. */
export const tokensOfUnitsSql = (places: readonly string[]): string => {
  const ids = places.join(', ');
  return `SELECT id FROM tokens WHERE unit_id IN (${ids})
    UNION SELECT tokens.id FROM tokens JOIN units ON units.id = tokens.unit_id WHERE units.parent_id IN (${ids})`;
};
