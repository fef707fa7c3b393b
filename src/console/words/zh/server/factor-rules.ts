/** What the admin API says about invitations and second factors, in Chinese. */

export const factorRules: readonly (readonly [pattern: RegExp, translation: string])[] = [
  [/^is your current password; choose another$/, '是你当前的密码；请另选一个'],
  [/^must be the code of the invitation$/, '必须是邀请链接中的代码'],
  [/^must be the id of a team$/, '必须是团队的 ID'],
  [/^there is no such team$/, '没有此团队'],
  [/^requires teamId$/, '须与 teamId 一起使用'],
  [/^must be the code$/, '必须是验证码'],
  [/^must be base64url$/, '必须是 base64url'],
  [/^must be the ticket of the sign-in$/, '必须是登录凭单'],
  [/^send one of totp, recovery and passkey$/, '请发送 totp、recovery 或 passkey 之一'],
  [/^is not your password$/, '不是你的密码'],
  [/^is wrong, or was used before$/, '错误或已使用'],
  [/^is not accepted: (.+)$/, '未被接受：$1'],
  [/^to remove your own second factors, use Settings and your password$/, '请在设置中用密码移除自己的双重验证'],
  [/^An authenticator app is set up\. Remove it first\.$/, '已设置身份验证器应用。请先移除它。'],
  [/^Passkey not found\.$/, '未找到通行密钥。'],
  [/^Add an authenticator app or a passkey first\.$/, '请先添加身份验证器应用或通行密钥。'],
  [/^The role (\S+) is not allowed to give this\.$/, '角色 $1 不能授予此权限。'],
  [/^There are (\d+) open invitations\. Revoke some of them first\.$/, '已有 $1 个待接受的邀请。请先撤销一些。'],
  [/^There is no such open invitation\.$/, '没有此待接受的邀请。'],
  [
    /^The invitation is invalid, has expired, was revoked or was used\. Ask for a new one\.$/,
    '邀请无效、已过期、已撤销或已使用。请索取新的邀请。',
  ],
  [
    /^The team of the invitation no longer exists\. Ask for a new invitation\.$/,
    '邀请所属的团队已不存在。请索取新的邀请。',
  ],
  [
    /^Choose a new password first: yours was given out by an administrator\.$/,
    '请先设置新密码：当前密码由管理员提供。',
  ],
  [/^Add a second factor first: this Weir requires one\.$/, '请先添加双重验证方式：此 Weir 要求使用双重验证。'],
  [
    /^The code or passkey is wrong or was used before, or the sign-in took too long\. Try again\.$/,
    '验证码或通行密钥错误或已使用，或登录超时。请重试。',
  ],
];
