/** English words for signing in, setup and the account. */

export const session = {
  name: 'Name',
  password: 'Password',
  passwordHint: 'At least 10 characters. A memorable sentence works best.',
  showPassword: 'Show password',
  signIn: 'Sign in',
  signOut: 'Sign out',
  signedInAs: (name: string, role: string) => `${name}, ${role}`,
  tokenInstead: 'Only have a token?',
  toPlayground: 'Try it in the playground',
  forgotten: 'Forgot your password? Ask an administrator to reset it.',
  setUpLead: 'You’ll be the owner. You can add more people later in Settings.',
  create: 'Create account',
  yourName: 'Sign-in name',
  needsLink: 'Open the setup link to get started',
  needsLinkHint:
    'Weir prints a one-time setup link when it starts. Copy it from the terminal or log. It is valid for one day; a restart prints a new one.',
  linkUsed: 'Weir is already set up',
  linkUsedHint: 'Sign in with your account. If you don’t have one, ask an administrator.',
  roles: { owner: 'owner', admin: 'administrator', member: 'member', viewer: 'viewer' },
  notForRole: 'You don’t have access to this page',
  notForRoleHint: (role: string) => `Your role is ${role}. An administrator can change it in Settings.`,
};
