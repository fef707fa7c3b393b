/** Where the console asks for accounts. */

export const accountsPath = '/console/api/accounts';
