/** Where the console asks for second factors, and what a change of them makes stale. */

export const factorsPath = '/console/api/factors';
export const staleByFactors: readonly string[] = [factorsPath, '/console/api/accounts', '/console/api/audit'];
