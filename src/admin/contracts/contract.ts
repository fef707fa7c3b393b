/** Everything that the console, the command line and the admin interface exchange: the schemas of input and the shapes of replies. */

export * from './account-contract.ts';
export * from './analytics-contract.ts';
export * from './configuration-contract.ts';
export * from './end-user-contract.ts';
export * from './factor-contract.ts';
export * from './health-contract.ts';
export * from './organization-contract.ts';
export * from './settings-contract.ts';
export * from './usage-contract.ts';
